// Whether a table of a segment is built as docs/format.md says, read line by line, so that the work can be
// cut anywhere. Directory and overflow base have been checked (segment_opener.h); whatever the other sections
// hold, nothing outside of the table is read. Not thread-safe.
#ifndef NEARDUP_CORE_STORAGE_TABLE_CHECK_H_
#define NEARDUP_CORE_STORAGE_TABLE_CHECK_H_

#include <cstdint>
#include <string>

#include "core/index/table.h"

namespace neardup {

class TableCheck {
 public:
  // What a step came to: an entry of the primary; a line or a superblock, read or begun; the end; or what is
  // `wrong`, after which there are no more steps.
  enum class Found { kEntry, kLine, kEnd, kWrong };

  // `number`: what errors call it, from 1 on. The table must outlive this.
  TableCheck(const Table& table, size_t number) : table_(table), number_(number) {}

  // Goes on by a line or by an entry: its word, ascending, and its row, which the table has. O(1). Of a
  // secondary table there are no entries, only headers and runs of lines.
  Found Next(uint64_t* word, uint64_t* row);
  // Lanes of the lines read, those of their runs included.
  uint64_t lanes() const { return lanes_; }
  // What is wrong.
  const std::string& wrong() const { return wrong_; }

  // Whether the line of a bucket of a secondary table, or its run, has this lane.
  bool HasLane(uint32_t bucket, uint32_t lane) const;

 private:
  // Lines of more lanes have them in ascending order.
  static constexpr uint64_t kSortedLanes = 64;

  uint64_t Base(size_t s) const { return table_.overflow_base_.as<uint64_t>()[s]; }
  uint64_t FirstBucketOf(uint32_t line) const {
    const uint64_t width = uint64_t{line} << table_.superblock_shift_;
    return table_.BucketAt(superblock_) + (width + block_.lines - 1) / block_.lines;
  }
  uint64_t LengthIn(const uint8_t* line) const {
    return table_.primary_ ? table_.TailAt(line, table_.capacity_ - 1) : line[60];
  }
  Found NextSuperblock();
  Found NextLine();
  Found NextOfLine(uint64_t* word, uint64_t* row);
  bool RunIsRight();
  Found Take(uint64_t word);
  Found End();
  Found Wrong(const char* what);

  const Table& table_;
  const size_t number_;
  size_t superblock_ = 0, next_superblock_ = 0;
  Table::Superblock block_ = {};
  uint32_t next_line_ = 0;         // Within the superblock.
  const uint8_t* line_ = nullptr;  // The one that is read; null in a superblock without lines.
  uint64_t first_bucket_ = 0;      // Of the line.
  unsigned slot_ = 0, used_ = 0;   // Lanes slot_ to used_ - 1 of the line are still to come,
  uint64_t item_ = 0, end_ = 0;    // and then items item_ to end_ - 1 of the overflow.
  uint64_t next_row_ = 0, last_word_ = 0, lanes_ = 0;
  bool any_ = false;
  std::string wrong_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_TABLE_CHECK_H_
