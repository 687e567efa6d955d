// What a self-join sorts and compares by.
#ifndef NEARDUP_CORE_INDEX_JOIN_PLAN_H_
#define NEARDUP_CORE_INDEX_JOIN_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/word_map.h"

namespace neardup {

// Fingerprints that agree in all bits of the key are compared.
struct JoinTable {
  WordMap map;  // Brings the key to the front of a word.
  uint64_t key = 0;
  unsigned key_bits = 0;
};

// Tables whose keys have bits in common: dealt to parts by those, fingerprints that agree in one of the keys
// are in the same part.
struct JoinGroup {
  uint64_t common = 0;
  std::vector<size_t> tables;
};

struct JoinPlan {
  std::vector<JoinTable> tables;  // Any k errors leave one key exact.
  std::vector<JoinGroup> groups;
  unsigned part_bits = 0;  // Binary logarithm of the number of parts.
};

// The fastest for so many fingerprints.
JoinPlan PlanJoin(size_t count, unsigned k);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_JOIN_PLAN_H_
