// Keys that differ in one bit, brought together. A table with flip radius 1 would read one bucket per key
// bit. A perfect code on part of the key does better: each value belongs to the codeword within the code's
// radius, the codeword's information bits number the bucket, and the values within one bit of a query fall
// into few buckets: 8 instead of 12 for Hamming (15,11), 16 instead of 27 for Hamming (31,26), about 6
// instead of 13 for Golay (23,12). The syndrome, kept with the entry, gives the value back. Immutable,
// shared, thread-safe.
#ifndef NEARDUP_CORE_INDEX_BLOCK_CODE_H_
#define NEARDUP_CORE_INDEX_BLOCK_CODE_H_

#include <cstdint>
#include <vector>

namespace neardup {

enum class CodeKind : uint8_t { kHamming7, kHamming15, kHamming31, kGolay23 };

class BlockCode {
 public:
  static const BlockCode& Get(CodeKind kind);

  unsigned length() const { return length_; }            // Bits of a value.
  unsigned information() const { return information_; }  // Bits of a bucket number.
  unsigned check() const { return length_ - information_; }

  uint32_t Syndrome(uint32_t value) const {
    return bytes_[0][value & 255] ^ bytes_[1][(value >> 8) & 255] ^ bytes_[2][(value >> 16) & 255] ^
           bytes_[3][value >> 24];
  }
  // The bucket of a value with this syndrome.
  uint32_t Bucket(uint32_t value, uint32_t syndrome) const { return (value >> check()) ^ leader_[syndrome]; }
  // The value in this bucket with this syndrome.
  uint32_t Value(uint32_t bucket, uint32_t syndrome) const {
    const uint32_t high = (bucket ^ leader_[syndrome]) << check();
    return high | (Syndrome(high) ^ syndrome);
  }

  // Exclusive-or masks that lead from the bucket of a value with this syndrome to the other buckets that hold
  // values within one bit of it.
  const uint32_t* neighbours(uint32_t syndrome) const { return &masks_[starts_[syndrome]]; }
  uint32_t neighbour_count(uint32_t syndrome) const { return starts_[syndrome + 1] - starts_[syndrome]; }
  double mean_neighbours() const { return static_cast<double>(masks_.size()) / (1u << check()); }

 private:
  explicit BlockCode(CodeKind kind);

  unsigned length_, information_;
  uint16_t bytes_[4][256];        // Syndromes of each byte of a value.
  std::vector<uint32_t> leader_;  // Information bits of the lightest error with this syndrome.
  std::vector<uint32_t> starts_, masks_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_BLOCK_CODE_H_
