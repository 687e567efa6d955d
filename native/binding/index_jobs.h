// What an index does on other threads: queries, pairs and entries of a snapshot, segments from batches.
#ifndef NEARDUP_BINDING_INDEX_JOBS_H_
#define NEARDUP_BINDING_INDEX_JOBS_H_

#include <napi.h>

#include <functional>
#include <memory>

#include "binding/async_job.h"
#include "binding/index_values.h"

namespace neardup::binding {

// An index, shared with what comes back to it later; empty once it is closed.
using IndexHolder = std::shared_ptr<std::unique_ptr<Index>>;

std::shared_ptr<AsyncJob> QueryJob(View view, QueryArguments queries, const Search& search,
                                   uint64_t max_matches);
// Adds entries to an index that is open; where they are many, as a segment built of them.
std::shared_ptr<AsyncJob> AddJob(EntryArguments entries, IndexHolder index);

// Takes note of what was begun, to cancel it when an index is closed.
using Keep = std::function<void(const std::shared_ptr<UnderWay>&)>;
// A Cursor of lib/engine.ts.
Napi::Value PairCursor(Napi::Env env, std::shared_ptr<PairReader> reader, const Keep& keep);
Napi::Value EntryCursor(Napi::Env env, View view, ColumnSet columns, const Keep& keep);

// The search of pairs, or of a join with an index of other columns.
Status ReadPairOptions(Napi::Value value, ColumnSet columns, ColumnSet other, PairReader::Options* options);

// Threads for one job.
unsigned JobThreads();

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_JOBS_H_
