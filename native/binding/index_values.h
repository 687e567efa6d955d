// Arguments and results of the index: EntryBatch, QueryBatch, Search, BatchMatches and the like of
// lib/engine.ts. On the JavaScript thread only.
#ifndef NEARDUP_BINDING_INDEX_VALUES_H_
#define NEARDUP_BINDING_INDEX_VALUES_H_

#include <napi.h>

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/index/index.h"
#include "core/index/listing.h"
#include "core/index/pair_reader.h"

namespace neardup::binding {

// The elements of a typed array: in place, or copied where it is asked for, or where other threads could
// write to them meanwhile.
template <typename Element>
struct Column {
  const Element* data = nullptr;
  std::vector<Element> copy;
};

// Arrays of a call, in place for its duration, or copied.
struct EntryArguments {
  size_t count = 0;
  Column<uint64_t> fingerprints, seconds;
  std::vector<uint64_t> ids, times;
  Column<uint32_t> tags;
  EntryColumns view() const;
};
Status ReadEntries(Napi::Env env, Napi::Value value, ColumnSet columns, bool copy, EntryArguments* entries);
// (fingerprints, ids).
Status ReadEntries(Napi::Env env, Napi::Value fingerprints, Napi::Value ids, EntryArguments* entries);

struct QueryArguments {
  size_t count = 0;
  Column<uint64_t> fingerprints, seconds;
  Column<uint32_t> tags;
  Queries view() const;
};
Status ReadQueries(Napi::Env env, Napi::Value value, ColumnSet columns, bool copy, QueryArguments* queries);

// *has_second: whether a second distance is given.
Status ReadSearch(Napi::Value value, Search* search, bool* has_second);
// A whole number from `low` to `high`; what is larger is read as `high`.
bool ReadNumber(Napi::Value value, uint64_t low, uint64_t high, uint64_t* number);
// {time, tag, second}.
Status ReadColumns(Napi::Value value, ColumnSet* columns);
Status ReadIndexOptions(Napi::Value value, IndexOptions* options);

Napi::Value MatchesValue(Napi::Env env, const QueryResult& result);
Napi::Value OutcomesValue(Napi::Env env, const std::vector<AddOutcome>& outcomes);
Napi::Value PairsValue(Napi::Env env, const std::vector<Pair>& pairs);
// Entries from..to-1 of a listing as an EntryBatch.
Napi::Value EntriesValue(Napi::Env env, const Listing& listing, ColumnSet columns, size_t from, size_t to);
Napi::Value StatsValue(Napi::Env env, const Index& index);

// Id and distance of each match, one after the other.
Napi::Value MatchList(Napi::Env env, const std::vector<Match>& matches);
}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_VALUES_H_
