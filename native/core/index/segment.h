// An immutable part of the index: each distinct fingerprint once, ascending, with the ids that have it, and
// the tables to find it by. A query reports each row once: from the first table that finds it. Reading is
// thread-safe.
#ifndef NEARDUP_CORE_INDEX_SEGMENT_H_
#define NEARDUP_CORE_INDEX_SEGMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/index/block_table.h"
#include "core/index/entry.h"
#include "core/index/matches.h"

namespace neardup {

class Segment {
 public:
  // Most entries of one segment: rows and their starts are numbered in 32 bits.
  static constexpr uint64_t kMaxEntries = uint64_t{1} << 31;

  // Builds a segment of at most kMaxEntries entries for queries within max_distance. O(n log n). Throws
  // std::bad_alloc.
  static std::shared_ptr<const Segment> Build(std::vector<Entry> entries, unsigned max_distance);

  // Offers every id within `distance` (at most the planned one) bits of the fingerprint.
  void Query(uint64_t fingerprint, unsigned distance, Matches* matches) const;

  // Appends all entries to others.
  void CopyTo(std::vector<Entry>* entries) const;

  // Entries held, copies included.
  uint64_t size() const { return ids_.size(); }
  size_t bytes() const;

 private:
  void OfferRow(uint32_t row, unsigned distance, Matches* matches) const;

  std::vector<uint64_t> fingerprints_;
  // The ids of row r stand at starts_[r] to starts_[r + 1] - 1, ascending.
  std::vector<uint32_t> starts_;
  std::vector<uint64_t> ids_;
  std::vector<BlockTable> tables_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SEGMENT_H_
