// The in-memory index: a head of fresh entries that is scanned, and immutable segments, each at least twice
// as large as the next. A full head becomes a segment together with the smaller ones before it, so that
// adding n entries one at a time costs O(n log n) and a query reads O(log n) segments. Exact at every moment.
// Calls that throw std::bad_alloc lose nothing that was held; AddIfNew and very large Adds may have added the
// first entries of their batch. Not thread-safe.
#ifndef NEARDUP_CORE_INDEX_INDEX_H_
#define NEARDUP_CORE_INDEX_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/status.h"
#include "core/index/entry.h"
#include "core/index/matches.h"
#include "core/index/segment.h"

namespace neardup {

struct IndexOptions {
  unsigned max_distance = 3;  // At most kMaxDistance.
  // Smaller values let tests reach many segments, or the limit of a result, with little data.
  uint64_t head_entries = 1024;
  uint64_t max_matches = uint64_t{1} << 29;
};

// Answers of a batch: the matches of query i stand at offsets[i] to offsets[i + 1] - 1.
struct QueryResult {
  std::vector<uint64_t> offsets;
  std::vector<Match> matches;
};

// What became of each entry of AddIfNew.
struct AddOutcome {
  bool added;
  Match nearest;  // Where not added.
};

class Index {
 public:
  explicit Index(const IndexOptions& options) : options_(options), head_limit_(options.head_entries) {}

  // More than 2^30 entries are added in parts of that many; std::bad_alloc leaves whole parts added.
  void Add(const Entry* entries, size_t count);

  // In order, adds each entry if nothing held (earlier ones of the batch included) is within `distance`.
  std::vector<AddOutcome> AddIfNew(const Entry* entries, size_t count, unsigned distance);

  // The first `limit` (at least 1) matches of each fingerprint within `distance` (at most max_distance).
  // kOutOfMemory when there are more than max_matches.
  Status Query(const uint64_t* fingerprints, size_t count, unsigned distance, uint64_t limit,
               QueryResult* result);

  uint64_t size() const;
  size_t bytes() const;
  const IndexOptions& options() const { return options_; }

 private:
  // Leaves the first `limit` matches in matches_.
  void Find(uint64_t fingerprint, unsigned distance, uint64_t limit);
  // Makes one segment of the segments that are small beside it, the head, and more entries.
  void CompactHead(const Entry* more, size_t count);
  // As above; where memory is refused, the head stays as it is and grows on.
  void TryCompactHead();

  IndexOptions options_;
  // The head's size from which on it is made a segment; grows while memory for that is refused.
  uint64_t head_limit_;
  std::vector<Entry> head_;
  std::vector<std::shared_ptr<const Segment>> segments_;
  Matches matches_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_INDEX_H_
