// A Loader of lib/engine.ts: collects batches, makes a segment of them on another thread.
#ifndef NEARDUP_BINDING_INDEX_LOADER_H_
#define NEARDUP_BINDING_INDEX_LOADER_H_

#include <napi.h>

#include <functional>
#include <memory>

#include "binding/async_job.h"
#include "binding/index_values.h"

namespace neardup::binding {

// What a loader has collected.
class LoadedEntries {
 public:
  explicit LoadedEntries(ColumnSet columns) : columns_(columns), list_(columns) {}
  Status Add(const EntryColumns& entries);
  uint64_t count() const { return columns_.any() ? list_.size() : loader_.count(); }
  Status Build(const SegmentPlanner& planner, uint64_t held, JobControl* control,
               std::shared_ptr<const Segment>* out);

 private:
  const ColumnSet columns_;
  BulkLoader loader_;  // Of an index without columns.
  EntryList list_;     // Of one with columns.
};
// Adds a segment to the index, on the JavaScript thread; kClosed where that is closed.
using AddSegment = std::function<Status(std::shared_ptr<const Segment> segment)>;
std::shared_ptr<AsyncJob> LoadJob(std::shared_ptr<LoadedEntries> entries,
                                  std::shared_ptr<const SegmentPlanner> planner, uint64_t held,
                                  AddSegment add_segment);

// {add(entries), finish() -> Job<true>, close()}; begin(env, entries) starts the job of finish.
using BeginLoad = std::function<Napi::Value(Napi::Env env, std::shared_ptr<LoadedEntries> entries)>;
Napi::Value MakeLoader(Napi::Env env, ColumnSet columns, const BeginLoad& begin);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_LOADER_H_
