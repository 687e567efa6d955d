// Builds the primary table of a segment and its lists of ids, superblock by superblock: each is measured
// (sorted, and its sizes taken), and when all sizes are known each is filled. The order of the calls and the
// threads they come from do not matter; different superblocks may be treated at the same time.
#ifndef NEARDUP_CORE_INDEX_PRIMARY_BUILDER_H_
#define NEARDUP_CORE_INDEX_PRIMARY_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/radix_sort.h"
#include "core/base/status.h"
#include "core/index/id_list.h"
#include "core/index/table.h"

namespace neardup {

class PrimaryBuilder {
 public:
  // `count`: entries, about.
  PrimaryBuilder(const TablePlan& plan, double load, uint64_t count) : table_(plan, true, 0, load, count) {}

  const Table& table() const { return table_; }

  // First: the layout, from the number of entries of each superblock.
  Status Start(const std::vector<uint64_t>& counts);
  // Sorts the entries of a superblock by word and id. `scratch` has as much room.
  void Sort(WordAndValue* entries, WordAndValue* scratch, size_t count) const;
  // The same, and takes its sizes.
  void Measure(size_t superblock, WordAndValue* entries, WordAndValue* scratch, size_t count);
  // When all superblocks with entries are measured.
  Status Allocate();
  // Writes a superblock. `entries` as Measure left them; `words` has room for as many and is overwritten.
  void Fill(size_t superblock, const WordAndValue* entries, size_t count, uint64_t* words);
  // When all of them are filled.
  void Finish(Table* table, IdList* ids);

 private:
  struct Sizes {
    uint64_t home_rows = 0, overflow = 0, list_items = 0, max_id = 0;
    uint64_t distinct = 0, overflowing_lines = 0, longest_run = 0;
  };
  class IdWriter;

  uint64_t LineOf(size_t superblock, uint64_t word, uint64_t lines) const;
  void ChooseRange(const std::vector<uint64_t>& counts);
  void FillLine(const uint64_t* words, size_t home, uint64_t run_length, uint8_t* line) const;
  uint64_t* FillRun(const uint64_t* words, size_t count, uint64_t* at) const;
  void FillRank(uint64_t rank, uint64_t line, uint64_t row);

  Table table_;
  IdList ids_;
  std::vector<Sizes> sizes_;
  std::vector<uint64_t> first_rows_, first_items_;  // Of each superblock: home rows, list items before it.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PRIMARY_BUILDER_H_
