// An immutable set of (fingerprint, id) entries that answers exactly which fingerprints are within k bits.
// Equal fingerprints share one row, which lists their ids. Reading is thread-safe; a QueryScratch is not.
#ifndef NEARDUP_CORE_INDEX_PLANNED_SEGMENT_H_
#define NEARDUP_CORE_INDEX_PLANNED_SEGMENT_H_

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/index/id_list.h"
#include "core/index/plan.h"
#include "core/index/table.h"

namespace neardup {

// A fingerprint within reach of a query.
struct RowMatch {
  uint32_t query;  // Its place in the batch.
  uint32_t distance;
  uint64_t fingerprint;
  uint64_t row;  // For PlannedSegment::ids().
};

// Memory that queries work in; one per thread, reused between batches.
class QueryScratch {
 public:
  // Cost so far: lines read in tables, overflow runs read, entries resolved in the primary table.
  struct Counters {
    uint64_t probes = 0, runs = 0, run_items = 0, resolved = 0;
  };
  Counters counters;

 private:
  friend class PlannedQuery;
  struct Block {
    std::vector<const uint8_t*> lines;
    std::vector<uint32_t> lanes, buckets, owners;
    size_t count = 0;
  };
  struct Continued {
    Table::Run run;
    uint32_t owner, lane, bucket;
  };
  struct Pending {
    uint32_t owner, lane, bucket, primary_bucket;
    const uint8_t* line;
  };
  struct Found {
    uint32_t query, distance;
    uint64_t fingerprint;
    const uint8_t* line;  // Of the primary table; none for an overflow entry, whose row is known.
    uint64_t slot_or_row;
  };
  Block blocks_[2];
  std::vector<uint32_t> near_;
  std::vector<Continued> continued_, continuing_;
  std::vector<Pending> pending_;
  std::vector<Found> found_;
};

class PlannedSegment {
 public:
  static constexpr size_t kMaxBatch = size_t{1} << 26;

  // The result does not depend on the order of the entries or on `threads`. Needs about 40 bytes per entry
  // beside the result while it works. kOutOfRange for a plan that IsBuildable refuses.
  static Status Build(const Plan& plan, const uint64_t* fingerprints, const uint64_t* ids, size_t count,
                      unsigned threads, PlannedSegment* out);

  uint64_t size() const { return size_; }                   // Entries.
  uint64_t fingerprint_count() const { return distinct_; }  // Distinct fingerprints.
  const Plan& plan() const { return plan_; }
  uint64_t slot_count() const { return ids_.slot_count(); }
  uint64_t bytes() const;
  const std::vector<Table>& tables() const { return tables_; }
  const IdList& ids() const { return ids_; }

  // Appends the matches of each of up to kMaxBatch queries, by query, distance, fingerprint. k is at most the
  // plan's max_distance. Ends early when there are more than max_matches; returns how many queries were
  // answered, at least one. The ids of the last matches are on their way to the cache.
  size_t QueryBatch(const uint64_t* queries, size_t count, unsigned k, size_t max_matches,
                    QueryScratch* scratch, std::vector<RowMatch>* matches) const;

  // The row of a stored fingerprint.
  bool Find(uint64_t fingerprint, uint64_t* row) const;

  // Calls body(fingerprint, row) for each distinct fingerprint, in a fixed order.
  template <typename Body>
  void ForEachFingerprint(Body&& body) const {
    if (tables_.empty()) return;
    const Table& primary = tables_[0];
    primary.ForEach(0, primary.superblocks(), [&](uint64_t word, uint64_t row) {
      body(order_.Restore(primary.map().Decode(word)), row);
    });
  }

 private:
  friend class PlannedQuery;
  Plan plan_;
  BitOrder order_;
  std::vector<uint64_t> key_masks_;
  std::vector<Table> tables_;
  IdList ids_;
  uint64_t size_ = 0, distinct_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PLANNED_SEGMENT_H_
