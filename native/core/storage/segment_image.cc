#include "core/storage/segment_image.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardup {

SegmentImage::SegmentImage(std::shared_ptr<const Segment> segment) : segment_(std::move(segment)) {
  const PlannedSegment& planned = segment_->planned_;
  const Plan& plan = planned.plan_;
  const ColumnSet columns = segment_->columns_;
  Push(static_cast<uint64_t>(PayloadLayout::kTables));
  Push(segment_->size_);
  Push(ColumnBits(columns));
  Push(0);  // The length of the head and of the description, when they are known.
  Push(0);
  Push(planned.distinct_);
  Push(plan.max_distance);
  uint64_t bits;
  std::memcpy(&bits, &plan.load, 8);
  Push(bits);
  for (size_t i = 0; i < plan.order.size(); i += 8) {
    std::memcpy(&bits, &plan.order[i], 8);
    Push(bits);
  }
  Push(plan.tables.size());
  for (size_t t = 0; t < plan.tables.size(); ++t)
    Push(planned.tables_[t], plan.tables[t], t == 0 ? 0 : planned.key_masks_[0]);
  Push(planned.ids_.width_);
  Push(planned.ids_.list_items_);
  Push(planned.ids_.rows_, false);
  Push(planned.ids_.lists_, false);
  if (columns.any()) Push(segment_->ids_);
  if (columns.time) Push(segment_->times_);
  if (columns.tag) Push(segment_->tags_, false);
  if (columns.second) Push(segment_->seconds_, false);

  description_[4] = description_.size();
  const uint64_t head = Place(&head_, 8 * description_.size());
  description_[3] = AlignSection(head);
  length_ = Place(&sections_, head);
  sections_.insert(sections_.begin(), head_.begin(), head_.end());
  sections_.insert(sections_.begin(),
                   {reinterpret_cast<const uint8_t*>(description_.data()), 8 * description_.size(), 0});
}

void SegmentImage::Push(const Buffer& section, bool in_head) {
  (in_head ? head_ : sections_).push_back({section.data(), section.size(), description_.size()});
  Push(0);
  Push(0);
}

void SegmentImage::Push(const Table& table, const TablePlan& plan, uint64_t last) {
  Push(plan.key.size());
  for (const BitRange range : plan.key) Push(range.low + 256u * range.width);
  Push(plan.radius);
  Push(plan.codes.size());
  for (const CodeKind kind : plan.codes) Push(static_cast<uint64_t>(kind));
  Push(plan.bucket_bits);
  Push(last);
  Push(table.capacity_);
  Push(table.tail_bits_);
  Push(table.range_bits_);
  Push(table.superblock_shift_);
  Push(table.superblocks_);
  Push(table.home_rows_);
  Push(table.overflow_items_);
  Push(table.stats_.lines);
  Push(table.stats_.entries);
  Push(table.stats_.overflowing_lines);
  Push(table.stats_.overflow_entries);
  Push(table.stats_.longest_run);
  Push(table.directory_, true);
  Push(table.lines_, false);
  Push(table.overflow_, false);
  Push(table.overflow_base_, true);
  Push(table.ranks_, false);
}

void SegmentImage::Push(const PackedColumn& column) {
  Push(column.least_);
  Push(column.width_);
  Push(column.items_, false);
}

uint64_t SegmentImage::Place(std::vector<Section>* sections, uint64_t at) {
  for (Section& section : *sections) {
    section.offset = AlignSection(at);
    description_[section.word] = section.offset;
    description_[section.word + 1] = section.length;
    at = section.offset + section.length;
  }
  return at;
}

void SegmentImage::Read(uint64_t offset, uint8_t* out, uint64_t count) const {
  ReadSections(sections_, offset, out, count);
}

}  // namespace neardup
