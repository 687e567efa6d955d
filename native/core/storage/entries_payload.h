// Layout 1 of docs/format.md: entries in the order of (fingerprint, id, time, tag, second), column by column.
#ifndef NEARDUP_CORE_STORAGE_ENTRIES_PAYLOAD_H_
#define NEARDUP_CORE_STORAGE_ENTRIES_PAYLOAD_H_

#include <cstdint>
#include <vector>

#include "core/index/entry.h"
#include "core/storage/payload.h"

namespace neardup {

// A payload made of entries, which it keeps. Immutable, thread-safe.
class EntriesImage {
 public:
  // The entries are in order.
  explicit EntriesImage(EntryList entries);
  EntriesImage(const EntriesImage&) = delete;
  EntriesImage& operator=(const EntriesImage&) = delete;

  // Of a payload of so many entries.
  static uint64_t LengthOf(uint64_t entries, ColumnSet columns);
  // Copies the bytes offset..offset + count - 1, which lie within the payload.
  void Read(uint64_t offset, uint8_t* out, uint64_t count) const;

 private:
  struct Section {
    uint64_t offset, length;
    const void* data;
  };
  const EntryList entries_;
  std::vector<uint64_t> description_;
  std::vector<Section> sections_;
};

// The entries of a payload of layout kEntries, whose header is as ReadHeader gave it; in place, for as long
// as the file is kept. Checks where they are, not what they are: kCorrupt.
Status ViewEntries(const SegmentFile& file, const PayloadHeader& header, ColumnSet columns,
                   EntryColumns* entries);

// Checks numbers and order of the entries from..to-1 of such a view: kCorrupt.
Status CheckEntries(const SegmentFile& file, const EntryColumns& entries, uint64_t from, uint64_t to);

// ViewEntries, and a check of all of it, checksums and order included: kCorrupt. O(n).
Status OpenEntries(const SegmentFile& file, const PayloadHeader& header, ColumnSet columns,
                   EntryColumns* entries);

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_ENTRIES_PAYLOAD_H_
