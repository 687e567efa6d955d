#include "core/storage/payload.h"

namespace neardup {

namespace {

constexpr uint64_t kMaxLength = uint64_t{1} << 53;

}  // namespace

Status ReadHeader(const SegmentFile& file, ColumnSet columns, PayloadHeader* header) {
  if (file.length() < 8 * PayloadHeader::kWords || file.length() > kMaxLength)
    return file.Corrupt("it has no description");
  if (Status s = file.CheckHead(8 * PayloadHeader::kWords); !s.ok()) return s;
  const auto word = [&](size_t i) { return Load64(file.data() + 8 * i); };
  header->layout = static_cast<PayloadLayout>(word(0));
  header->entries = word(1);
  header->head = word(3);
  header->words = word(4);
  if (header->layout != PayloadLayout::kEntries && header->layout != PayloadLayout::kTables)
    return file.Corrupt("its layout is unknown");
  if (word(2) != ColumnBits(columns)) return file.Corrupt("it is not a segment of the index's columns");
  if (header->head > file.length() || header->words < PayloadHeader::kWords ||
      header->words > header->head / 8)
    return file.Corrupt("its description leaves the head");
  return Status();
}

}  // namespace neardup
