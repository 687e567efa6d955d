#include "core/storage/table_check.h"

#include <algorithm>
#include <cstring>

#include "core/base/bytes.h"

namespace neardup {

TableCheck::Found TableCheck::Next(uint64_t* word, uint64_t* row) {
  if (slot_ < used_) return NextOfLine(word, row);
  if (item_ < end_) {
    *word = table_.overflow_.as<uint64_t>()[item_];
    *row = table_.home_rows_ + item_++;
    return Take(*word);
  }
  return next_line_ < block_.lines ? NextLine() : NextSuperblock();
}

TableCheck::Found TableCheck::NextSuperblock() {
  if (end_ != Base(next_superblock_)) return Wrong("the overflow has items that no line leads to");
  if (next_superblock_ == table_.superblocks_) return End();
  superblock_ = next_superblock_++;
  block_ = table_.directory_.as<Table::Superblock>()[superblock_];
  next_line_ = 0;
  line_ = nullptr;
  if (block_.first_line == Table::kThinLine && block_.lines == 0) end_ = Base(next_superblock_);
  return Found::kLine;
}

TableCheck::Found TableCheck::NextLine() {
  line_ = table_.lines_.data() + ((block_.first_line + uint64_t{next_line_}) << 6);
  first_bucket_ = FirstBucketOf(next_line_++);
  const uint8_t header = line_[63];
  const unsigned used = header & 15u;
  const bool continues = (header & kLineContinues) != 0;
  if ((header & 0x70) != 0 || (continues ? used != table_.capacity_ - 1 : used > table_.capacity_))
    return Wrong("a line has a wrong header");
  lanes_ += used;
  item_ = end_;
  if (continues && !RunIsRight()) return Found::kWrong;
  if (table_.primary_) {
    slot_ = 0;
    used_ = used;
  } else {
    item_ = end_;
  }
  return Found::kLine;
}

// The run of the line, which is the next one of the superblock.
bool TableCheck::RunIsRight() {
  Table::Run run = table_.Continuation(line_, static_cast<uint32_t>(table_.BucketAt(superblock_)));
  const bool capped = run.count == Table::kCapped;
  const uint8_t* expected = table_.overflow_.data() + end_ * table_.ItemSize();
  if (run.data != expected) return Wrong("a line has a wrong place of its run"), false;
  table_.Resolve(&run);
  const uint64_t stored = capped ? Load64(expected) : LengthIn(line_);
  if (run.count != stored || stored < 2 || capped != (stored >= table_.LengthCap()))
    return Wrong("a line has a wrong length of its run"), false;
  item_ += capped ? table_.LengthItems() : 0;
  end_ = item_ + run.count;
  lanes_ += run.count;
  return true;
}

TableCheck::Found TableCheck::NextOfLine(uint64_t* word, uint64_t* row) {
  const unsigned below = 64 - table_.map_.bucket_bits();
  const uint64_t low = table_.TailAt(line_, slot_) << 32 | Load32(line_ + 4 * slot_);
  const uint64_t range = (uint64_t{1} << table_.range_bits_) - 1;
  const uint64_t bucket = first_bucket_ + (((low >> below) - first_bucket_) & range);
  *word = bucket << below | (low & ((uint64_t{1} << below) - 1));
  *row = next_row_++;
  if (*row >= table_.home_rows_) return Wrong("the lines have another number of entries");
  if (table_.RowAt(line_, slot_++) != *row) return Wrong("a rank does not count its lines");
  return Take(*word);
}

TableCheck::Found TableCheck::Take(uint64_t word) {
  if (any_ && word <= last_word_) return Wrong("words are out of order");
  if (table_.SuperblockOf(word) != superblock_ ||
      (line_ != nullptr && table_.LineOf(table_.map_.BucketOf(word)) != line_))
    return Wrong("a word stands in another line than its own");
  any_ = true;
  last_word_ = word;
  return Found::kEntry;
}

// What stands around lines and overflow.
TableCheck::Found TableCheck::End() {
  if (next_row_ != table_.home_rows_) return Wrong("the lines have another number of entries");
  uint8_t expected[2 * 64] = {};
  expected[sizeof(expected) - 1] = kLineContinues;
  if (std::memcmp(table_.lines_.data(), expected, sizeof(expected)) != 0)
    return Wrong("the first lines are wrong");
  const uint8_t* end = table_.overflow_.data() + table_.overflow_items_ * table_.ItemSize();
  const bool empty = std::all_of(end, end + 2 * table_.ItemSize(), [](uint8_t byte) { return byte == 0; });
  return empty ? Found::kEnd : Wrong("the end of the overflow is wrong");
}

TableCheck::Found TableCheck::Wrong(const char* what) {
  wrong_ = "table " + std::to_string(number_) + ": " + what;
  return Found::kWrong;
}

bool TableCheck::HasLane(uint32_t bucket, uint32_t lane) const {
  const uint8_t* line = table_.LineOf(bucket);
  const auto* lanes = reinterpret_cast<const uint32_t*>(line);
  const unsigned used = line[63] & 15u;
  if (std::find(lanes, lanes + used, lane) != lanes + used) return true;
  if ((line[63] & kLineContinues) == 0) return false;
  Table::Run run = table_.Continuation(line, bucket);
  table_.Resolve(&run);
  const auto* from = reinterpret_cast<const uint32_t*>(run.data);
  const auto* to = from + run.count;
  return used + run.count > kSortedLanes ? std::binary_search(from, to, lane)
                                         : std::find(from, to, lane) != to;
}

}  // namespace neardup
