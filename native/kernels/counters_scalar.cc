#include "kernels/counters.h"
#include "kernels/target.h"

namespace neardup::kernels::scalar {

namespace {

constexpr size_t kGroup = 15;                       // hashes that one pass of the carry-save adders takes
constexpr size_t kGroupsPerFlush = 17;              // 17 * 15 = 255, what a byte holds
constexpr uint64_t kEvenBits = 0x5555555555555555;  // every second field of 1, 2, 4 bits
constexpr uint64_t kEvenPairs = 0x3333333333333333;
constexpr uint64_t kFourthBits = 0x1111111111111111;
constexpr uint64_t kEvenNibbles = 0x0f0f0f0f0f0f0f0f;

// a + b + c in each bit: the sum stays in `a`, the carry is returned.
inline uint64_t AddCarry(uint64_t& a, uint64_t b, uint64_t c) {
  const uint64_t half = a ^ b;
  const uint64_t carry = (a & b) | (half & c);
  a = half ^ c;
  return carry;
}

// Adds 15 hashes to byte counters: byte j of bytes[i] counts bit 8j + i.
inline void CountGroup(const uint64_t* h, uint64_t bytes[8]) {
  // Fifteen bits of equal value become a binary number of four bits.
  uint64_t ones = h[0];
  uint64_t twos = AddCarry(ones, h[1], h[2]);
  const uint64_t twos1 = AddCarry(ones, h[3], h[4]);
  const uint64_t twos2 = AddCarry(ones, h[5], h[6]);
  uint64_t fours = AddCarry(twos, twos1, twos2);
  const uint64_t twos3 = AddCarry(ones, h[7], h[8]);
  const uint64_t twos4 = AddCarry(ones, h[9], h[10]);
  const uint64_t fours1 = AddCarry(twos, twos3, twos4);
  const uint64_t twos5 = AddCarry(ones, h[11], h[12]);
  const uint64_t twos6 = AddCarry(ones, h[13], h[14]);
  const uint64_t fours2 = AddCarry(twos, twos5, twos6);
  const uint64_t eights = AddCarry(fours, fours1, fours2);

  // The four digits of each position move together: fields of 2 bits, of 4, then bytes.
  const uint64_t low_even = (ones & kEvenBits) | ((twos & kEvenBits) << 1);
  const uint64_t low_odd = ((ones >> 1) & kEvenBits) | (twos & ~kEvenBits);
  const uint64_t high_even = (fours & kEvenBits) | ((eights & kEvenBits) << 1);
  const uint64_t high_odd = ((fours >> 1) & kEvenBits) | (eights & ~kEvenBits);
  const uint64_t position0 = (low_even & kEvenPairs) | ((high_even & kEvenPairs) << 2);
  const uint64_t position1 = (low_odd & kEvenPairs) | ((high_odd & kEvenPairs) << 2);
  const uint64_t position2 = ((low_even >> 2) & kEvenPairs) | (high_even & ~kEvenPairs);
  const uint64_t position3 = ((low_odd >> 2) & kEvenPairs) | (high_odd & ~kEvenPairs);
  bytes[0] += position0 & kEvenNibbles;
  bytes[1] += position1 & kEvenNibbles;
  bytes[2] += position2 & kEvenNibbles;
  bytes[3] += position3 & kEvenNibbles;
  bytes[4] += (position0 >> 4) & kEvenNibbles;
  bytes[5] += (position1 >> 4) & kEvenNibbles;
  bytes[6] += (position2 >> 4) & kEvenNibbles;
  bytes[7] += (position3 >> 4) & kEvenNibbles;
}

inline void Flush(const uint64_t bytes[8], uint64_t counts[64]) {
  for (unsigned j = 0; j < 8; ++j) {
    for (unsigned i = 0; i < 8; ++i) counts[8 * j + i] += (bytes[i] >> (8 * j)) & 0xff;
  }
}

}  // namespace

void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]) {
  while (n > 0) {
    uint64_t bytes[8] = {};
    size_t groups = n / kGroup < kGroupsPerFlush ? n / kGroup : kGroupsPerFlush;
    n -= groups * kGroup;
    const bool room = groups < kGroupsPerFlush;
    for (; groups > 0; --groups, hashes += kGroup) CountGroup(hashes, bytes);
    if (room && n > 0) {
      uint64_t padded[kGroup] = {};
      for (size_t i = 0; i < n; ++i) padded[i] = hashes[i];
      CountGroup(padded, bytes);
      n = 0;
    }
    Flush(bytes, counts);
  }
}

void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]) {
  // Four hashes at a time: the four bits of a position choose one of the sums that four weights can make.
  for (size_t j = 0; j < n; j += 4) {
    uint64_t indices[4] = {};  // field f of indices[k] is the index of bit 4f + k
    uint64_t table[16] = {};
    for (unsigned i = 0; i < 4; ++i) {
      const uint64_t hash = j + i < n ? hashes[j + i] : 0;
      const uint64_t weight = j + i < n ? weights[j + i] : 0;
      for (unsigned k = 0; k < 4; ++k) indices[k] |= ((hash >> k) & kFourthBits) << i;
      for (unsigned t = 0; t < (1u << i); ++t) table[(1u << i) + t] = table[t] + weight;
    }
    for (unsigned f = 0; f < 16; ++f) {
      for (unsigned k = 0; k < 4; ++k) {
        sums[4 * f + k] += table[indices[k] & 0xf];
        indices[k] >>= 4;
      }
    }
  }
}

}  // namespace neardup::kernels::scalar
