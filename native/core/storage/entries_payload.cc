#include "core/storage/entries_payload.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardup {

namespace {

// Bytes of an item of each section.
std::vector<unsigned> ItemSizes(ColumnSet columns) {
  std::vector<unsigned> sizes = {8, 8};
  if (columns.time) sizes.push_back(8);
  if (columns.tag) sizes.push_back(4);
  if (columns.second) sizes.push_back(8);
  return sizes;
}

}  // namespace

uint64_t EntriesImage::LengthOf(uint64_t entries, ColumnSet columns) {
  const std::vector<unsigned> sizes = ItemSizes(columns);
  uint64_t end = 8 * (PayloadHeader::kWords + sizes.size());
  for (const unsigned size : sizes) end = AlignSection(end) + size * entries;
  return end;
}

EntriesImage::EntriesImage(EntryList entries) : entries_(std::move(entries)) {
  const EntryColumns view = entries_.view();
  const ColumnSet columns = entries_.columns();
  const uint64_t length = LengthOf(view.count, columns),
                 words = PayloadHeader::kWords + ItemSizes(columns).size();
  description_ = {static_cast<uint64_t>(PayloadLayout::kEntries), view.count, ColumnBits(columns), length,
                  words};
  uint64_t end = 8 * words;
  const auto place = [&](const void* data, unsigned size) {
    sections_.push_back({AlignSection(end), size * uint64_t{view.count}, data});
    description_.push_back(sections_.back().offset);
    end = sections_.back().offset + sections_.back().length;
  };
  place(view.fingerprints, 8);
  place(view.ids, 8);
  if (columns.time) place(view.times, 8);
  if (columns.tag) place(view.tags, 4);
  if (columns.second) place(view.seconds, 8);
  sections_.push_back({0, 8 * words, description_.data()});
}

void EntriesImage::Read(uint64_t offset, uint8_t* out, uint64_t count) const {
  ReadSections(sections_, offset, out, count);
}

Status ViewEntries(const SegmentFile& file, const PayloadHeader& header, ColumnSet columns,
                   EntryColumns* entries) {
  const std::vector<unsigned> sizes = ItemSizes(columns);
  if (header.head != file.length() || header.words != PayloadHeader::kWords + sizes.size() ||
      header.entries > file.length() / 16)
    return file.Corrupt("its description does not fit its length");
  const uint8_t* sections[5];
  uint64_t end = 8 * header.words;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const uint64_t offset = Load64(file.data() + 8 * (PayloadHeader::kWords + i));
    if (offset != AlignSection(end) || !IsSection(offset, sizes[i] * header.entries, end, file.length()))
      return file.Corrupt("section " + std::to_string(i + 1) + " has a wrong place or length");
    sections[i] = file.data() + offset;
    end = offset + sizes[i] * header.entries;
  }
  if (AlignSection(end) < file.length()) return file.Corrupt("it is longer than its sections");
  EntryColumns view;
  view.count = static_cast<size_t>(header.entries);
  size_t next = 0;
  const auto words = [&] { return reinterpret_cast<const uint64_t*>(sections[next++]); };
  view.fingerprints = words();
  view.ids = words();
  if (columns.time) view.times = words();
  if (columns.tag) view.tags = reinterpret_cast<const uint32_t*>(sections[next++]);
  if (columns.second) view.seconds = words();
  *entries = view;
  return Status();
}

Status CheckEntries(const SegmentFile& file, const EntryColumns& entries, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; ++i) {
    if (entries.ids[i] > kMaxId || (entries.times != nullptr && entries.times[i] > kMaxId))
      return file.Corrupt("the id or time of entry " + std::to_string(i) + " is over 2^53 - 1");
    if (i > 0 && ListedBefore(entries[i], entries[i - 1]))
      return file.Corrupt("entry " + std::to_string(i) + " is out of order");
  }
  return Status();
}

Status OpenEntries(const SegmentFile& file, const PayloadHeader& header, ColumnSet columns,
                   EntryColumns* entries) {
  EntryColumns view;
  if (Status s = file.EnsureVerified(); !s.ok()) return s;
  if (Status s = ViewEntries(file, header, columns, &view); !s.ok()) return s;
  if (Status s = CheckEntries(file, view, 0, view.count); !s.ok()) return s;
  *entries = view;
  return Status();
}

}  // namespace neardup
