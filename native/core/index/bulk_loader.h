// Collects entries, batch after batch, and makes one segment of them; for loads so large that entries and
// segment do not fit the memory side by side. While entries are collected they take 12 bytes each (16 from
// the first id over 32 bits on); while the segment is built, that memory goes back piece by piece. The peak
// is that of the entries, or the size of the segment and some 2 bytes an entry more, whichever is greater.
//
// For one thread at a time.
#ifndef NEARDUP_CORE_INDEX_BULK_LOADER_H_
#define NEARDUP_CORE_INDEX_BULK_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/memory.h"
#include "core/base/packed_array.h"
#include "core/base/status.h"
#include "core/index/entry_source.h"
#include "core/index/planned_segment.h"
#include "core/index/planner.h"

namespace neardup {

class BulkLoader {
 public:
  // kOutOfMemory: a part of the batch may have been added.
  Status Add(const uint64_t* fingerprints, const uint64_t* ids, size_t count);
  uint64_t count() const { return count_; }
  unsigned id_bits() const { return BitWidth(max_id_); }
  // Memory held.
  uint64_t bytes() const;

  // Every so many of the fingerprints.
  std::vector<uint64_t> Sample() const;
  // The entries, to build from once, giving their memory back; the loader is empty then.
  std::unique_ptr<EntrySource> TakeEntries();

  // The fastest plan with tables for these entries, within the distance and the memory of the request if one
  // fits; its count and id bits are set here. Skewed data is told from a sample of all of them. Without
  // tables where no design is left: an unbuildable plan.
  Plan ChoosePlan(PlanRequest request) const;
  // Builds the segment and leaves the loader empty, also on failure: as PlannedSegment::Build. Without a
  // work_memory, the secondary tables take 4 bytes for each entry to be built in, 64 MiB at least.
  Status Finish(const Plan& plan, BuildOptions options, PlannedSegment* out);

 private:
  class Source;
  // Fingerprints, then ids of 4 or 8 bytes, in one piece of memory.
  struct Slab {
    Buffer buffer;
    uint32_t capacity, count;
    bool wide;
    uint64_t* fingerprints() { return buffer.as<uint64_t>(); }
    const uint64_t* fingerprints() const { return buffer.as<uint64_t>(); }
    uint64_t* wide_ids() { return fingerprints() + capacity; }
    uint32_t* narrow_ids() { return reinterpret_cast<uint32_t*>(fingerprints() + capacity); }
  };

  std::vector<Slab> slabs_;
  uint64_t count_ = 0, max_id_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_BULK_LOADER_H_
