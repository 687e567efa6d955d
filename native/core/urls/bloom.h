// The bits of a Bloom filter over 64-bit keys that are spread evenly (the caller mixes them).
//
// Plain: k positions anywhere in m bits, by enhanced double hashing. Blocked: all k positions inside one
// block of 512 bits, a cache line, chosen by the key. A position is the leading 53 bits of a hash, as a
// fraction, times the number of places, in IEEE double arithmetic: exact and equal in every language, for up
// to 2^53 places.
//
// Add is test-and-add in one step. Batches are prefetched. Not thread-safe.
#ifndef NEARDUP_CORE_URLS_BLOOM_H_
#define NEARDUP_CORE_URLS_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "core/urls/bits.h"

namespace neardup {

struct BloomShape {
  uint64_t bits = 0;    // m; a multiple of 512 where blocked
  uint32_t hashes = 0;  // k, 1 to 64
  bool blocked = false;

  // Bytes that hold the bits, a multiple of 8.
  uint64_t bytes() const { return (bits + 63) / 64 * 8; }
};

class BloomBits {
 public:
  // Empty, or with the bits at `offset` of a file (mapped; changes stay in memory).
  static Status Create(const BloomShape& shape, BloomBits* out);
  static Status Map(const BloomShape& shape, const std::string& path, uint64_t offset, BloomBits* out);

  // Adds the keys in order; added[i] is 1 where key i set a bit, so was not held before.
  void AddBatch(const uint64_t* keys, size_t count, uint8_t* added);

  // found[i] is 1 where all bits of key i are set.
  void HasBatch(const uint64_t* keys, size_t count, uint8_t* found) const;

  uint64_t CountOnes() const;

  // Copies the bytes from `offset`; offset + length <= shape().bytes(). Bit i is bit i % 8 of byte i / 8.
  void Read(uint64_t offset, uint8_t* out, size_t length) const;

  // Sets the bits that are set in `in`: fills an empty filter from a file, or makes a union.
  void Or(uint64_t offset, const uint8_t* in, size_t length);

  const BloomShape& shape() const { return shape_; }

 private:
  void Positions(uint64_t key, uint64_t* out) const;
  void PrefetchPositions(const uint64_t* positions) const;

  BloomShape shape_;
  Bits bits_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_URLS_BLOOM_H_
