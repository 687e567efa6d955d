// Several parts of an index on their way to become one segment, while the index goes on. Its thread reads
// snapshots; what the index removes from the parts meanwhile, it tells the merge, which removes it from the
// result as well: what came before the end on its own thread, the rest when the result is taken.
#ifndef NEARDUP_CORE_INDEX_MERGE_H_
#define NEARDUP_CORE_INDEX_MERGE_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/job_control.h"
#include "core/base/status.h"
#include "core/index/segment_planner.h"
#include "core/index/view.h"

namespace neardup {

class Merge {
 public:
  // Merges the parts as they are now, of an index that holds `held` entries.
  Merge(View parts, ColumnSet columns, std::shared_ptr<const SegmentPlanner> planner, uint64_t held,
        unsigned threads)
      : parts_(std::move(parts)),
        columns_(columns),
        planner_(std::move(planner)),
        held_(held),
        threads_(threads) {}

  // On the merge's thread, once.
  void Run();

  JobControl control;

  // On the thread of the index.
  bool Has(const Segment* segment) const;
  bool Has(const Head* head) const;
  // A segment that it has goes on as another one with the same slots.
  void Adopt(std::shared_ptr<const Segment> segment) { adopted_.push_back(std::move(segment)); }
  void Remove(uint64_t fingerprint, uint64_t id);
  void RemoveBefore(uint64_t time);
  bool done() const;
  void Wait() const;
  // After the end: the result, whose segment is null where nothing was left.
  Status Take(SegmentPart* result);

 private:
  struct Removal {
    uint64_t fingerprint, id;
    uint64_t before;  // Not 0: all entries of before this time.
  };
  Status Build();
  void Note(const Removal& removal);
  void Apply(const std::vector<Removal>& removals);

  const View parts_;
  const ColumnSet columns_;
  const std::shared_ptr<const SegmentPlanner> planner_;
  const uint64_t held_;
  const unsigned threads_;
  Status status_;
  SegmentPart result_;
  // On the thread of the index. Kept, so that no other segment takes the address of one.
  std::vector<std::shared_ptr<const Segment>> adopted_;

  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool done_ = false;
  std::vector<Removal> removals_;  // Not yet applied.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_MERGE_H_
