// The entries of several segments, but for those that are removed: what a merge builds from.
#ifndef NEARDUP_CORE_INDEX_SEGMENTS_SOURCE_H_
#define NEARDUP_CORE_INDEX_SEGMENTS_SOURCE_H_

#include <vector>

#include "core/index/entry_source.h"
#include "core/index/planned_segment.h"
#include "core/index/removed.h"

namespace neardup {

struct PlannedPart {
  const PlannedSegment* segment;
  Removed removed;  // Slots of the segment that are left out; each holds an entry.
};

// The segments must outlive it. What is removed is what was removed when the parts were copied.
class SegmentsSource : public EntrySource {
 public:
  explicit SegmentsSource(std::vector<PlannedPart> segments);
  uint64_t count() const override { return count_; }
  uint64_t id_bound() const override { return id_bound_; }
  size_t parts() const override { return parts_.size(); }
  void Read(size_t part, const Visit& visit) override;
  void Range(size_t part, const BitList& order, const TablePlan& table, uint64_t* least,
             uint64_t* greatest) const override;

 private:
  // Superblocks first..last-1 of a segment's primary table.
  struct Part {
    size_t segment, first, last;
  };
  const std::vector<PlannedPart> segments_;
  std::vector<Part> parts_;
  uint64_t count_ = 0, id_bound_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SEGMENTS_SOURCE_H_
