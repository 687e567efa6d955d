// Chooses the plan of each segment of an index: the fastest that keeps to the bytes per entry that were asked
// for. Plans of small segments are remembered, as choosing takes longer than building them. Immutable,
// thread-safe.
#ifndef NEARDUP_CORE_INDEX_SEGMENT_PLANNER_H_
#define NEARDUP_CORE_INDEX_SEGMENT_PLANNER_H_

#include <cstdint>

#include "core/index/planner.h"

namespace neardup {

// Bytes per entry that a compact index of `count` entries takes.
double CompactBytes(uint64_t count);
// The most that a fast one takes.
constexpr double kFastBytes = 64;

class SegmentPlanner {
 public:
  // bytes_per_entry: 0 is CompactBytes, whatever is over kFastBytes is that.
  SegmentPlanner(unsigned max_distance, double bytes_per_entry)
      : max_distance_(max_distance), bytes_per_entry_(bytes_per_entry) {}

  unsigned max_distance() const { return max_distance_; }
  // `scan` where comparing all entries is as fast as anything. The sample tells how the bits are
  // spread. Where the index holds many times as many entries, the segment may be a fast one:
  // what that takes is little.
  PlanOption Choose(uint64_t count, uint64_t held, unsigned id_bits, const uint64_t* sample,
                    size_t sample_count) const;

 private:
  PlanOption ChooseUniform(uint64_t count, double bytes, unsigned id_bits) const;
  PlanOption Remembered(uint64_t count, double bytes, unsigned id_bits) const;

  const unsigned max_distance_;
  const double bytes_per_entry_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SEGMENT_PLANNER_H_
