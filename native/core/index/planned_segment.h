// An immutable set of (fingerprint, id) entries that answers exactly which fingerprints are within k bits.
// Equal fingerprints share one row, which lists their ids. Reading is thread-safe; a QueryScratch is not.
#ifndef NEARDUP_CORE_INDEX_PLANNED_SEGMENT_H_
#define NEARDUP_CORE_INDEX_PLANNED_SEGMENT_H_

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/base/work_control.h"
#include "core/index/entry_source.h"
#include "core/index/id_list.h"
#include "core/index/plan.h"
#include "core/index/table.h"
#include "kernels/prefetch.h"

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
    uint32_t query, bucket;  // Of the primary table.
    const uint8_t* line;
  };
  struct Found {
    uint32_t query, distance;
    uint64_t fingerprint;
    const uint8_t* line;  // Of the primary table; none for an overflow entry, whose row is known.
    uint64_t slot_or_row;
  };
  Block blocks_[2];
  std::vector<uint64_t> words_;  // Of the round's queries, table by table.
  std::vector<uint32_t> near_, near_lines_, continuing_lines_;
  std::vector<Continued> continued_, continuing_;
  std::vector<Pending> pending_;
  std::vector<Found> found_;
};

struct BuildOptions {
  unsigned threads = 1;
  // Bytes to work in beside the source and the result, about; 0: 16 for each entry (12 where ids fit 32
  // bits), which is fastest. With less, the source is read several times over, once for each partition that
  // fits. Equal fingerprints need more: 40 bytes for each entry of the most crowded superblock.
  uint64_t work_memory = 0;
  WorkControl control;
};

class PlannedSegment {
 public:
  static constexpr size_t kMaxBatch = size_t{1} << 26;

  // The same segment, to the byte, for any order of the entries and any options. A failure leaves *out as it
  // was: kOutOfRange for a plan that IsBuildable refuses, or ids over 56 bits; kOutOfMemory when memory was
  // refused, also where an allocation of the library threw std::bad_alloc; kAborted when it was cancelled.
  static Status Build(const Plan& plan, EntrySource* source, const BuildOptions& options,
                      PlannedSegment* out);
  static Status Build(const Plan& plan, const uint64_t* fingerprints, const uint64_t* ids, size_t count,
                      unsigned threads, PlannedSegment* out);

  uint64_t size() const { return size_; }                   // Entries.
  uint64_t fingerprint_count() const { return distinct_; }  // Distinct fingerprints.
  const Plan& plan() const { return plan_; }
  uint64_t bytes() const;
  const std::vector<Table>& tables() const { return tables_; }
  const IdList& ids() const { return ids_; }

  // Appends the matches of each of up to kMaxBatch queries, by query, distance, fingerprint. k is at most the
  // plan's max_distance. Ends early when there are more than max_matches; returns how many queries were
  // answered, at least one. The ids of the last matches are on their way to the cache.
  size_t QueryBatch(const uint64_t* queries, size_t count, unsigned k, size_t max_matches,
                    QueryScratch* scratch, std::vector<RowMatch>* matches) const;

  // Asks for the line that Find reads first, some fingerprints ahead of it.
  void PrefetchFind(uint64_t fingerprint) const {
    if (tables_.empty()) return;
    const Table& primary = tables_[0];
    const uint64_t word = primary.map().Encode(order_.Arrange(fingerprint));
    kernels::Prefetch(primary.LineOf(primary.map().BucketOf(word)));
  }
  // The row of a stored fingerprint.
  bool Find(uint64_t fingerprint, uint64_t* row) const;

  // Entries have slots: numbers below slot_count(), some unused, that never change. The single entry of a row
  // has the row's number; those of a row with several have numbers of their own.
  uint64_t slot_count() const { return tables_.empty() ? 0 : tables_[0].row_count() + ids_.list_items(); }
  // Calls body(slot, id) for the entries of a row, by ascending id, until it returns false; leaves out the
  // first ones, for which is_before(id).
  template <typename IsBefore, typename Body>
  void ForEachSlot(uint64_t row, const IsBefore& is_before, const Body& body) const {
    const uint64_t rows = tables_[0].row_count();
    ids_.ForEachPlace(row, is_before, [&](uint64_t place, uint64_t id) {
      return body(place == IdList::kInRow ? row : rows + place, id);
    });
  }
  // The segment cut into parts that can be read by different threads.
  size_t parts() const { return tables_.empty() ? 0 : tables_[0].superblocks(); }
  // Calls body(fingerprints, rows, count) for the rows of the parts first..last-1, up to WordMap::kMaxAll at
  // a time.
  template <typename Body>
  void ReadRows(size_t first, size_t last, const Body& body) const {
    DecodedBlock<Body> block(*this, body);
    tables_[0].ForEach(first, last, [&](uint64_t word, uint64_t row) { block.Push(word, row); });
    block.Flush();
  }
  // Calls body(fingerprints, ids, count) for the entries of the parts first..last-1 whose slots are not left
  // out, up to WordMap::kMaxAll at a time.
  template <typename LeaveOut, typename Body>
  void ReadEntries(size_t first, size_t last, const LeaveOut& leave_out, const Body& body) const {
    DecodedBlock<Body> block(*this, body);
    tables_[0].ForEach(first, last, [&](uint64_t word, uint64_t row) {
      ForEachSlot(
          row, [](uint64_t) { return false; },
          [&](uint64_t slot, uint64_t id) {
            if (!leave_out(slot)) block.Push(word, id);
            return true;
          });
    });
    block.Flush();
  }
  // Calls body(fingerprint, id, slot) for the entries of the parts first..last-1, in a fixed order.
  template <typename Body>
  void ForEachEntry(size_t first, size_t last, Body&& body) const {
    const Table& primary = tables_[0];
    primary.ForEach(first, last, [&](uint64_t word, uint64_t row) {
      const uint64_t fingerprint = order_.Restore(primary.map().Decode(word));
      ForEachSlot(
          row, [](uint64_t) { return false; },
          [&](uint64_t slot, uint64_t id) { return body(fingerprint, id, slot), true; });
    });
  }

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
  // Words of the primary table on their way to body(fingerprints, values, count).
  template <typename Body>
  class DecodedBlock {
   public:
    DecodedBlock(const PlannedSegment& segment, const Body& body) : segment_(segment), body_(body) {}
    void Push(uint64_t word, uint64_t value) {
      words_[count_] = word;
      values_[count_] = value;
      if (++count_ == WordMap::kMaxAll) Flush();
    }
    void Flush() {
      if (count_ == 0) return;
      segment_.tables_[0].map().DecodeAll(words_, count_);
      for (size_t i = 0; i < count_; ++i) words_[i] = segment_.order_.Restore(words_[i]);
      body_(words_, values_, count_);
      count_ = 0;
    }

   private:
    const PlannedSegment& segment_;
    const Body& body_;
    uint64_t words_[WordMap::kMaxAll], values_[WordMap::kMaxAll];
    size_t count_ = 0;
  };

  friend class PlannedQuery;
  friend class SegmentBuilder;
  friend class SegmentImage;
  friend class SegmentOpener;
  friend class SegmentCheck;
  Plan plan_;
  BitOrder order_;
  std::vector<uint64_t> key_masks_;
  std::vector<Table> tables_;
  IdList ids_;
  uint64_t size_ = 0, distinct_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PLANNED_SEGMENT_H_
