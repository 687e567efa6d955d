#include "core/storage/segment_check.h"

#include <string>
#include <utility>

#include "core/storage/entries_payload.h"
#include "core/storage/segment_opener.h"
#include "kernels/prefetch.h"

namespace neardup {

namespace {

// What a step does: lines, entries, items of lists; and each look-up in a secondary table.
constexpr uint64_t kStepWork = uint64_t{1} << 15;

}  // namespace

Status SegmentCheck::Start(const std::shared_ptr<SegmentFile>& file, ColumnSet columns,
                           std::unique_ptr<SegmentCheck>* out) {
  PayloadHeader header;
  if (Status s = ReadHeader(*file, columns, &header); !s.ok()) return s;
  std::unique_ptr<SegmentCheck> check(new SegmentCheck(file));
  if (header.layout == PayloadLayout::kEntries) {
    if (Status s = ViewEntries(*file, header, columns, &check->columns_); !s.ok()) return s;
    check->stages_ = {&SegmentCheck::CheckOrder};
  } else {
    if (Status s = SegmentOpener::Open(file, header, columns, &check->segment_); !s.ok()) return s;
    if (Status s = check->StartTables(); !s.ok()) return s;
  }
  *out = std::move(check);
  return Status();
}

Status SegmentCheck::StartTables() {
  const std::vector<Table>& tables = segment_->planned_.tables_;
  for (size_t t = 0; t < tables.size(); ++t) tables_.emplace_back(tables[t], t + 1);
  words_.reserve(WordMap::kMaxAll);
  reordered_.reserve(WordMap::kMaxAll);
  stages_ = {&SegmentCheck::CheckSecondaries, &SegmentCheck::CheckRows};
  if (!segment_->has_columns()) return Status();
  stages_.insert(stages_.begin(), &SegmentCheck::CheckColumns);
  return Buffer::Allocate(static_cast<size_t>(segment_->size() / 8 + 1), &seen_);
}

Status SegmentCheck::Step(bool* done) {
  if ((this->*stages_[stage_])()) ++stage_;
  *done = stage_ == stages_.size();
  return status_;
}

bool SegmentCheck::Wrong(const std::string& what) {
  status_ = file_->Corrupt(what);
  return true;
}

bool SegmentCheck::CheckOrder() {
  const uint64_t end = std::min<uint64_t>(columns_.count, next_entry_ + kStepWork);
  status_ = CheckEntries(*file_, columns_, next_entry_, end);
  next_entry_ = end;
  return !status_.ok() || end == columns_.count;
}

bool SegmentCheck::CheckColumns() {
  const Segment& segment = *segment_;
  const uint64_t end = std::min(segment.size(), next_entry_ + kStepWork);
  for (uint64_t i = next_entry_; i < end; ++i) {
    const uint64_t id = segment.ids_[i];
    if (id > kMaxId || (segment.columns_.time && segment.times_[i] > kMaxId))
      return Wrong("the id or time of entry " + std::to_string(i) + " is over 2^53 - 1");
    if (id < last_value_) return Wrong("the id of entry " + std::to_string(i) + " is out of order");
    last_value_ = id;
  }
  next_entry_ = end;
  return end == segment.size();
}

// Headers and runs of the secondary tables.
bool SegmentCheck::CheckSecondaries() {
  uint64_t word, row;
  for (uint64_t work = 0; work < kStepWork && next_table_ < tables_.size(); ++work) {
    TableCheck& table = tables_[next_table_];
    switch (table.Next(&word, &row)) {
      case TableCheck::Found::kWrong:
        return Wrong(table.wrong());
      case TableCheck::Found::kEnd:
        if (table.lanes() > segment_->planned_.distinct_)
          return Wrong("table " + std::to_string(next_table_ + 1) + ": it has more lanes than fingerprints");
        ++next_table_;
        break;
      default:
        break;
    }
  }
  return next_table_ == tables_.size();
}

// Entries of the primary table, and whether the other ones lead to each fingerprint.
bool SegmentCheck::CheckRows() {
  uint64_t word, row;
  for (uint64_t work = 0; work < kStepWork; ++work) {
    if (next_item_ < list_end_) {
      if (!CheckItem()) return true;
      continue;
    }
    switch (tables_[0].Next(&word, &row)) {
      case TableCheck::Found::kWrong:
        return Wrong(tables_[0].wrong());
      case TableCheck::Found::kEnd:
        if (CheckLanes()) CheckEnd();
        return true;
      case TableCheck::Found::kLine:
        continue;
      case TableCheck::Found::kEntry:
        break;
    }
    ++distinct_;
    if (!CheckRow(row)) return true;
    words_.push_back(word);
    if (words_.size() < WordMap::kMaxAll) continue;
    if (!CheckLanes()) return true;
    work += WordMap::kMaxAll * (tables_.size() - 1);
  }
  return false;
}

// These give false where something is wrong.

bool SegmentCheck::CheckRow(uint64_t row) {
  const IdList& ids = segment_->planned_.ids_;
  const uint64_t value = PackedGet(ids.rows_.data(), row, ids.width_);
  if (ids.list_items_ == 0) return CheckValue(value);
  if ((value & 1) == 0) return CheckValue(value >> 1);
  uint64_t first, end;
  if (value >> 1 != list_end_ || !ids.ListAt(value >> 1, &first, &end) || end - first < 2)
    return !Wrong("row " + std::to_string(row) + " has a wrong list");
  next_item_ = first;
  list_end_ = end;
  list_row_ = row;
  last_value_ = 0;
  return true;
}

bool SegmentCheck::CheckItem() {
  const IdList& ids = segment_->planned_.ids_;
  const uint64_t value = PackedGet(ids.lists_.data(), next_item_++, ids.width_);
  if (value < last_value_) return !Wrong("the list of row " + std::to_string(list_row_) + " is out of order");
  last_value_ = value;
  return CheckValue(value);
}

// An id; with columns, a number, each once.
bool SegmentCheck::CheckValue(uint64_t value) {
  ++entries_;
  if (!segment_->has_columns()) return value <= kMaxId || !Wrong("an id is over 2^53 - 1");
  if (value >= segment_->size()) return !Wrong("a row has an entry that there is not");
  uint8_t& byte = seen_.data()[value / 8];
  const auto bit = static_cast<uint8_t>(1u << value % 8);
  if ((byte & bit) != 0) return !Wrong("two rows have the same entry");
  byte = static_cast<uint8_t>(byte | bit);
  return true;
}

// Looks the gathered words up in the secondary tables.
bool SegmentCheck::CheckLanes() {
  const std::vector<Table>& tables = segment_->planned_.tables_;
  const size_t count = words_.size();
  tables[0].map().DecodeAll(words_.data(), count);
  for (size_t t = 1; t < tables.size(); ++t) {
    const Table& table = tables[t];
    reordered_ = words_;
    table.map().EncodeAll(reordered_.data(), count);
    for (const uint64_t word : reordered_) kernels::Prefetch(table.LineOf(table.map().BucketOf(word)));
    for (const uint64_t word : reordered_) {
      if (!tables_[t].HasLane(table.map().BucketOf(word), static_cast<uint32_t>(word)))
        return !Wrong("table " + std::to_string(t + 1) + ": a fingerprint is not in its line");
    }
  }
  words_.clear();
  return true;
}

bool SegmentCheck::CheckEnd() {
  if (distinct_ != segment_->planned_.distinct_ || entries_ != segment_->size())
    return !Wrong("it has another number of entries than it says");
  return list_end_ == segment_->planned_.ids_.list_items_ || !Wrong("it has lists that no row leads to");
}

}  // namespace neardup
