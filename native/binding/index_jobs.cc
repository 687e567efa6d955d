#include "binding/index_jobs.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "binding/errors.h"

namespace neardup::binding {

namespace {

constexpr size_t kPairs = 16384, kEntries = 16384;  // Of a batch.

class Query : public AsyncJob {
 public:
  Query(View view, QueryArguments queries, const Search& search, uint64_t max_matches)
      : view_(std::move(view)), queries_(std::move(queries)), search_(search), max_matches_(max_matches) {}
  Status Work() override {
    return view_.QueryParallel(queries_.view(), search_, max_matches_, JobThreads(), control.work(),
                               &result_);
  }
  Napi::Value Result(Napi::Env env) override { return MatchesValue(env, result_); }

 private:
  View view_;
  QueryArguments queries_;
  Search search_;
  uint64_t max_matches_;
  QueryResult result_;
};

class Add : public AsyncJob {
 public:
  Add(EntryArguments entries, IndexHolder index)
      : entries_(std::move(entries)),
        index_(std::move(index)),
        planner_((*index_)->planner()),
        columns_((*index_)->options().columns),
        head_entries_((*index_)->options().head_entries),
        held_((*index_)->size()) {}
  Status Work() override {
    if (entries_.count < head_entries_) return Status();
    BuildOptions options;
    options.threads = JobThreads();
    options.control = control.work();
    return Segment::Build(entries_.view(), columns_, *planner_, held_ + entries_.count, options, &segment_);
  }
  Napi::Value Result(Napi::Env env) override {
    if (*index_ == nullptr) return env.Undefined();
    Status status;
    if (segment_ == nullptr) {
      status = (*index_)->Add(entries_.view());
    } else {
      (*index_)->AddSegment(std::move(segment_));
    }
    if (status.ok()) return Napi::Boolean::New(env, true);
    Throw(env, status);
    return Napi::Value();
  }

 private:
  EntryArguments entries_;
  const IndexHolder index_;  // On the JavaScript thread only.
  const std::shared_ptr<const SegmentPlanner> planner_;
  const ColumnSet columns_;
  const uint64_t head_entries_, held_;
  std::shared_ptr<const Segment> segment_;
};

// What a cursor reads, shared by the cursor and its job. Ends at the last batch, when it is closed, and when
// a job of it is cancelled.
template <typename Reader>
struct CursorState : public UnderWay {
  std::shared_ptr<Reader> reader;  // None after the end.
  std::weak_ptr<AsyncJob> job;
  bool busy = false;

  void Cancel() override {
    if (const auto running = job.lock()) running->Cancel();
    reader.reset();
  }
};

template <typename Reader>
class Next : public AsyncJob {
 public:
  explicit Next(std::shared_ptr<CursorState<Reader>> state)
      : state_(std::move(state)), reader_(state_->reader) {}
  Status Work() override { return reader_->Read(&control); }
  Napi::Value Result(Napi::Env env) override { return reader_->Batch(env); }
  void End(bool well) override {
    state_->busy = false;
    if (!well) state_->reader.reset();
  }
  bool is_part() const override { return true; }

 private:
  std::shared_ptr<CursorState<Reader>> state_;
  std::shared_ptr<Reader> reader_;
};

template <typename Reader>
Napi::Value MakeCursor(Napi::Env env, std::shared_ptr<Reader> reader, const Keep& keep) {
  auto state = std::make_shared<CursorState<Reader>>();
  state->reader = std::move(reader);
  keep(state);
  const auto next = [state](const Napi::CallbackInfo& info) -> Napi::Value {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (state->busy) {
        Throw(env, Status(StatusCode::kUnsupported, "the cursor is busy: await its batch first"));
        return Napi::Value();
      }
      if (state->reader == nullptr) return EndedJob(env);
      const auto job = std::make_shared<Next<Reader>>(state);
      const Napi::Value started = StartJob(env, "neardup.next", job);
      if (started.IsEmpty()) return started;
      state->busy = true;
      state->job = job;
      return started;
    });
  };
  Napi::Object cursor = Napi::Object::New(env);
  cursor.Set("next", Napi::Function::New(env, next, "next"));
  cursor.Set("close", Napi::Function::New(
                          env, [state](const Napi::CallbackInfo&) { state->Cancel(); }, "close"));
  return cursor;
}

// Reads pairs for a cursor.
class Pairs {
 public:
  explicit Pairs(std::shared_ptr<PairReader> reader) : reader_(std::move(reader)) {}
  Status Read(JobControl* control) {
    const Status status = reader_->Next(kPairs, control, &pairs_);
    control->SetProgress(reader_->progress());
    return status;
  }
  Napi::Value Batch(Napi::Env env) const {
    return pairs_.empty() ? env.Undefined() : PairsValue(env, pairs_);
  }

 private:
  std::shared_ptr<PairReader> reader_;
  std::vector<Pair> pairs_;
};

// Reads entries for a cursor.
class Entries {
 public:
  Entries(View view, ColumnSet columns) : view_(std::move(view)), columns_(columns) {}
  Status Read(JobControl* control) {
    if (!listed_) {
      if (Status s = Listing::Build(view_, columns_, JobThreads(), control, &listing_); !s.ok()) return s;
      view_ = {};
      listed_ = true;
    }
    control->SetProgress(
        listing_.size() == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(listing_.size()));
    return Status();
  }
  Napi::Value Batch(Napi::Env env) {
    const size_t from = at_;
    if (from == listing_.size()) return env.Undefined();
    const size_t to = std::min(listing_.size(), from + kEntries);
    const Napi::Value batch = EntriesValue(env, listing_, columns_, from, to);
    at_ = to;
    return batch;
  }

 private:
  View view_;
  const ColumnSet columns_;
  bool listed_ = false;
  Listing listing_;
  size_t at_ = 0;
};

}  // namespace

unsigned JobThreads() { return std::max(1u, std::thread::hardware_concurrency()); }

std::shared_ptr<AsyncJob> QueryJob(View view, QueryArguments queries, const Search& search,
                                   uint64_t max_matches) {
  return std::make_shared<Query>(std::move(view), std::move(queries), search, max_matches);
}

std::shared_ptr<AsyncJob> AddJob(EntryArguments entries, IndexHolder index) {
  return std::make_shared<Add>(std::move(entries), std::move(index));
}

Napi::Value PairCursor(Napi::Env env, std::shared_ptr<PairReader> reader, const Keep& keep) {
  return MakeCursor(env, std::make_shared<Pairs>(std::move(reader)), keep);
}

Napi::Value EntryCursor(Napi::Env env, View view, ColumnSet columns, const Keep& keep) {
  return MakeCursor(env, std::make_shared<Entries>(std::move(view), columns), keep);
}

Status ReadPairOptions(Napi::Value value, ColumnSet columns, ColumnSet other, PairReader::Options* options) {
  bool has_second = false;
  const Status status = ReadSearch(value, &options->search, &has_second);
  options->search.since = 0;
  options->columns = columns;
  options->by_tag = columns.tag && other.tag;
  options->by_second = columns.second && other.second && has_second;
  options->threads = JobThreads();
  return status;
}

}  // namespace neardup::binding
