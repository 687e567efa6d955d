// The designs a planner chooses from: which bits key which tables. See planner.h for the families.
#ifndef NEARDUP_CORE_INDEX_DESIGNS_H_
#define NEARDUP_CORE_INDEX_DESIGNS_H_

#include <string>
#include <vector>

#include "core/index/plan.h"

namespace neardup {

struct DesignTable {
  std::vector<BitRange> key;
  unsigned radius;
};

struct Design {
  // Tables, then the blocks: "3 tables: 2 x exact + 1 flip"; "2 of 5 parts" are the exact choices of 2 parts
  // of a block cut in 5.
  std::string name;
  std::vector<DesignTable> tables;
};

// Designs exact for `distance`, with block widths fit for this many entries; keys of 8 to 32 bits, at most 32
// tables.
std::vector<Design> ListDesigns(unsigned distance, double entries);

// The published ones for distance 3.
std::vector<Design> PublishedDesigns();

// Ways to number the buckets of a table: codes, and bits of the number.
std::vector<TablePlan> Numberings(const DesignTable& table, bool primary, double load, double entries);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_DESIGNS_H_
