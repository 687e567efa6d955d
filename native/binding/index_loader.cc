#include "binding/index_loader.h"

#include <algorithm>
#include <utility>

#include "binding/errors.h"
#include "binding/index_jobs.h"

namespace neardup::binding {

namespace {

class Load : public AsyncJob {
 public:
  Load(std::shared_ptr<LoadedEntries> entries, std::shared_ptr<const SegmentPlanner> planner, uint64_t held,
       AddSegment add_segment)
      : entries_(std::move(entries)),
        planner_(std::move(planner)),
        held_(held),
        add_segment_(std::move(add_segment)) {}
  Status Work() override {
    if (entries_->count() == 0) return Status();
    return entries_->Build(*planner_, held_ + entries_->count(), &control, &segment_);
  }
  Napi::Value Result(Napi::Env env) override {
    const Status status = segment_ == nullptr ? Status() : add_segment_(std::move(segment_));
    if (status.ok()) return Napi::Boolean::New(env, true);
    if (status.code() == StatusCode::kClosed) return env.Undefined();
    Throw(env, status);
    return Napi::Value();
  }

 private:
  std::shared_ptr<LoadedEntries> entries_;
  std::shared_ptr<const SegmentPlanner> planner_;
  uint64_t held_;
  AddSegment add_segment_;
  std::shared_ptr<const Segment> segment_;
};

Napi::Value ThrowClosed(Napi::Env env) {
  Throw(env, Status(StatusCode::kClosed, "the loader is closed"));
  return Napi::Value();
}

}  // namespace

Status LoadedEntries::Add(const EntryColumns& entries) {
  if (!columns_.any()) return loader_.Add(entries.fingerprints, entries.ids, entries.count);
  if (list_.capacity() < list_.size() + entries.count)
    list_.Reserve(std::max(list_.size() + entries.count, 2 * list_.capacity()));
  for (size_t i = 0; i < entries.count; ++i) list_.Push(entries[i]);
  return Status();
}

Status LoadedEntries::Build(const SegmentPlanner& planner, uint64_t held, JobControl* control,
                            std::shared_ptr<const Segment>* out) {
  BuildOptions options;
  options.threads = JobThreads();
  options.control = control->work();
  if (!columns_.any()) return Segment::Build(&loader_, planner, held, options, out);
  return Segment::Build(list_.view(), columns_, planner, held, options, out);
}

std::shared_ptr<AsyncJob> LoadJob(std::shared_ptr<LoadedEntries> entries,
                                  std::shared_ptr<const SegmentPlanner> planner, uint64_t held,
                                  AddSegment add_segment) {
  return std::make_shared<Load>(std::move(entries), std::move(planner), held, std::move(add_segment));
}

Napi::Value MakeLoader(Napi::Env env, ColumnSet columns, const BeginLoad& begin) {
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
      if (*loaded == nullptr) return ThrowClosed(env);
      if (status.ok()) status = (*loaded)->Add(entries.view());
      if (status.ok()) return env.Undefined();
      Throw(env, status);
      return Napi::Value();
    });
  };
  const auto finish = [loaded, begin](const Napi::CallbackInfo& call) -> Napi::Value {
    Napi::Env env = call.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (*loaded == nullptr) return ThrowClosed(env);
      return begin(env, std::exchange(*loaded, nullptr));
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
