// The index: a head of fresh entries, full heads that wait, and immutable segments, each about twice as large
// as the next or more. Background threads make segments of full heads and merge segments; the results are
// taken by the next call. So adding n entries costs O(n log n) off the thread, a query reads O(log n) parts,
// and no call waits for a merge, except that adding waits when the heads fill faster than they can be sorted.
// Exact at every moment. One thread at a time; snapshots may go to others. Calls that throw std::bad_alloc
// lose nothing that was held; AddIfNew may have added the first entries of its batch.
#ifndef NEARDUP_CORE_INDEX_INDEX_H_
#define NEARDUP_CORE_INDEX_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/status.h"
#include "core/base/thread_pool.h"
#include "core/index/entry.h"
#include "core/index/merge.h"
#include "core/index/segment_planner.h"
#include "core/index/view.h"
#include "core/storage/segment_file.h"

namespace neardup {

class StoredPart;

struct IndexOptions {
  unsigned max_distance = 3;  // At most kMaxDistance.
  ColumnSet columns;
  double bytes_per_entry = 0;  // For SegmentPlanner.
  // Smaller values let tests reach many segments, or the limit of a result, with little data.
  uint64_t head_entries = uint64_t{1} << 16;
  uint64_t max_matches = uint64_t{1} << 29;
  uint64_t small_merge = uint64_t{1} << 22;  // Merges of more entries are large.
  // Called on a background thread when a merge has ended: Poll takes its result.
  std::function<void()> on_merge_end;
};

// What became of each entry of AddIfNew.
struct AddOutcome {
  bool added;
  Match nearest;  // Where not added.
};

class Index {
 public:
  explicit Index(const IndexOptions& options);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  const IndexOptions& options() const { return options_; }
  uint64_t size() const;
  uint64_t bytes() const;
  uint64_t mapped_bytes() const { return parts_.mapped_bytes(); }

  // All or, where memory is refused, none.
  Status Add(const EntryColumns& entries);

  // Adds a segment that another thread has made, with this planner and these columns.
  void AddSegment(std::shared_ptr<const Segment> segment);
  std::shared_ptr<const SegmentPlanner> planner() const { return planner_; }

  // In order, adds each entry if nothing held (earlier ones of the batch included) matches it: within
  // `distance`, of the same tag where there are tags, within `second_distance` of its second fingerprint
  // where there are those.
  Status AddIfNew(const EntryColumns& entries, unsigned distance, unsigned second_distance,
                  std::vector<AddOutcome>* outcomes);

  Status Query(const Queries& queries, const Search& search, QueryResult* result);

  // Removes every copy of an entry; returns how many there were.
  uint64_t Remove(uint64_t fingerprint, uint64_t id);
  // As above for all entries of before this time. kCorrupt, with nothing removed, where damage is met.
  Status RemoveBefore(uint64_t time, uint64_t* removed);

  // What is held now.
  View Snapshot();

  // Adds the entries of a segment file but those of the slots that are removed: bit i % 8 of removed[i / 8]
  // says so of slot i; slots beyond it are not. Tables are used where they are, in the file. kCorrupt where
  // the file, so far as it is read, cannot be a segment of these columns, or cannot have these slots.
  Status OpenSegment(const std::shared_ptr<SegmentFile>& file, const std::vector<uint8_t>& removed);
  // What is held now, as parts to be kept in files.
  std::vector<std::shared_ptr<StoredPart>> Checkpoint();
  // Whether a part that a checkpoint gave is still held, and then takes the file that was made of it in its
  // place. kCorrupt where that is not the same.
  bool Holds(const StoredPart& part) const;
  Status Adopt(const StoredPart& part, const std::shared_ptr<SegmentFile>& file);

  // Takes the results of merges that have ended and begins others.
  void Poll();
  bool merging() const { return small_ != nullptr || large_ != nullptr; }
  // Asks for one segment of all that is held now, without removed entries: made when the merges under way
  // have ended. Returns the number of the request; requests that come before that is begun are met together.
  uint64_t RequestCompaction();
  // Takes back the requests that are not begun.
  void AbandonCompaction();
  // Requests up to this number have ended, the last of them so.
  uint64_t compacted(Status* status) const;
  double compaction_progress() const { return compaction_ == nullptr ? 0 : compaction_->control.progress(); }

  const View& parts() const { return parts_; }

 private:
  // Puts an empty head behind the others.
  void StartHead();
  // Waits while many small parts are there to be merged and some are being merged.
  void WaitForRoom();
  void Take(std::shared_ptr<Merge>* merge);
  void Schedule();
  void StartMerge(std::shared_ptr<Merge>* merge);
  void BeginCompaction();
  uint64_t* RefusedAt(const std::shared_ptr<Merge>* merge) {
    return merge == &small_ ? &small_refused_at_ : &large_refused_at_;
  }
  // The parts worth merging now: full heads and small segments, or segments of any size.
  View ChooseParts(bool small) const;
  void Start(View parts, std::shared_ptr<Merge>* merge);
  // Gives back what may be gigabytes, which takes its time, on another thread.
  void Discard(std::shared_ptr<const void> memory);
  bool IsMerging(const SegmentPart& part) const;
  bool IsMerging(const HeadPart& part) const;

  const IndexOptions options_;
  const std::shared_ptr<const SegmentPlanner> planner_;
  const std::shared_ptr<ThreadPool> small_threads_, large_threads_;
  View parts_;                     // The last head is the one that is filled.
  std::shared_ptr<Head> filling_;  // The same.
  // A merge of heads and small segments, and one of large segments, which may take minutes.
  std::shared_ptr<Merge> small_, large_;
  std::shared_ptr<Merge> compaction_;  // The same as large_, while that is one.
  // Numbers of requests for compaction: the last one, the last one that is begun, and that has ended.
  uint64_t requested_ = 0, compacting_ = 0, compacted_ = 0;
  Status compaction_status_;
  bool parts_changed_ = false;  // Since merges were last chosen.
  // The size when a merge was refused memory: others of its kind wait for it to change.
  uint64_t small_refused_at_ = 0, large_refused_at_ = 0;
  // The copy of the last head that the last snapshot has, while it is like it.
  HeadPart copied_;
  ViewScratch scratch_;
  QueryResult nearest_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_INDEX_H_
