#include "core/storage/segment_opener.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardup {

namespace {

constexpr uint64_t kMaxTables = 32, kMaxRanges = 32, kMaxCodes = 4;

}  // namespace

SegmentOpener::SegmentOpener(std::shared_ptr<SegmentFile> file, const PayloadHeader& header,
                             ColumnSet columns)
    : file_(std::move(file)), header_(header), segment_(std::make_shared<Segment>()) {
  segment_->columns_ = columns;
}

Status SegmentOpener::Open(const std::shared_ptr<SegmentFile>& file, const PayloadHeader& header,
                           ColumnSet columns, std::shared_ptr<const Segment>* out) {
  if (Status s = file->CheckHead(header.head); !s.ok()) return s;
  SegmentOpener opener(file, header, columns);
  if (Status s = opener.Run(); !s.ok()) return s;
  opener.segment_->file_ = file;
  *out = opener.segment_;
  return Status();
}

Status SegmentOpener::Run() {
  PlannedSegment& planned = segment_->planned_;
  segment_->size_ = planned.size_ = header_.entries;
  if (Status s = ReadPlan(); !s.ok()) return s;
  for (size_t t = 0; t < tables_.size(); ++t) {
    if (Status s = OpenTable(t); !s.ok()) return s;
  }
  if (Status s = OpenIds(); !s.ok()) return s;
  if (Status s = OpenColumns(); !s.ok()) return s;
  if (overrun_ || next_ != header_.words) return Corrupt("another length than it says");
  return Status();
}

uint64_t SegmentOpener::Next() {
  if (next_ < header_.words) return Load64(file_->data() + 8 * next_++);
  overrun_ = true;
  return 0;
}

SegmentOpener::Section SegmentOpener::NextSection() {
  Section section;
  section.offset = Next();
  section.length = Next();
  return section;
}

Status SegmentOpener::View(Section section, uint64_t length, bool in_head, const std::string& name,
                           Buffer* out) {
  const uint64_t from = in_head ? 8 * header_.words : header_.head;
  const uint64_t to = in_head ? header_.head : file_->length();
  if (section.length != length || !IsSection(section.offset, section.length, from, to))
    return Corrupt("a wrong place or length for " + name);
  file_->NameSection(section.offset, section.length, name);
  *out = Buffer::View(file_->data() + section.offset, static_cast<size_t>(section.length), file_->bytes());
  return Status();
}

Status SegmentOpener::ReadPlan() {
  PlannedSegment& planned = segment_->planned_;
  Plan& plan = planned.plan_;
  planned.distinct_ = Next();
  const uint64_t distance = Next();
  const uint64_t load = Next();
  std::memcpy(&plan.load, &load, 8);
  for (size_t i = 0; i < plan.order.size(); i += 8) {
    const uint64_t bits = Next();
    std::memcpy(&plan.order[i], &bits, 8);
  }
  const uint64_t tables = Next();
  if (distance > kMaxDistance || tables == 0 || tables > kMaxTables) return Corrupt("no plan");
  plan.max_distance = static_cast<unsigned>(distance);
  plan.tables.resize(static_cast<size_t>(tables));
  tables_.resize(static_cast<size_t>(tables));
  for (size_t t = 0; t < tables_.size(); ++t) {
    if (!ReadTable(&plan.tables[t], &tables_[t]) || overrun_)
      return Corrupt("a wrong key for table " + std::to_string(t + 1));
  }
  for (const uint8_t bit : plan.order) {
    if (bit > 63) return Corrupt("a wrong order of bits");
  }
  std::string why;
  if (!IsBuildable(plan, &why)) return Corrupt("a plan that cannot be: " + why);
  if (!IsValid(plan, plan.max_distance)) return Corrupt("a plan that does not serve its distance");
  if (plan.order != BitList{}) planned.order_ = BitOrder(plan.order);
  for (const TablePlan& table : plan.tables) planned.key_masks_.push_back(table.key_mask());
  planned.tables_.resize(tables_.size());
  return Status();
}

bool SegmentOpener::ReadTable(TablePlan* plan, TableWords* words) {
  const uint64_t ranges = Next();
  if (ranges > kMaxRanges) return false;
  for (uint64_t i = 0; i < ranges; ++i) {
    const uint64_t range = Next();
    const uint64_t low = range & 255, width = range >> 8;
    if (width == 0 || width > 64 || low + width > 64) return false;
    plan->key.push_back({static_cast<uint8_t>(low), static_cast<uint8_t>(width)});
  }
  const uint64_t radius = Next(), codes = Next();
  if (radius > 64 || codes > kMaxCodes) return false;
  plan->radius = static_cast<unsigned>(radius);
  for (uint64_t i = 0; i < codes; ++i) {
    const uint64_t kind = Next();
    if (kind > static_cast<uint64_t>(CodeKind::kGolay23)) return false;
    plan->codes.push_back(static_cast<CodeKind>(kind));
  }
  const uint64_t bucket_bits = Next();
  if (bucket_bits > 32) return false;
  plan->bucket_bits = static_cast<unsigned>(bucket_bits);
  for (uint64_t* word :
       {&words->last, &words->capacity, &words->tail_bits, &words->range_bits, &words->superblock_shift,
        &words->superblocks, &words->home_rows, &words->overflow_items, &words->stats.lines,
        &words->stats.entries, &words->stats.overflowing_lines, &words->stats.overflow_entries,
        &words->stats.longest_run})
    *word = Next();
  for (Section* section :
       {&words->directory, &words->lines, &words->overflow, &words->overflow_base, &words->ranks})
    *section = NextSection();
  return true;
}

Status SegmentOpener::OpenTable(size_t t) {
  const TableWords& words = tables_[t];
  PlannedSegment& planned = segment_->planned_;
  const TablePlan& plan = planned.plan_.tables[t];
  const bool primary = t == 0;
  const std::string number = " of table " + std::to_string(t + 1);
  if (words.last != (primary ? 0 : planned.key_masks_[0])) return Corrupt("a wrong mask" + number);
  Table table(plan, primary, words.last, planned.plan_.load, 0);
  const uint64_t most_shift = std::min(plan.bucket_bits, 31u);
  const uint64_t most_range =
      primary
          ? std::min<uint64_t>(Table::kMaxRangeBits, std::min<uint64_t>(words.superblock_shift, most_shift))
          : 0;
  if (words.superblock_shift > most_shift ||
      plan.bucket_bits - words.superblock_shift > Table::kMaxSuperblockBits ||
      words.superblocks != uint64_t{1} << (plan.bucket_bits - words.superblock_shift) ||
      words.range_bits > most_range)
    return Corrupt("wrong superblocks or ranges" + number);
  table.superblock_shift_ = static_cast<unsigned>(words.superblock_shift);
  table.superblocks_ = static_cast<size_t>(words.superblocks);
  table.range_bits_ = static_cast<unsigned>(words.range_bits);
  table.capacity_ = table.CapacityFor(table.range_bits_);
  table.tail_bits_ = primary ? 32 - plan.bucket_bits + table.range_bits_ : 0;
  if (words.capacity != table.capacity_ || words.tail_bits != table.tail_bits_)
    return Corrupt("wrong lines" + number);
  table.home_rows_ = words.home_rows;
  table.overflow_items_ = words.overflow_items;
  table.stats_ = words.stats;
  if (words.stats.lines < Table::kFirstLine || words.stats.lines > UINT32_MAX ||
      words.home_rows > (primary ? 15 * words.stats.lines : 0) || words.overflow_items > file_->length() ||
      words.stats.overflow_entries != words.overflow_items)
    return Corrupt("wrong counts" + number);

  const uint64_t ranks = primary ? (words.stats.lines / Table::kRankLines + 1) * Table::kRankBytes : 0;
  const struct {
    Section section;
    uint64_t length;
    bool in_head;
    const char* name;
    Buffer* view;
  } sections[] = {
      {words.directory, words.superblocks * sizeof(Table::Superblock), true, "the directory",
       &table.directory_},
      {words.lines, words.stats.lines * 64, false, "the lines", &table.lines_},
      {words.overflow, (words.overflow_items + 2) * table.ItemSize(), false, "the overflow",
       &table.overflow_},
      {words.overflow_base, (words.superblocks + 1) * 8, true, "the overflow base", &table.overflow_base_},
      {words.ranks, ranks, false, "the ranks", &table.ranks_},
  };
  for (const auto& [section, length, in_head, name, view] : sections) {
    if (Status s = View(section, length, in_head, name + number, view); !s.ok()) return s;
  }
  if (!HasDirectory(table)) return file_->Corrupt("the directory" + number + " is wrong");
  if (!HasOverflowBase(table)) return file_->Corrupt("the overflow base" + number + " is wrong");
  planned.tables_[t] = std::move(table);
  return Status();
}

// Whether the lines of the superblocks follow without gaps and are all there are.
bool SegmentOpener::HasDirectory(const Table& table) const {
  const auto* directory = table.directory_.as<Table::Superblock>();
  uint64_t line = Table::kFirstLine;
  for (size_t s = 0; s < table.superblocks_; ++s) {
    const auto [first, lines] = directory[s];
    if (lines == 0) {
      if (first != Table::kEmptyLine && !(first == Table::kThinLine && table.primary_)) return false;
      continue;
    }
    if (first != line || lines > uint64_t{1} << table.superblock_shift_) return false;
    line += lines;
  }
  return line == table.stats_.lines;
}

// Whether superblocks' stretches of the overflow follow without gaps and are all there are.
bool SegmentOpener::HasOverflowBase(const Table& table) const {
  const auto* base = table.overflow_base_.as<uint64_t>();
  if (base[0] != 0 || base[table.superblocks_] != table.overflow_items_) return false;
  for (size_t s = 0; s < table.superblocks_; ++s) {
    if (base[s + 1] < base[s] || base[s + 1] > table.overflow_items_) return false;
    const auto [first, lines] = table.directory_.as<Table::Superblock>()[s];
    if (lines == 0 && first == Table::kEmptyLine && base[s + 1] != base[s]) return false;
  }
  return true;
}

Status SegmentOpener::OpenIds() {
  PlannedSegment& planned = segment_->planned_;
  IdList& ids = planned.ids_;
  const uint64_t width = Next(), items = Next();
  const Section rows = NextSection(), lists = NextSection();
  const uint64_t row_count = planned.tables_[0].row_count();
  if (width == 0 || width > kPackedMaxWidth || items > 8 * file_->length() || row_count > 8 * file_->length())
    return Corrupt("a wrong width or number of values");
  if (planned.distinct_ == 0 || planned.distinct_ > row_count || planned.distinct_ > header_.entries ||
      planned.distinct_ != tables_[0].stats.entries || header_.entries > row_count + items)
    return Corrupt("wrong numbers of entries");
  ids.width_ = static_cast<unsigned>(width);
  ids.row_count_ = row_count;
  ids.list_items_ = items;
  if (Status s = View(rows, PackedBytes(row_count, ids.width_), false, "the rows", &ids.rows_); !s.ok())
    return s;
  return View(lists, items == 0 ? 0 : PackedBytes(items, ids.width_), false, "the lists", &ids.lists_);
}

Status SegmentOpener::OpenColumn(const char* name, PackedColumn* column) {
  const uint64_t least = Next(), width = Next();
  const Section items = NextSection();
  if (least > kMaxId || width == 0 || width > kPackedMaxWidth)
    return Corrupt(std::string("a wrong width or least value for ") + name);
  column->least_ = least;
  column->width_ = static_cast<unsigned>(width);
  return View(items, PackedBytes(header_.entries, column->width_), false, name, &column->items_);
}

Status SegmentOpener::OpenColumns() {
  const ColumnSet columns = segment_->columns_;
  if (!columns.any()) return Status();
  if (Status s = OpenColumn("the ids", &segment_->ids_); !s.ok()) return s;
  if (columns.time) {
    if (Status s = OpenColumn("the times", &segment_->times_); !s.ok()) return s;
  }
  if (columns.tag) {
    if (Status s = View(NextSection(), 4 * header_.entries, false, "the tags", &segment_->tags_); !s.ok())
      return s;
  }
  if (!columns.second) return Status();
  return View(NextSection(), 8 * header_.entries, false, "the second fingerprints", &segment_->seconds_);
}

}  // namespace neardup
