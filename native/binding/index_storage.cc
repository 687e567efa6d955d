#include "binding/index_storage.h"

#include <string>
#include <utility>
#include <vector>

#include "binding/errors.h"
#include "binding/index_values.h"
#include "binding/register.h"
#include "binding/values.h"
#include "core/storage/segment_check.h"
#include "core/storage/stored_part.h"

namespace neardup::binding {

namespace {

constexpr uint64_t kMaxOffset = uint64_t{1} << 53;
constexpr uint64_t kOffsetStep = 4096;

Status Invalid(const char* message) { return Status(StatusCode::kInvalidType, message); }

// A SegmentPayload, but for reading through it: the file is mapped.
struct PayloadArguments {
  std::string name, path;
  uint64_t offset = 0, length = 0;
  std::vector<uint64_t> checksums;

  Status Open(std::shared_ptr<SegmentFile>* file) {
    return SegmentFile::Open(name, path, offset, length, std::move(checksums), file);
  }
};

Status ReadPayload(Napi::Env env, Napi::Value value, PayloadArguments* payload) {
  if (!value.IsObject()) return Invalid("file must be an object");
  auto object = value.As<Napi::Object>();
  // All are fetched before any is read: fetching may run code that takes the array's memory away.
  const Napi::Value name = object.Get("name"), path = object.Get("path"), offset = object.Get("offset");
  const Napi::Value length = object.Get("length"), checksums = object.Get("checksums");
  if (env.IsExceptionPending()) return Invalid("file cannot be read");
  Elements<uint64_t> sums;
  if (!name.IsString() || !path.IsString() || !ReadNumber(offset, 0, kMaxOffset, &payload->offset) ||
      !ReadNumber(length, 0, kMaxOffset, &payload->length) ||
      !ReadElements(env, checksums, napi_biguint64_array, &sums))
    return Invalid("a name, a path, an offset, a length and checksums are wanted");
  if (payload->offset % kOffsetStep != 0)
    return Status(StatusCode::kOutOfRange, "the offset must be a multiple of 4096");
  payload->name = name.As<Napi::String>().Utf8Value();
  payload->path = path.As<Napi::String>().Utf8Value();
  if (sums.size != 0) payload->checksums.assign(sums.data, sums.data + sums.size);
  return Status();
}

// The bitmap of removed slots; undefined: none is.
Status ReadRemovedSlots(Napi::Env env, Napi::Value value, std::vector<uint8_t>* removed) {
  if (value.IsUndefined()) return Status();
  Elements<uint8_t> bits;
  if (!ReadElements(env, value, napi_uint8_array, &bits)) return Invalid("removed must be a Uint8Array");
  if (bits.size != 0) removed->assign(bits.data, bits.data + bits.size);
  return Status();
}

// Parts of a checkpoint until it is closed.
using Parts = std::vector<std::shared_ptr<StoredPart>>;

// A method of part `i`: body(env, info, part) gives its result, or an error in *status.
template <typename Body>
Napi::Function PartMethod(Napi::Env env, const std::shared_ptr<Parts>& parts, size_t i, const char* name,
                          const Body& body) {
  const auto call = [parts, i, body](const Napi::CallbackInfo& info) -> Napi::Value {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      Status status;
      Napi::Value result = env.Undefined();
      if (parts->empty()) {
        status = Status(StatusCode::kClosed, "the checkpoint is closed");
      } else {
        const std::shared_ptr<StoredPart> part = (*parts)[i];
        status = body(info, part.get(), &result);
      }
      if (env.IsExceptionPending()) return Napi::Value();
      if (status.ok()) return result;
      Throw(env, status);
      return Napi::Value();
    });
  };
  return Napi::Function::New(env, call, name);
}

Status ReadPart(const Napi::CallbackInfo& info, StoredPart* part) {
  uint64_t offset = 0;
  Elements<uint8_t> out;
  if (!ReadNumber(info[0], 0, kMaxOffset, &offset) ||
      !ReadElements(info.Env(), info[1], napi_uint8_array, &out))
    return Invalid("an offset and a Uint8Array are wanted");
  const uint64_t length = part->length();
  if (offset > length || out.size > length - offset)
    return Status(StatusCode::kOutOfRange, "the part ends before that");
  return out.size == 0 ? Status() : part->Read(offset, const_cast<uint8_t*>(out.data), out.size);
}

Napi::Value PartValue(Napi::Env env, const std::shared_ptr<Parts>& parts, size_t i,
                      const std::shared_ptr<std::unique_ptr<Index>>& index) {
  const StoredPart& stored = *(*parts)[i];
  Napi::Object part = Napi::Object::New(env);
  if (stored.name() != nullptr) {
    part.Set("name", *stored.name());
  } else {
    part.Set("name", env.Undefined());
  }
  part.Set("entries", static_cast<double>(stored.entries()));
  const auto removed = [](const Napi::CallbackInfo& info, const StoredPart* from, Napi::Value* result) {
    const std::vector<uint8_t> bits = from->RemovedSlots();
    if (!bits.empty()) *result = ArrayValue<Napi::Uint8Array>(info.Env(), bits);
    return Status();
  };
  const auto length = [](const Napi::CallbackInfo& info, const StoredPart* from, Napi::Value* result) {
    *result = Napi::Number::New(info.Env(), static_cast<double>(from->length()));
    return Status();
  };
  const auto read = [](const Napi::CallbackInfo& info, StoredPart* from, Napi::Value*) {
    return ReadPart(info, from);
  };
  const auto adopt = [index](const Napi::CallbackInfo& info, const StoredPart* from, Napi::Value*) {
    PayloadArguments payload;
    Status status = ReadPayload(info.Env(), info[0], &payload);
    if (!status.ok() || *index == nullptr || !(*index)->Holds(*from)) return status;
    std::shared_ptr<SegmentFile> file;
    status = payload.Open(&file);
    return status.ok() ? (*index)->Adopt(*from, file) : status;
  };
  part.Set("removed", PartMethod(env, parts, i, "removed", removed));
  part.Set("length", PartMethod(env, parts, i, "length", length));
  part.Set("read", PartMethod(env, parts, i, "read", read));
  part.Set("adopt", PartMethod(env, parts, i, "adopt", adopt));
  return part;
}

// A check until it is done, has failed, or is closed.
using RunningCheck = std::unique_ptr<SegmentCheck>;

// step(): whether the check is done. Throws what is wrong.
Napi::Value StepCheck(Napi::Env env, RunningCheck* running) {
  return Guard(env, [&]() -> Napi::Value {
    RunningCheck check = std::move(*running);
    bool done = false;
    const Status status =
        check == nullptr ? Status(StatusCode::kClosed, "the check is over") : check->Step(&done);
    if (!status.ok()) return Throw(env, status), Napi::Value();
    if (!done) *running = std::move(check);
    return Napi::Boolean::New(env, done);
  });
}

// checkSegment(file, columns): an object with step() and close().
Napi::Value CheckSegmentOf(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    PayloadArguments payload;
    ColumnSet columns;
    Status status = ReadPayload(env, info[0], &payload);
    if (status.ok()) status = ReadColumns(info[1], &columns);
    if (env.IsExceptionPending()) return Napi::Value();
    std::shared_ptr<SegmentFile> file;
    if (status.ok()) status = payload.Open(&file);
    const auto check = std::make_shared<RunningCheck>();
    if (status.ok()) status = SegmentCheck::Start(file, columns, check.get());
    if (!status.ok()) return Throw(env, status), Napi::Value();
    Napi::Object steps = Napi::Object::New(env);
    const auto step = [check](const Napi::CallbackInfo& call) { return StepCheck(call.Env(), check.get()); };
    const auto close = [check](const Napi::CallbackInfo&) { check->reset(); };
    steps.Set("step", Napi::Function::New(env, step, "step"));
    steps.Set("close", Napi::Function::New(env, close, "close"));
    return steps;
  });
}

}  // namespace

Status AddSegmentFile(const Napi::CallbackInfo& info, const std::unique_ptr<Index>& index) {
  PayloadArguments payload;
  std::vector<uint8_t> removed;
  Status status = ReadPayload(info.Env(), info[0], &payload);
  if (status.ok()) status = ReadRemovedSlots(info.Env(), info[1], &removed);
  if (status.ok() && index == nullptr) status = Status(StatusCode::kClosed, "the index is closed");
  std::shared_ptr<SegmentFile> file;
  if (status.ok()) status = payload.Open(&file);
  return status.ok() ? index->OpenSegment(file, removed) : status;
}

Napi::Value CheckpointValue(Napi::Env env, const std::shared_ptr<std::unique_ptr<Index>>& index) {
  const auto shared = std::make_shared<Parts>((*index)->Checkpoint());
  Napi::Array list = Napi::Array::New(env, shared->size());
  for (size_t i = 0; i < shared->size(); ++i)
    list.Set(static_cast<uint32_t>(i), PartValue(env, shared, i, index));
  Napi::Object checkpoint = Napi::Object::New(env);
  checkpoint.Set("parts", list);
  checkpoint.Set("close", Napi::Function::New(
                              env, [shared](const Napi::CallbackInfo&) { shared->clear(); }, "close"));
  return checkpoint;
}

void RegisterStorage(Napi::Env env, Napi::Object engine) {
  engine.Set("checkSegment", Napi::Function::New(env, CheckSegmentOf, "checkSegment"));
}

}  // namespace neardup::binding
