// How a segment is laid out: which bits key which table, and how far from a query's key a probe looks.
// A plan is valid for k when every pattern of at most k differing bits leaves some table with at most
// `radius` of them in its key; then no entry within k bits is ever missed.
#ifndef NEARDUP_CORE_INDEX_PLAN_H_
#define NEARDUP_CORE_INDEX_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/index/bit_order.h"
#include "core/index/block_code.h"

namespace neardup {

// Bits low .. low + width - 1 of a fingerprint, bit 0 being the least significant.
struct BitRange {
  uint8_t low;
  uint8_t width;
};

// One permuted table: the key's ranges come first, in this order, then the other bits.
struct TablePlan {
  std::vector<BitRange> key;    // At most 32 bits together, disjoint.
  unsigned radius = 0;          // Bits of the key that may differ.
  std::vector<CodeKind> codes;  // Taken from the start of the key; only with radius 1.
  unsigned bucket_bits = 0;     // Bits of the bucket number: what the codes give, then plain key bits.

  unsigned key_bits() const;
  uint64_t key_mask() const;
  // Buckets that a query reads: on average over queries, and at most.
  double mean_probes() const;
  unsigned max_probes() const;
};

struct Plan {
  unsigned max_distance = 0;
  double load = 0;                // Mean share of a line's lanes in use, 0 < load <= 1.
  BitList order = {};             // Of the bits, before the tables take theirs; all zero: as they are.
  std::vector<TablePlan> tables;  // The first one, the primary, also keeps the whole fingerprint.
};

// Where a sample shows skewed data, arranges the plan's bits by what they tell and numbers buckets without
// codes. `entries`: how many the sample stands for; 0: it is all of them.
void FitToData(const uint64_t* fingerprints, size_t count, Plan* plan, uint64_t entries = 0);

// Whether no pattern of at most `distance` differing bits escapes. The patterns are searched over the cells
// that the keys' edges cut the 64 bits into, not over bits: microseconds to milliseconds. False also where it
// takes over a million steps, as no plan of the planner does: plans also come from files.
bool IsValid(const Plan& plan, unsigned distance);

// Whether a segment can be built on it: sizes within bounds, ranges disjoint, and each secondary table able
// to lead to the primary one. Says what is wrong in *why.
bool IsBuildable(const Plan& plan, std::string* why);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PLAN_H_
