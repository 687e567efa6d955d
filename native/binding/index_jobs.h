// What an index does on other threads: queries, pairs and entries of a snapshot, segments from batches.
#ifndef NEARDUP_BINDING_INDEX_JOBS_H_
#define NEARDUP_BINDING_INDEX_JOBS_H_

#include <napi.h>

#include <functional>
#include <memory>

#include "binding/async_job.h"
#include "binding/index_values.h"

namespace neardup::binding {

// Adds what was built to the index, on the JavaScript thread; kClosed where that is closed.
using AddBuilt = std::function<Status(const EntryColumns& entries, std::shared_ptr<const Segment> segment)>;

std::shared_ptr<AsyncJob> QueryJob(View view, QueryArguments queries, const Search& search,
                                   uint64_t max_matches);
// `held`: entries of the index. Entries fewer than head_entries are not built into a segment.
std::shared_ptr<AsyncJob> AddJob(EntryArguments entries, ColumnSet columns,
                                 std::shared_ptr<const SegmentPlanner> planner, uint64_t held,
                                 uint64_t head_entries, AddBuilt add_built);

// Takes note of what was begun, to cancel it when an index is closed.
using Keep = std::function<void(const std::shared_ptr<UnderWay>&)>;
// A Cursor of lib/engine.ts.
Napi::Value PairCursor(Napi::Env env, std::shared_ptr<PairReader> reader, const Keep& keep);
Napi::Value EntryCursor(Napi::Env env, View view, ColumnSet columns, const Keep& keep);

// Threads for one job.
unsigned JobThreads();

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_JOBS_H_
