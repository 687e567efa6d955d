// Segments with tables whose sections are views into a mapped segment file: layout 2 of docs/format.md.
//
// What is read when a segment is opened (description, directories, overflow bases) is checked against the
// checksums and for sense here: every offset, length, count and width, and the plan. The other
// sections are not touched; the code that reads them (table.h, id_list.h, segment.h) stays within them
// whatever they hold.
#ifndef NEARDUP_CORE_STORAGE_SEGMENT_OPENER_H_
#define NEARDUP_CORE_STORAGE_SEGMENT_OPENER_H_

#include <memory>
#include <string>
#include <vector>

#include "core/index/segment.h"
#include "core/storage/payload.h"

namespace neardup {

class SegmentOpener {
 public:
  // `header`: as ReadHeader gave it, of layout kTables. The file is not shared yet. kCorrupt, naming the file
  // and what is wrong.
  static Status Open(const std::shared_ptr<SegmentFile>& file, const PayloadHeader& header, ColumnSet columns,
                     std::shared_ptr<const Segment>* out);

 private:
  struct Section {
    uint64_t offset = 0, length = 0;
  };
  struct TableWords {
    uint64_t last, capacity, tail_bits, range_bits, superblock_shift, superblocks, home_rows, overflow_items;
    TableStats stats;
    Section directory, lines, overflow, overflow_base, ranks;
  };

  SegmentOpener(std::shared_ptr<SegmentFile> file, const PayloadHeader& header, ColumnSet columns);
  Status Run();
  Status ReadPlan();
  bool ReadTable(TablePlan* plan, TableWords* words);
  Status OpenTable(size_t t);
  Status OpenIds();
  Status OpenColumns();
  Status OpenColumn(const char* name, PackedColumn* column);
  bool HasDirectory(const Table& table) const;
  bool HasOverflowBase(const Table& table) const;

  // The next word of the description; after the end, 0, and overrun_ is set.
  uint64_t Next();
  Section NextSection();
  // A view of the section, which must have this length; kCorrupt where it leaves the head, or the rest.
  Status View(Section section, uint64_t length, bool in_head, const std::string& name, Buffer* out);
  Status Corrupt(const std::string& what) const { return file_->Corrupt("its description has " + what); }

  const std::shared_ptr<SegmentFile> file_;
  const PayloadHeader header_;
  uint64_t next_ = PayloadHeader::kWords;
  bool overrun_ = false;
  std::vector<TableWords> tables_;
  const std::shared_ptr<Segment> segment_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_SEGMENT_OPENER_H_
