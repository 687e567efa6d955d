#include "binding/index_loader.h"

#include <algorithm>
#include <utility>

#include "binding/errors.h"
#include "binding/index_values.h"

namespace neardup::binding {

namespace {

// What a loader has collected.
class LoadedEntries {
 public:
  explicit LoadedEntries(ColumnSet columns) : columns_(columns), list_(columns) {}

  Status Add(const EntryColumns& entries) {
    if (!columns_.any()) return loader_.Add(entries.fingerprints, entries.ids, entries.count);
    if (list_.capacity() < list_.size() + entries.count)
      list_.Reserve(std::max(list_.size() + entries.count, 2 * list_.capacity()));
    for (size_t i = 0; i < entries.count; ++i) list_.Push(entries[i]);
    return Status();
  }
  uint64_t count() const { return columns_.any() ? list_.size() : loader_.count(); }
  Status Build(const SegmentPlanner& planner, uint64_t held, JobControl* control,
               std::shared_ptr<const Segment>* out) {
    BuildOptions options;
    options.threads = JobThreads();
    options.control = control->work();
    if (!columns_.any()) return Segment::Build(&loader_, planner, held, options, out);
    return Segment::Build(list_.view(), columns_, planner, held, options, out);
  }

 private:
  const ColumnSet columns_;
  BulkLoader loader_;  // Of an index without columns.
  EntryList list_;     // Of one with columns.
};

class Load : public AsyncJob {
 public:
  Load(std::shared_ptr<LoadedEntries> entries, IndexHolder index)
      : entries_(std::move(entries)),
        index_(std::move(index)),
        planner_((*index_)->planner()),
        held_((*index_)->size()) {}
  Status Work() override {
    if (entries_->count() == 0) return Status();
    return entries_->Build(*planner_, held_ + entries_->count(), &control, &segment_);
  }
  Napi::Value Result(Napi::Env env) override {
    if (segment_ != nullptr) {
      if (*index_ == nullptr) return env.Undefined();
      (*index_)->AddSegment(std::move(segment_));
    }
    return Napi::Boolean::New(env, true);
  }

 private:
  const std::shared_ptr<LoadedEntries> entries_;
  const IndexHolder index_;
  const std::shared_ptr<const SegmentPlanner> planner_;
  const uint64_t held_;
  std::shared_ptr<const Segment> segment_;
};

Napi::Value ThrowClosed(Napi::Env env, const char* what) {
  Throw(env, Status(StatusCode::kClosed, what));
  return Napi::Value();
}

}  // namespace

Napi::Value MakeLoader(Napi::Env env, const IndexHolder& index, const std::shared_ptr<Begun>& begun) {
  const ColumnSet columns = (*index)->options().columns;
  // None after finish() and close().
  const auto loaded =
      std::make_shared<std::shared_ptr<LoadedEntries>>(std::make_shared<LoadedEntries>(columns));
  const auto add = [loaded, columns](const Napi::CallbackInfo& call) -> Napi::Value {
    Napi::Env env = call.Env();
    return Guard(env, [&]() -> Napi::Value {
      EntryArguments entries;
      Status status = ReadEntries(env, call[0], columns, false, &entries);
      if (env.IsExceptionPending()) return Napi::Value();
      // After reading, which may have closed it.
      if (*loaded == nullptr) return ThrowClosed(env, "the loader is closed");
      if (status.ok()) status = (*loaded)->Add(entries.view());
      if (status.ok()) return env.Undefined();
      Throw(env, status);
      return Napi::Value();
    });
  };
  const auto finish = [loaded, index, begun](const Napi::CallbackInfo& call) -> Napi::Value {
    Napi::Env env = call.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (*loaded == nullptr) return ThrowClosed(env, "the loader is closed");
      const std::shared_ptr<LoadedEntries> entries = std::exchange(*loaded, nullptr);
      if (*index == nullptr) return ThrowClosed(env, "the index is closed");
      const auto job = std::make_shared<Load>(entries, index);
      const Napi::Value started = StartJob(env, "neardup.load", job);
      if (!started.IsEmpty()) begun->Add(job);
      return started;
    });
  };
  Napi::Object loader = Napi::Object::New(env);
  loader.Set("add", Napi::Function::New(env, add, "add"));
  loader.Set("finish", Napi::Function::New(env, finish, "finish"));
  loader.Set("close", Napi::Function::New(
                          env, [loaded](const Napi::CallbackInfo&) { loaded->reset(); }, "close"));
  return loader;
}

}  // namespace neardup::binding
