// The class behind createIndex: EngineIndex of lib/engine.ts over core/index/index. On the JavaScript thread
// only; merges that have ended are taken there too.
#include "core/index/index.h"

#include <memory>
#include <utility>
#include <vector>

#include "binding/async_job.h"
#include "binding/compactions.h"
#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/index_jobs.h"
#include "binding/index_loader.h"
#include "binding/index_storage.h"
#include "binding/index_values.h"
#include "binding/merge_signal.h"
#include "binding/register.h"
#include "binding/values.h"

namespace neardup::binding {

namespace {

constexpr napi_type_tag kIndexTag = {0x6E65617264757031, 0x696E646578000001};

class IndexObject : public Napi::ObjectWrap<IndexObject> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(
        env, "Index",
        {InstanceAccessor<&IndexObject::Size>("size"), InstanceMethod<&IndexObject::AddBatch>("addBatch"),
         InstanceMethod<&IndexObject::AddBatchAsync>("addBatchAsync"),
         InstanceMethod<&IndexObject::Loader>("loader"),
         InstanceMethod<&IndexObject::AddIfNewBatch>("addIfNewBatch"),
         InstanceMethod<&IndexObject::AddIfNewOne>("addIfNewOne"),
         InstanceMethod<&IndexObject::QueryBatch>("queryBatch"),
         InstanceMethod<&IndexObject::QueryOne>("queryOne"),
         InstanceMethod<&IndexObject::QueryBatchAsync>("queryBatchAsync"),
         InstanceMethod<&IndexObject::RemoveBatch>("removeBatch"),
         InstanceMethod<&IndexObject::RemoveBefore>("removeBefore"),
         InstanceMethod<&IndexObject::Compact>("compact"), InstanceMethod<&IndexObject::Pairs>("pairs"),
         InstanceMethod<&IndexObject::Join>("join"), InstanceMethod<&IndexObject::Entries>("entries"),
         InstanceMethod<&IndexObject::OpenSegment>("openSegment"),
         InstanceMethod<&IndexObject::Checkpoint>("checkpoint"), InstanceMethod<&IndexObject::Stats>("stats"),
         InstanceMethod<&IndexObject::Close>("close")});
  }

  // new Index(IndexOptions)
  explicit IndexObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
    Guard(info.Env(), [&]() -> Napi::Value {
      IndexOptions options;
      Status status = ReadIndexOptions(info[0], &options);
      if (info.Env().IsExceptionPending()) return Napi::Value();
      options.on_merge_end = [signal = signal_] { signal->Send(); };
      if (status.ok()) status = MergeSignal::Open(info.Env(), this, OnMergeEnd, signal_);
      if (!status.ok()) {
        Throw(info.Env(), status);
        return Napi::Value();
      }
      auto& background = info.Env().GetInstanceData<EnvironmentData>()->background;
      for (const bool is_long : {false, true}) background[is_long] = ThreadPool::Background(is_long);
      *index_ = std::make_unique<Index>(options);
      info.This().As<Napi::Object>().TypeTag(&kIndexTag);
      return Napi::Value();
    });
  }

  ~IndexObject() override { End(); }

  void Finalize(Napi::BasicEnv env) override {
    Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
  }

 private:
  // Runs body(index, &result) -> Status on the open index; a failure becomes an exception.
  template <typename Body>
  Napi::Value Call(Napi::Env env, Body&& body) {
    return Guard(env, [&]() -> Napi::Value {
      Napi::Value result = env.Undefined();
      const Status status = *index_ ? body(index_->get(), &result) : StillOpen();
      ReportMemory(env);
      if (env.IsExceptionPending()) return Napi::Value();
      if (status.ok()) return result;
      Throw(env, status);
      return Napi::Value();
    });
  }

  // Reading arguments may run code that closes the index: called after it.
  Status StillOpen() const { return *index_ ? Status() : Status(StatusCode::kClosed, "the index is closed"); }

  // Tells the garbage collector how much memory hangs on this object.
  void ReportMemory(Napi::Env env) {
    const int64_t bytes = *index_ ? static_cast<int64_t>((*index_)->bytes()) : 0;
    if (bytes != reported_) Napi::MemoryManagement::AdjustExternalMemory(env, bytes - reported_);
    reported_ = bytes;
  }

  Napi::Value Begin(Napi::Env env, const char* name, const std::shared_ptr<AsyncJob>& job) {
    const Napi::Value started = StartJob(env, name, job);
    if (!started.IsEmpty()) begun_->Add(job);
    return started;
  }

  Napi::Value Size(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), *index_ ? static_cast<double>((*index_)->size()) : 0);
  }

  Napi::Value AddBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value*) {
      EntryArguments entries;
      Status status = ReadEntries(info.Env(), info[0], index->options().columns, false, &entries);
      if (status.ok()) status = StillOpen();
      return status.ok() ? index->Add(entries.view()) : status;
    });
  }

  Napi::Value AddBatchAsync(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      EntryArguments entries;
      Status status = ReadEntries(info.Env(), info[0], index->options().columns, true, &entries);
      if (status.ok()) status = StillOpen();
      if (!status.ok()) return status;
      *result = Begin(info.Env(), "neardup.addBatchAsync", AddJob(std::move(entries), index_));
      return status;
    });
  }

  Napi::Value Loader(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index*, Napi::Value* result) {
      *result = MakeLoader(info.Env(), index_, begun_);
      return Status();
    });
  }

  Napi::Value AddIfNewBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      EntryArguments entries;
      uint64_t distance = 0, second_distance = 64;
      Status status = ReadEntries(info.Env(), info[0], index->options().columns, false, &entries);
      if (status.ok()) status = StillOpen();
      if (!status.ok()) return status;
      if (!ReadNumber(info[1], 0, 64, &distance))
        return Status(StatusCode::kInvalidType, "distance must be a number");
      if (!info[2].IsUndefined() && !ReadNumber(info[2], 0, 64, &second_distance))
        return Status(StatusCode::kInvalidType, "secondDistance must be a number");
      std::vector<AddOutcome> outcomes;
      status = index->AddIfNew(entries.view(), static_cast<unsigned>(distance),
                               static_cast<unsigned>(second_distance), &outcomes);
      if (status.ok()) *result = OutcomesValue(info.Env(), outcomes);
      return status;
    });
  }

  // (fingerprint, distance, limit): the first element of the array, asked for without filters.
  Napi::Value QueryOne(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      Elements<uint64_t> fingerprint;
      Search search;
      uint64_t distance = 0;
      if (!ReadElements(info.Env(), info[0], napi_biguint64_array, &fingerprint) || fingerprint.size == 0 ||
          !ReadNumber(info[1], 0, 64, &distance) || !ReadNumber(info[2], 1, kNoLimit, &search.limit))
        return Status(StatusCode::kInvalidType, "a fingerprint, a distance and a limit are wanted");
      search.distance = static_cast<unsigned>(distance);
      const uint64_t value = fingerprint.data[0];
      Status status = index->Query({1, &value, nullptr, nullptr, nullptr}, search, &found_);
      if (status.ok() && !found_.matches.empty()) *result = MatchList(info.Env(), found_.matches);
      if (found_.matches.capacity() > kKeptMatches) found_ = {};
      return status;
    });
  }

  // (fingerprint, id, distance): of an index without columns.
  Napi::Value AddIfNewOne(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      Elements<uint64_t> fingerprint;
      uint64_t id = 0, distance = 0;
      if (index->options().columns.any()) return Status(StatusCode::kUnsupported, "the index has columns");
      if (!ReadElements(info.Env(), info[0], napi_biguint64_array, &fingerprint) || fingerprint.size == 0 ||
          !ReadNumber(info[1], 0, kMaxId, &id) || !ReadNumber(info[2], 0, 64, &distance))
        return Status(StatusCode::kInvalidType, "a fingerprint, an id and a distance are wanted");
      const uint64_t value = fingerprint.data[0];
      EntryColumns entry;
      entry.count = 1;
      entry.fingerprints = &value;
      entry.ids = &id;
      Status status = index->AddIfNew(entry, static_cast<unsigned>(distance), 64, &outcomes_);
      if (status.ok() && !outcomes_[0].added) *result = MatchList(info.Env(), {outcomes_[0].nearest});
      return status;
    });
  }

  // (queries, search). The search is read first: reading it may run code that takes the arrays' memory away.
  Status ReadQueryCall(const Napi::CallbackInfo& info, ColumnSet columns, bool copy, QueryArguments* queries,
                       Search* search) const {
    bool has_second = false;
    Status status = ReadSearch(info[1], search, &has_second);
    if (status.ok()) status = ReadQueries(info.Env(), info[0], columns, copy, queries);
    return status.ok() ? StillOpen() : status;
  }

  Napi::Value QueryBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      QueryArguments queries;
      Search search;
      Status status = ReadQueryCall(info, index->options().columns, false, &queries, &search);
      if (status.ok()) status = index->Query(queries.view(), search, &found_);
      if (status.ok()) *result = MatchesValue(info.Env(), found_);
      if (found_.matches.capacity() > kKeptMatches) found_ = {};
      return status;
    });
  }

  Napi::Value QueryBatchAsync(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      QueryArguments queries;
      Search search;
      Status status = ReadQueryCall(info, index->options().columns, true, &queries, &search);
      if (!status.ok()) return status;
      *result = Begin(info.Env(), "neardup.queryBatchAsync",
                      QueryJob(index->Snapshot(), std::move(queries), search, index->options().max_matches));
      return status;
    });
  }

  Napi::Value RemoveBatch(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      EntryArguments entries;
      const Status status = ReadEntries(info.Env(), info[0], info[1], &entries);
      if (!status.ok()) return status;
      Napi::Float64Array removed = NewArray<Napi::Float64Array>(info.Env(), entries.count);
      for (size_t i = 0; i < entries.count; ++i)
        removed.Data()[i] = static_cast<double>(index->Remove(entries.fingerprints.data[i], entries.ids[i]));
      index->Poll();
      *result = removed;
      return status;
    });
  }

  Napi::Value RemoveBefore(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      uint64_t time = 0;
      if (!index->options().columns.time) return Status(StatusCode::kUnsupported, "the index has no times");
      if (!ReadNumber(info[0], 0, kMaxId, &time))
        return Status(StatusCode::kInvalidType, "time must be a number");
      uint64_t removed = 0;
      const Status status = index->RemoveBefore(time, &removed);
      if (status.ok()) *result = Napi::Number::New(info.Env(), static_cast<double>(removed));
      return status;
    });
  }

  Napi::Value Compact(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      const uint64_t request = index->RequestCompaction();
      const auto progress = [holder = index_, request] {
        Status status;
        const bool ended = *holder == nullptr || (*holder)->compacted(&status) >= request;
        return ended ? 1 : (*holder)->compaction_progress();
      };
      *result = compactions_.Add(info.Env(), request, progress);
      return Status();
    });
  }

  // Takes what has been merged and goes on with compaction.
  static void OnMergeEnd(napi_env raw_env, napi_value, void* context, void*) {
    if (raw_env == nullptr) return;
    auto* self = static_cast<IndexObject*>(context);
    Napi::Env env(raw_env);
    if (*self->index_ == nullptr) return;
    const Napi::Value done = Guard(env, [&]() -> Napi::Value {
      self->TakeMerges(env);
      return env.Undefined();
    });
    if (done.IsEmpty() && env.IsExceptionPending()) {
      const Napi::Error error = env.GetAndClearPendingException();
      self->compactions_.SettleAll(env, error.Value(), false);
    }
    self->ReportMemory(env);
  }

  void TakeMerges(Napi::Env env) {
    Index& index = **index_;
    compactions_.SettleCancelled(env);
    if (compactions_.empty()) index.AbandonCompaction();
    index.Poll();
    Status status;
    const uint64_t ended = index.compacted(&status);
    if (!compactions_.HasUpTo(ended)) return;
    const Napi::Value outcome = status.ok() ? Napi::Boolean::New(env, true) : MakeError(env, status);
    compactions_.SettleUpTo(env, ended, outcome, status.ok());
  }

  Napi::Value Pairs(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      PairReader::Options options;
      const ColumnSet columns = index->options().columns;
      Status status = ReadPairOptions(info[0], columns, columns, &options);
      if (status.ok()) status = StillOpen();
      if (!status.ok()) return status;
      *result = PairCursor(info.Env(), std::make_shared<PairReader>(index->Snapshot(), options),
                           [this](const auto& cursor) { begun_->Add(cursor); });
      return status;
    });
  }

  Napi::Value Join(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      if (!info[0].IsObject() || !info[0].As<Napi::Object>().CheckTypeTag(&kIndexTag))
        return Status(StatusCode::kInvalidType, "other must be an index of the native engine");
      IndexObject* with = Unwrap(info[0].As<Napi::Object>());
      Index* other = with->index_->get();
      if (other == nullptr) return Status(StatusCode::kClosed, "the other index is closed");
      PairReader::Options options;
      Status status = ReadPairOptions(info[1], index->options().columns, other->options().columns, &options);
      if (status.ok()) status = StillOpen();
      if (status.ok()) status = with->StillOpen();
      if (!status.ok()) return status;
      const auto keep = [this, with](const auto& cursor) {
        begun_->Add(cursor);
        with->begun_->Add(cursor);
      };
      *result = PairCursor(info.Env(),
                           std::make_shared<PairReader>(index->Snapshot(), other->Snapshot(), options), keep);
      return status;
    });
  }

  Napi::Value Entries(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      *result = EntryCursor(info.Env(), index->Snapshot(), index->options().columns,
                            [this](const auto& cursor) { begun_->Add(cursor); });
      return Status();
    });
  }

  // (file, removed)
  Napi::Value OpenSegment(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index*, Napi::Value*) { return AddSegmentFile(info, *index_); });
  }

  Napi::Value Checkpoint(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index*, Napi::Value* result) {
      *result = CheckpointValue(info.Env(), index_);
      return Status();
    });
  }

  Napi::Value Stats(const Napi::CallbackInfo& info) {
    return Call(info.Env(), [&](Index* index, Napi::Value* result) {
      index->Poll();
      *result = StatsValue(info.Env(), *index);
      return Status();
    });
  }

  Napi::Value Close(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      compactions_.SettleAll(env, env.Undefined(), true);
      End();
      ReportMemory(env);
      return env.Undefined();
    });
  }

  void End() {
    signal_->Close();
    begun_->Cancel();
    index_->reset();
  }

  static constexpr size_t kKeptMatches = size_t{1} << 16;

  // Shared with jobs that come back to it; empty after close().
  const IndexHolder index_ = std::make_shared<std::unique_ptr<Index>>();
  const std::shared_ptr<MergeSignal> signal_ = std::make_shared<MergeSignal>();
  const std::shared_ptr<Begun> begun_ = std::make_shared<Begun>();
  Compactions compactions_{signal_};
  QueryResult found_;
  std::vector<AddOutcome> outcomes_;
  int64_t reported_ = 0;
};

}  // namespace

void RegisterIndex(Napi::Env env, Napi::Object engine) {
  // Lives as long as the environment.
  auto* index_class = new Napi::FunctionReference(Napi::Persistent(IndexObject::Define(env)));
  env.AddCleanupHook([index_class] { delete index_class; });
  const auto create = [index_class](const Napi::CallbackInfo& info) -> Napi::Value {
    return index_class->Value().New({info[0]});
  };
  engine.Set("createIndex", Napi::Function::New(env, create, "createIndex"));
}

}  // namespace neardup::binding
