#include "core/storage/stored_part.h"

#include <utility>

#include "core/index/listing.h"

namespace neardup {

StoredPart::StoredPart(SegmentPart part, ColumnSet columns) : columns_(columns), name_(part.name) {
  if (part.segment->planned() != nullptr) tables_ = std::make_unique<SegmentImage>(part.segment);
  part_.segments.push_back(std::move(part));
}

StoredPart::StoredPart(HeadPart part, ColumnSet columns) : columns_(columns) {
  part_.heads.push_back(std::move(part));
}

std::vector<uint8_t> StoredPart::RemovedSlots() const {
  std::vector<uint8_t> bits;
  if (part_.segments.empty() || part_.segments[0].removed.count() == 0) return bits;
  bits.resize(static_cast<size_t>((part_.segments[0].segment->slot_count() + 7) / 8));
  part_.segments[0].removed.ForEach(
      [&](uint64_t slot) { bits[slot / 8] = static_cast<uint8_t>(bits[slot / 8] | 1u << slot % 8); });
  return bits;
}

uint64_t StoredPart::length() const {
  if (tables_ != nullptr) return tables_->length();
  return EntriesImage::LengthOf(segment() != nullptr ? segment()->size() : entries(), columns_);
}

Status StoredPart::Read(uint64_t offset, uint8_t* out, uint64_t count) {
  if (tables_ != nullptr) return tables_->Read(offset, out, count), Status();
  if (entries_ == nullptr) {
    if (Status s = Make(); !s.ok()) return s;
  }
  return entries_->Read(offset, out, count), Status();
}

Status StoredPart::Make() {
  EntryList entries(columns_);
  if (segment() != nullptr) {  // In the order of slots, which is that of the listing.
    entries.Reserve(static_cast<size_t>(segment()->size()));
    segment()->ForEachEntry([&](const Entry& entry, uint64_t) { entries.Push(entry); });
  } else {
    JobControl control;
    Listing listing;
    if (Status s = Listing::Build(part_, columns_, 1, &control, &listing); !s.ok()) return s;
    entries.Reserve(listing.size());
    for (size_t i = 0; i < listing.size(); ++i) entries.Push(listing[i]);
  }
  entries_ = std::make_unique<EntriesImage>(std::move(entries));
  return Status();
}

}  // namespace neardup
