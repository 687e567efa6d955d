// A part of what an index held at one moment, as the payload of a segment file. The payload has a slot for
// each entry of the part, removed ones too, and the slots are the part's own; of a head, it has those entries
// alone that are held. One thread at a time.
#ifndef NEARDUP_CORE_STORAGE_STORED_PART_H_
#define NEARDUP_CORE_STORAGE_STORED_PART_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/index/view.h"
#include "core/storage/entries_payload.h"
#include "core/storage/segment_image.h"

namespace neardup {

class StoredPart {
 public:
  // One of the view's segments or heads, of an index with these columns.
  StoredPart(SegmentPart part, ColumnSet columns);
  StoredPart(HeadPart part, ColumnSet columns);

  // Of the file that has the payload already; null: there is none.
  const std::string* name() const { return name_.get(); }
  // Entries held, without those that are removed.
  uint64_t entries() const { return part_.size(); }
  // Bit i % 8 of byte i / 8 is 1 where slot i of the payload is removed. Empty: none is.
  std::vector<uint8_t> RemovedSlots() const;
  uint64_t length() const;
  // Copies the bytes offset..offset + count - 1 of the payload, which lie within length(). The first call may
  // sort. kOutOfMemory, or std::bad_alloc; kCorrupt.
  Status Read(uint64_t offset, uint8_t* out, uint64_t count);
  // The segment that it is; null: a head.
  const Segment* segment() const {
    return part_.segments.empty() ? nullptr : part_.segments[0].segment.get();
  }

 private:
  Status Make();

  View part_;
  const ColumnSet columns_;
  std::shared_ptr<const std::string> name_;
  std::unique_ptr<const SegmentImage> tables_;
  std::unique_ptr<const EntriesImage> entries_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_STORED_PART_H_
