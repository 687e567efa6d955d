// What all payloads of segment files have in common: how they begin (docs/format.md).
#ifndef NEARDUP_CORE_STORAGE_PAYLOAD_H_
#define NEARDUP_CORE_STORAGE_PAYLOAD_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/index/entry.h"
#include "core/storage/segment_file.h"

namespace neardup {

enum class PayloadLayout : uint64_t { kEntries = 1, kTables = 2 };

// The first words of the description.
struct PayloadHeader {
  static constexpr uint64_t kWords = 5;
  PayloadLayout layout;
  uint64_t entries;
  uint64_t head;   // Bytes that are checked when the file is opened.
  uint64_t words;  // Of the description.
};

// Checks that the payload is one of these columns with a description within the head, and the checksum of
// what says so. kCorrupt.
Status ReadHeader(const SegmentFile& file, ColumnSet columns, PayloadHeader* header);

// The number that says which columns there are.
inline uint64_t ColumnBits(ColumnSet columns) {
  return (columns.time ? 1u : 0u) | (columns.tag ? 2u : 0u) | (columns.second ? 4u : 0u);
}

// Sections start at multiples of 64.
inline uint64_t AlignSection(uint64_t offset) { return (offset + 63) / 64 * 64; }
// Whether a section lies within from..to-1, and starts where it may.
inline bool IsSection(uint64_t offset, uint64_t length, uint64_t from, uint64_t to) {
  return offset % 64 == 0 && offset >= from && offset <= to && length <= to - offset;
}

// Copies the bytes offset..offset + count - 1 of a payload that is made of sections, with zeros between them.
template <typename Section>
void ReadSections(const std::vector<Section>& sections, uint64_t offset, uint8_t* out, uint64_t count) {
  if (count == 0) return;
  std::memset(out, 0, count);
  for (const Section& section : sections) {
    const uint64_t from = std::max(offset, section.offset);
    const uint64_t to = std::min(offset + count, section.offset + section.length);
    if (from >= to) continue;
    std::memcpy(out + (from - offset), static_cast<const uint8_t*>(section.data) + (from - section.offset),
                to - from);
  }
}

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_PAYLOAD_H_
