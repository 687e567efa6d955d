// A permuted table: fingerprints in the order of a key (chosen bits), with a directory of the key's buckets.
// Probed with every key within a radius of flips. Immutable once built; reading is thread-safe.
#ifndef NEARDUP_CORE_INDEX_BLOCK_TABLE_H_
#define NEARDUP_CORE_INDEX_BLOCK_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/bits.h"
#include "core/index/entry.h"

namespace neardup {

// The key's bits (positions, 0 = lowest), and for each distance d how many flips of the key a query within d
// needs: -1 where it may skip the table.
struct BlockPlan {
  std::vector<unsigned> bits;
  std::array<int, kMaxDistance + 1> radii;
};

// Plans the tables of `count` distinct fingerprints for queries within max_distance: keys share no bit, and
// for each distance d the sum of radius + 1 is d + 1, so that by the pigeonhole principle nothing within d is
// missed. Bits go to the keys by how much they tell apart in a sample. No tables: scan.
std::vector<BlockPlan> PlanBlocks(const uint64_t* fingerprints, size_t count, unsigned max_distance);

// C(bits, flips) as a double.
double FlipCount(unsigned bits, unsigned flips);

class BlockTable {
 public:
  BlockTable(const BlockPlan& plan, const uint64_t* fingerprints, size_t count);

  // Calls visit(row, difference) for each fingerprint whose key differs from the query's in at most
  // `radius` bits and that is within `distance`; row is its place in the array given at construction.
  template <typename Visit>
  void Probe(uint64_t query, unsigned radius, unsigned distance, Visit&& visit) const {
    const uint32_t key = KeyOf(query);
    for (uint32_t p = 0; p < flip_ends_[radius]; p++) {
      const uint32_t bucket = key ^ flips_[p];
      for (uint32_t i = directory_[bucket]; i < directory_[bucket + 1]; i++) {
        const uint64_t difference = fingerprints_[i] ^ query;
        if (PopCount(difference) <= distance) visit(rows_[i], difference);
      }
    }
  }

  // True when a query within `distance` finds the fingerprint that differs from it so.
  bool Finds(uint64_t difference, unsigned distance) const {
    return static_cast<int>(PopCount(difference & mask_)) <= radii_[distance];
  }

  int radius(unsigned distance) const { return radii_[distance]; }
  size_t bytes() const;

 private:
  uint32_t KeyOf(uint64_t fingerprint) const {
    uint32_t key = 0;
    for (size_t byte = 0; byte < 8; byte++) key |= gathered_[byte][(fingerprint >> (8 * byte)) & 255];
    return key;
  }
  void ListFlips(unsigned bits);

  std::array<int, kMaxDistance + 1> radii_;
  uint64_t mask_ = 0;
  // gathered_[b][v]: what byte b of a fingerprint adds to the key when its value is v.
  std::array<std::array<uint32_t, 256>, 8> gathered_{};
  // Masks of changed key bits by their number; flip_ends_[r]: how many have at most r.
  std::vector<uint32_t> flips_;
  std::array<uint32_t, kMaxDistance + 1> flip_ends_{};
  // Bucket b holds entries directory_[b] to directory_[b + 1] - 1.
  std::vector<uint32_t> directory_;
  std::vector<uint64_t> fingerprints_;
  std::vector<uint32_t> rows_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_BLOCK_TABLE_H_
