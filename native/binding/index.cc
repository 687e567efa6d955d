// The class behind createIndex: EngineIndex of lib/engine.ts over core/index/index. On the JavaScript thread
// only. Arguments are copied before the core sees them, so that shared memory that changes meanwhile is safe.
#include "core/index/index.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "binding/errors.h"
#include "binding/register.h"

namespace neardup::binding {

namespace {

Status Invalid(const char* message) { return Status(StatusCode::kInvalidType, message); }

Status ReadFingerprints(Napi::Value value, std::vector<uint64_t>* fingerprints) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_biguint64_array) {
    return Invalid("fingerprints must be a BigUint64Array");
  }
  auto array = value.As<Napi::BigUint64Array>();
  if (array.ElementLength() > 0) fingerprints->assign(array.Data(), array.Data() + array.ElementLength());
  return Status();
}

Status ReadEntries(Napi::Value fingerprints, Napi::Value ids, std::vector<Entry>* entries) {
  std::vector<uint64_t> read;
  const Status status = ReadFingerprints(fingerprints, &read);
  if (!status.ok()) return status;
  if (!ids.IsTypedArray() || ids.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    return Invalid("ids must be a Float64Array");
  }
  auto array = ids.As<Napi::Float64Array>();
  if (array.ElementLength() != read.size()) {
    return Status(StatusCode::kOutOfRange, "there must be one id for each fingerprint");
  }
  entries->reserve(read.size());
  for (size_t i = 0; i < read.size(); i++) {
    const double id = array.Data()[i];
    if (!(id >= 0 && id <= static_cast<double>(kMaxId))) {
      return Status(StatusCode::kOutOfRange, "ids must be integers from 0 to 2^53 - 1");
    }
    entries->push_back({read[i], static_cast<uint64_t>(id)});
  }
  return Status();
}

// A whole number from `low` to `high`; what is larger is read as `high`.
bool ReadNumber(Napi::Value value, uint64_t low, uint64_t high, uint64_t* number) {
  if (!value.IsNumber()) return false;
  const double read = value.As<Napi::Number>().DoubleValue();
  if (!(read >= static_cast<double>(low))) return false;
  *number = read < static_cast<double>(high) ? static_cast<uint64_t>(read) : high;
  return true;
}

Status ReadDistance(Napi::Value value, unsigned max_distance, unsigned* distance) {
  uint64_t read = 0;
  if (!ReadNumber(value, 0, kMaxDistance + 1, &read)) return Invalid("maxDistance must be a number");
  if (read > max_distance) return Status(StatusCode::kOutOfRange, "maxDistance is over that of the index");
  *distance = static_cast<unsigned>(read);
  return Status();
}

Napi::Object MatchesObject(Napi::Env env, const QueryResult& result) {
  Napi::Float64Array offsets = NewArray<Napi::Float64Array>(env, result.offsets.size());
  Napi::Float64Array ids = NewArray<Napi::Float64Array>(env, result.matches.size());
  Napi::Uint8Array distances = NewArray<Napi::Uint8Array>(env, result.matches.size());
  std::copy(result.offsets.begin(), result.offsets.end(), offsets.Data());
  for (size_t i = 0; i < result.matches.size(); i++) {
    ids.Data()[i] = static_cast<double>(result.matches[i].id);
    distances.Data()[i] = static_cast<uint8_t>(result.matches[i].distance);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("offsets", offsets);
  object.Set("ids", ids);
  object.Set("distances", distances);
  return object;
}

Napi::Object OutcomesObject(Napi::Env env, const std::vector<AddOutcome>& outcomes) {
  Napi::Uint8Array added = NewArray<Napi::Uint8Array>(env, outcomes.size());
  Napi::Float64Array nearest_ids = NewArray<Napi::Float64Array>(env, outcomes.size());
  Napi::Uint8Array nearest_distances = NewArray<Napi::Uint8Array>(env, outcomes.size());
  for (size_t i = 0; i < outcomes.size(); i++) {
    added.Data()[i] = outcomes[i].added;
    nearest_ids.Data()[i] = outcomes[i].added ? -1 : static_cast<double>(outcomes[i].nearest.id);
    nearest_distances.Data()[i] = static_cast<uint8_t>(outcomes[i].nearest.distance);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("added", added);
  object.Set("nearestIds", nearest_ids);
  object.Set("nearestDistances", nearest_distances);
  return object;
}

class IndexObject : public Napi::ObjectWrap<IndexObject> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(
        env, "Index",
        {InstanceAccessor<&IndexObject::Size>("size"), InstanceMethod<&IndexObject::AddBatch>("addBatch"),
         InstanceMethod<&IndexObject::AddIfNewBatch>("addIfNewBatch"),
         InstanceMethod<&IndexObject::QueryBatch>("queryBatch"),
         InstanceMethod<&IndexObject::Close>("close")});
  }

  // new Index({maxDistance, headEntries?, maxMatches?})
  explicit IndexObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
    Guard(info.Env(), [&]() -> Napi::Value {
      IndexOptions options;
      const Status status = ReadOptions(info[0], &options);
      if (info.Env().IsExceptionPending()) return Napi::Value();
      if (!status.ok()) {
        Throw(info.Env(), status);
        return Napi::Value();
      }
      index_ = std::make_unique<Index>(options);
      return Napi::Value();
    });
  }

  void Finalize(Napi::BasicEnv env) override {
    Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
  }

 private:
  static Status ReadOptions(Napi::Value value, IndexOptions* options) {
    if (!value.IsObject()) return Invalid("options must be an object");
    auto object = value.As<Napi::Object>();
    const Status status = ReadDistance(object.Get("maxDistance"), kMaxDistance, &options->max_distance);
    ReadNumber(object.Get("headEntries"), 1, uint64_t{1} << 30, &options->head_entries);
    ReadNumber(object.Get("maxMatches"), 0, options->max_matches, &options->max_matches);
    return status;
  }

  // Runs body(&result) -> Status on the open index; a failure becomes an exception.
  template <typename Body>
  Napi::Value Call(Napi::Env env, Body&& body) {
    return Guard(env, [&]() -> Napi::Value {
      Napi::Value result = env.Undefined();
      const Status status = index_ ? body(&result) : Status(StatusCode::kClosed, "the index is closed");
      ReportMemory(env);
      if (status.ok()) return result;
      Throw(env, status);
      return Napi::Value();
    });
  }

  // Tells the garbage collector how much memory hangs on this object.
  void ReportMemory(Napi::Env env) {
    const int64_t bytes = index_ ? static_cast<int64_t>(index_->bytes()) : 0;
    if (bytes != reported_) Napi::MemoryManagement::AdjustExternalMemory(env, bytes - reported_);
    reported_ = bytes;
  }

  Napi::Value Size(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), index_ ? static_cast<double>(index_->size()) : 0);
  }

  Napi::Value AddBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Napi::Value*) {
      std::vector<Entry> entries;
      const Status status = ReadEntries(info[0], info[1], &entries);
      if (status.ok()) index_->Add(entries.data(), entries.size());
      return status;
    });
  }

  Napi::Value AddIfNewBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Napi::Value* result) {
      std::vector<Entry> entries;
      unsigned distance = 0;
      Status status = ReadEntries(info[0], info[1], &entries);
      if (status.ok()) status = ReadDistance(info[2], index_->options().max_distance, &distance);
      if (status.ok()) {
        *result = OutcomesObject(info.Env(), index_->AddIfNew(entries.data(), entries.size(), distance));
      }
      return status;
    });
  }

  Napi::Value QueryBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Napi::Value* result) {
      std::vector<uint64_t> fingerprints;
      unsigned distance = 0;
      uint64_t limit = kNoLimit;
      QueryResult found;
      Status status = ReadFingerprints(info[0], &fingerprints);
      if (status.ok()) status = ReadDistance(info[1], index_->options().max_distance, &distance);
      if (status.ok() && !ReadNumber(info[2], 1, kNoLimit, &limit)) {
        status = Invalid("limit must be a number from 1");
      }
      if (status.ok())
        status = index_->Query(fingerprints.data(), fingerprints.size(), distance, limit, &found);
      if (status.ok()) *result = MatchesObject(info.Env(), found);
      return status;
    });
  }

  Napi::Value Close(const Napi::CallbackInfo& info) {
    index_.reset();
    ReportMemory(info.Env());
    return info.Env().Undefined();
  }

  std::unique_ptr<Index> index_;
  int64_t reported_ = 0;
};

}  // namespace

void RegisterIndex(Napi::Env env, Napi::Object engine) {
  // Lives as long as the environment.
  auto* index_class = new Napi::FunctionReference(Napi::Persistent(IndexObject::Define(env)));
  env.AddCleanupHook([index_class] { delete index_class; });
  engine.Set("createIndex", Napi::Function::New(
                                env,
                                [index_class](const Napi::CallbackInfo& info) -> Napi::Value {
                                  return index_class->Value().New({info[0]});
                                },
                                "createIndex"));
}

}  // namespace neardup::binding
