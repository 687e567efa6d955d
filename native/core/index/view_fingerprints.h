// The fingerprints of a view without its columns, read straight from the tables of its segments; and the
// entries of some of them. What a self-join needs, without listing all entries.
#ifndef NEARDUP_CORE_INDEX_VIEW_FINGERPRINTS_H_
#define NEARDUP_CORE_INDEX_VIEW_FINGERPRINTS_H_

#include <cstdint>
#include <vector>

#include "core/base/job_control.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/index/listing.h"
#include "core/index/self_join.h"
#include "core/index/view.h"

namespace neardup {

// A growing list of words, in blocks that the system can map as huge pages. Not thread-safe.
class WordList {
 public:
  // Throws std::bad_alloc.
  void Append(const uint64_t* words, size_t count);
  // The last word; the list is not empty.
  uint64_t back() const { return blocks_.back().as<uint64_t>()[used_ - 1]; }
  bool empty() const { return blocks_.empty(); }
  // The words, block by block.
  void AddTo(std::vector<Words>* spans) const;

 private:
  std::vector<Buffer> blocks_;
  size_t used_ = 0;  // Words of the last block.
};

// Reading is thread-safe once it is made.
class ViewFingerprints {
 public:
  // Takes 8 bytes a fingerprint; std::bad_alloc, or kOutOfMemory, where they are refused; kAborted after a
  // cancellation. The view must outlive it.
  static Status Read(const View& view, unsigned threads, JobControl* control, ViewFingerprints* out);

  // Each fingerprint once for each segment that has it, and once for the others together; those of removed
  // entries are not among them. In no order of note.
  const std::vector<Words>& all() const { return all_; }
  // Those that several entries of one segment have, or of the others. In no order of note.
  const std::vector<uint64_t>& repeated() const { return repeated_; }

  // Lists the entries, without columns, that have one of these fingerprints, which ascend. A few reads of
  // memory each; statuses as above.
  Status ListEntries(const uint64_t* fingerprints, size_t count, unsigned threads, JobControl* control,
                     Listing* out) const;

 private:
  // Parts of a segment in tables that are read together, and what was read.
  struct Stretch {
    const SegmentPart* part;
    size_t first, last;
    WordList fingerprints;
    std::vector<uint64_t> repeated;
  };
  static void ReadStretch(Stretch* stretch);
  // Appends the entries of a few fingerprints, which ascend, in order.
  void LookUp(const uint64_t* fingerprints, size_t count, std::vector<WordAndValue>* entries) const;

  std::vector<const SegmentPart*> in_tables_;
  Listing others_;  // The entries of heads, and of segments without tables.
  std::vector<WordList> held_;
  std::vector<Words> all_;
  std::vector<uint64_t> repeated_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_VIEW_FINGERPRINTS_H_
