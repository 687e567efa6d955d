// Whether the payload of a segment file is right throughout: what a file can hold that is damaged, or made
// up, and still has right checksums. Done in steps, between which other work may go on. Not thread-safe.
#ifndef NEARDUP_CORE_STORAGE_SEGMENT_CHECK_H_
#define NEARDUP_CORE_STORAGE_SEGMENT_CHECK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/status.h"
#include "core/index/entry.h"
#include "core/index/segment.h"
#include "core/storage/segment_file.h"
#include "core/storage/table_check.h"

namespace neardup {

class SegmentCheck {
 public:
  // To check all of a payload of these columns: places, counts and order of everything; that the tables
  // agree, so that a query finds every entry. Of the checksums only those of the head of a segment with
  // tables are looked at: the others are the caller's. Whatever the bytes are, nothing outside of them is
  // read. The file is not shared yet, and is kept. kCorrupt, naming the file and what is wrong.
  static Status Start(const std::shared_ptr<SegmentFile>& file, ColumnSet columns,
                      std::unique_ptr<SegmentCheck>* out);

  // Goes on by a millisecond or two, where the file is in memory. kCorrupt. After a failure, or *done, there
  // are no more steps. In all O(n), with some random reads for each entry; a bit of memory for each where
  // there are columns.
  Status Step(bool* done);

 private:
  // A stage that goes on by a step; true at its end, or where it failed: `status_` says so.
  using Stage = bool (SegmentCheck::*)();

  explicit SegmentCheck(std::shared_ptr<SegmentFile> file) : file_(std::move(file)) {}
  Status StartTables();
  bool CheckOrder();
  bool CheckColumns();
  bool CheckSecondaries();
  bool CheckRows();

  bool CheckRow(uint64_t row);
  bool CheckItem();
  bool CheckValue(uint64_t value);
  bool CheckLanes();
  bool CheckEnd();
  bool Wrong(const std::string& what);

  const std::shared_ptr<SegmentFile> file_;
  std::vector<Stage> stages_;
  size_t stage_ = 0;
  uint64_t next_entry_ = 0;  // Of stages that go by entries.
  Status status_;

  EntryColumns columns_;  // Layout 1.

  std::shared_ptr<const Segment> segment_;  // Layout 2, and what follows.
  std::vector<TableCheck> tables_;
  size_t next_table_ = 1;
  Buffer seen_;                              // A bit for each entry, by number.
  uint64_t next_item_ = 0, list_end_ = 0;    // Items of the list that is read.
  uint64_t list_row_ = 0, last_value_ = 0;   // Its row, and the item before.
  uint64_t distinct_ = 0, entries_ = 0;      // Read so far.
  std::vector<uint64_t> words_, reordered_;  // Of fingerprints to be looked up in the secondary tables.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_SEGMENT_CHECK_H_
