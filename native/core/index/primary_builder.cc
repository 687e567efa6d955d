#include "core/index/primary_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardup {

namespace {

constexpr uint64_t kThinCost = 32;  // Bytes of lines that we would rather spend than search for an entry.

// Writes rows in ascending order; those in between that have no entry read as 0.
class RowWriter {
 public:
  RowWriter(uint8_t* data, uint64_t row, unsigned width) : writer_(data, row, width), next_(row) {}
  void Write(uint64_t row, uint64_t value) {
    for (; next_ < row; ++next_) writer_.Push(0);
    writer_.Push(value);
    ++next_;
  }

 private:
  PackedWriter writer_;
  uint64_t next_;
};

}  // namespace

// The ids of a superblock's rows.
class PrimaryBuilder::IdWriter {
 public:
  IdWriter(IdList* ids, uint64_t first_item, uint64_t home_row, uint64_t overflow_row)
      : has_lists_(ids->list_items_ != 0),
        at_(first_item),
        home_(ids->rows_.data(), home_row, ids->width_),
        overflow_(ids->rows_.data(), overflow_row, ids->width_),
        lists_(ids->lists_.data(), first_item, ids->width_) {}

  void Home(uint64_t row, const WordAndValue* from, const WordAndValue* to) {
    home_.Write(row, Value(from, to));
  }
  void Overflow(uint64_t row, const WordAndValue* from, const WordAndValue* to) {
    overflow_.Write(row, Value(from, to));
  }

 private:
  uint64_t Value(const WordAndValue* from, const WordAndValue* to) {
    if (!has_lists_) return from->value;
    const auto n = static_cast<uint64_t>(to - from);
    if (n == 1) return from->value << 1;
    const uint64_t start = at_;
    at_ += n + 1;
    lists_.Push(n);
    for (; from < to; ++from) lists_.Push(from->value);
    return start << 1 | 1;
  }
  const bool has_lists_;
  uint64_t at_;
  RowWriter home_, overflow_;
  PackedWriter lists_;
};

inline uint64_t PrimaryBuilder::LineOf(size_t superblock, uint64_t word, uint64_t lines) const {
  return (table_.map_.BucketOf(word) - table_.BucketAt(superblock)) * lines >> table_.superblock_shift_;
}

// The number of bucket bits kept in a tail: more of them cost capacity, fewer cost lines where entries are
// thin. Entries of equal fingerprints are taken for distinct: they are not known yet.
void PrimaryBuilder::ChooseRange(const std::vector<uint64_t>& counts) {
  uint64_t best = ~uint64_t{0};
  const unsigned most = std::min({Table::kMaxRangeBits, table_.superblock_shift_, table_.map_.bucket_bits()});
  for (unsigned bits = 0; bits <= most; ++bits) {
    uint64_t cost = 0;
    for (const uint64_t entries : counts) {
      bool thin;
      cost += 64 * uint64_t{table_.LinesFor(entries, bits, &thin)};
      if (thin) cost += kThinCost * entries;
    }
    if (cost < best) {
      best = cost;
      table_.range_bits_ = bits;
    }
  }
  table_.capacity_ = table_.CapacityFor(table_.range_bits_);
  table_.tail_bits_ = 64 - table_.map_.bucket_bits() + table_.range_bits_ - 32;
}

Status PrimaryBuilder::Start(const std::vector<uint64_t>& counts) {
  ChooseRange(counts);
  sizes_.resize(counts.size());
  return Buffer::AllocateArray(counts.size(), sizeof(Table::Superblock), &table_.directory_);
}

void PrimaryBuilder::Sort(WordAndValue* entries, WordAndValue* scratch, size_t count) const {
  const unsigned superblock_bits = table_.map_.bucket_bits() - table_.superblock_shift_;
  SortPart(entries, scratch, count, 64 - superblock_bits, 0);
}

void PrimaryBuilder::Measure(size_t superblock, WordAndValue* entries, WordAndValue* scratch, size_t count) {
  if (count == 0) return;
  Sort(entries, scratch, count);
  Sizes sizes;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && entries[end].word == entries[i].word;) ++end;
    ++sizes.distinct;
    if (end - i > 1) sizes.list_items += end - i + 1;
    sizes.max_id = std::max(sizes.max_id, entries[end - 1].value);
  }
  Table::Superblock& block = table_.directory_.as<Table::Superblock>()[superblock];
  bool thin;
  block.lines = table_.LinesFor(sizes.distinct, table_.range_bits_, &thin);
  if (thin) {
    block.first_line = Table::kThinLine;
    sizes.overflow = sizes.longest_run = sizes.distinct;
    sizes_[superblock] = sizes;
    return;
  }
  const auto close = [&](uint64_t in_line) {
    if (in_line <= table_.capacity_) {
      sizes.home_rows += in_line;
      return;
    }
    const uint64_t rest = in_line - (table_.capacity_ - 1);
    sizes.home_rows += table_.capacity_ - 1;
    sizes.overflow += rest + (rest >= table_.LengthCap() ? table_.LengthItems() : 0);
    ++sizes.overflowing_lines;
    sizes.longest_run = std::max(sizes.longest_run, rest);
  };
  uint64_t line = LineOf(superblock, entries[0].word, block.lines), in_line = 1;
  for (size_t i = 1; i < count; ++i) {
    if (entries[i].word == entries[i - 1].word) continue;
    const uint64_t next = LineOf(superblock, entries[i].word, block.lines);
    if (next != line) {
      close(in_line);
      line = next;
      in_line = 0;
    }
    ++in_line;
  }
  close(in_line);
  sizes_[superblock] = sizes;
}

Status PrimaryBuilder::Allocate() {
  std::vector<uint64_t> overflow;
  uint64_t rows = 0, items = 0, max_id = 0;
  for (const Sizes& sizes : sizes_) {
    overflow.push_back(sizes.overflow);
    first_rows_.push_back(rows);
    first_items_.push_back(items);
    rows += sizes.home_rows;
    items += sizes.list_items;
    max_id = std::max(max_id, sizes.max_id);
    table_.stats_.entries += sizes.distinct;
    table_.stats_.overflowing_lines += sizes.overflowing_lines;
    table_.stats_.longest_run = std::max(table_.stats_.longest_run, sizes.longest_run);
  }
  table_.home_rows_ = rows;
  if (Status s = table_.PlaceLines(); !s.ok()) return s;
  if (Status s = table_.PlaceOverflow(overflow); !s.ok()) return s;
  const uint64_t ranks = table_.stats_.lines / Table::kRankLines + 1;
  if (Status s = Buffer::AllocateArray(ranks, Table::kRankBytes, &table_.ranks_); !s.ok()) return s;
  return ids_.Allocate(table_.row_count(), items, max_id);
}

void PrimaryBuilder::FillLine(const uint64_t* words, size_t home, uint64_t run_length, uint8_t* line) const {
  const unsigned width = table_.tail_bits_, capacity = table_.capacity_;
  uint64_t tails[9] = {}, *at = tails;
  unsigned used = 0;
  const auto push = [&](uint64_t value) {
    *at |= value << used;
    used += width;
    if (used < 64) return;
    used -= 64;
    *++at = used == 0 ? 0 : value >> (width - used);
  };
  for (size_t i = 0; i < home; ++i) {
    const auto lane = static_cast<uint32_t>(words[i]);
    std::memcpy(line + 4 * i, &lane, 4);
    push(words[i] >> 32 & ((uint64_t{1} << width) - 1));
  }
  if (run_length != 0) push(run_length);
  std::memcpy(line + 4 * capacity, tails, (capacity * width + 7) / 8);
}

// Writes an overflow run, with its length where that is capped. Returns where its words start.
uint64_t* PrimaryBuilder::FillRun(const uint64_t* words, size_t count, uint64_t* at) const {
  if (count >= table_.LengthCap()) *at++ = count;
  std::memcpy(at, words, count * 8);
  return at;
}

void PrimaryBuilder::Fill(size_t superblock, const WordAndValue* entries, size_t count, uint64_t* words) {
  const Table::Superblock& block = table_.directory_.as<Table::Superblock>()[superblock];
  auto* overflow = table_.overflow_.as<uint64_t>();
  const uint64_t overflow_base = table_.overflow_base_.as<uint64_t>()[superblock];
  uint64_t overflow_at = overflow_base, row = first_rows_[superblock];
  IdWriter ids(&ids_, first_items_[superblock], row, table_.FirstOverflowRow(superblock));
  const auto next_word = [&](size_t i) {
    const uint64_t word = entries[i++].word;
    while (i < count && entries[i].word == word) ++i;
    return i;
  };
  if (block.lines == 0) {
    for (size_t i = 0, end; i < count; i = end, ++overflow_at) {
      end = next_word(i);
      overflow[overflow_at] = entries[i].word;
      ids.Overflow(table_.home_rows_ + overflow_at, entries + i, entries + end);
    }
    return;
  }
  uint8_t* lines = table_.lines_.data() + (uint64_t{block.first_line} << 6);
  for (size_t from = 0, end; from < count; from = end) {
    const uint64_t number = LineOf(superblock, entries[from].word, block.lines);
    size_t n = 0;
    end = from;
    do {
      words[n++] = entries[end].word;
      end = next_word(end);
    } while (end < count && LineOf(superblock, entries[end].word, block.lines) == number);

    uint8_t* line = lines + (number << 6);
    const size_t home = table_.FillHeader(line, n), rest = n - home;
    FillLine(words, home, std::min<uint64_t>(rest, table_.LengthCap()), line);
    size_t i = from, next;
    for (size_t slot = 0; slot < home; ++slot, i = next) {
      next = next_word(i);
      ids.Home(row++, entries + i, entries + next);
    }
    if (rest == 0) continue;
    const auto offset = static_cast<uint32_t>(overflow_at - overflow_base);
    std::memcpy(line + 4 * (table_.capacity_ - 1), &offset, 4);
    const uint64_t* run = FillRun(words + home, rest, overflow + overflow_at);
    overflow_at = static_cast<uint64_t>(run - overflow);
    for (; i < end; i = next, ++overflow_at) {
      next = next_word(i);
      ids.Overflow(table_.home_rows_ + overflow_at, entries + i, entries + next);
    }
  }
  // The ranks that no other superblock has lines in.
  uint64_t line = block.first_line;
  const uint64_t end_line = line + block.lines;
  row = first_rows_[superblock];
  for (; line < end_line && line % Table::kRankLines != 0; ++line)
    row += table_.lines_.data()[line * 64 + 63] & 15;
  for (; line + Table::kRankLines <= end_line; line += Table::kRankLines) {
    FillRank(line / Table::kRankLines, line, row);
    for (uint64_t l = line; l < line + Table::kRankLines; ++l) row += table_.lines_.data()[l * 64 + 63] & 15;
  }
}

// `line` is in the rank or the first one after it; `row` is the line's first row.
void PrimaryBuilder::FillRank(uint64_t rank, uint64_t line, uint64_t row) {
  uint8_t* to = table_.ranks_.data() + rank * Table::kRankBytes;
  const uint64_t first = rank * Table::kRankLines;
  const auto used = [&](uint64_t l) { return table_.lines_.data()[l * 64 + 63] & 15; };
  while (line > first) row -= used(--line);
  std::memcpy(to, &row, 8);
  unsigned before = 0;
  for (uint64_t i = 0; i < Table::kRankLines && first + i < table_.stats_.lines; ++i) {
    to[8 + i] = static_cast<uint8_t>(before);
    before += used(first + i);
  }
}

void PrimaryBuilder::Finish(Table* table, IdList* ids) {
  for (size_t s = 0; s < sizes_.size(); ++s) {
    const auto [first_line, lines] = table_.directory_.as<Table::Superblock>()[s];
    if (lines == 0) continue;
    FillRank(first_line / Table::kRankLines, first_line, first_rows_[s]);
    FillRank((first_line + lines - 1) / Table::kRankLines, uint64_t{first_line} + lines,
             first_rows_[s] + sizes_[s].home_rows);
  }
  *table = std::move(table_);
  *ids = std::move(ids_);
}

}  // namespace neardup
