// Builds a secondary table of a segment, superblock by superblock, from the bucket and the lane of each
// fingerprint, in the order of the primary table. The order of the calls and the threads they come from do
// not matter; different superblocks may be filled at the same time.
#ifndef NEARDUP_CORE_INDEX_SECONDARY_BUILDER_H_
#define NEARDUP_CORE_INDEX_SECONDARY_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/index/table.h"

namespace neardup {

class SecondaryBuilder {
 public:
  // A fingerprint on its way to its superblock: [bucket within the superblock | lane], 32 bits each.
  using Item = uint64_t;

  SecondaryBuilder(const TablePlan& plan, uint64_t primary_key, double load, uint64_t count)
      : table_(plan, false, primary_key, load, count) {}

  const Table& table() const { return table_; }
  Item ItemOf(uint64_t word) const {
    const uint32_t within = table_.map_.BucketOf(word) & ((1u << table_.superblock_shift_) - 1);
    return uint64_t{within} << 32 | (word & 0xffffffff);
  }

  // First: allocates the lines, from the number of fingerprints of each superblock.
  Status Start(const std::vector<uint64_t>& counts);
  // Writes a superblock. std::bad_alloc when its overflow does not find memory.
  void Fill(size_t superblock, const Item* items, size_t count);
  // When all superblocks are filled.
  Status Finish(Table* table);

 private:
  void FillLongLine(uint32_t* lanes, size_t count, uint8_t* line, size_t superblock);

  Table table_;
  std::vector<std::vector<uint32_t>> overflow_;  // Of each superblock, until Finish.
  std::vector<TableStats> stats_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SECONDARY_BUILDER_H_
