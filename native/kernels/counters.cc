#include "kernels/counters.h"

namespace neardup {

namespace {

// Bit i of plane p is bit p of counter i.
constexpr int kPlanes = 8;
// Hashes that the planes can hold, a multiple of kGroup.
constexpr size_t kCapacity = 248;
constexpr size_t kGroup = 8;

struct Pair {
  uint64_t sum;
  uint64_t carry;
};

// Adds three bits in each of 64 lanes.
Pair AddBits(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t half = a ^ b;
  return {half ^ c, (a & b) | (half & c)};
}

void AddGroup(const uint64_t* hashes, uint64_t planes[kPlanes]) {
  const Pair ones1 = AddBits(planes[0], hashes[0], hashes[1]);
  const Pair ones2 = AddBits(ones1.sum, hashes[2], hashes[3]);
  const Pair ones3 = AddBits(ones2.sum, hashes[4], hashes[5]);
  const Pair ones4 = AddBits(ones3.sum, hashes[6], hashes[7]);
  const Pair twos1 = AddBits(planes[1], ones1.carry, ones2.carry);
  const Pair twos2 = AddBits(twos1.sum, ones3.carry, ones4.carry);
  const Pair fours = AddBits(planes[2], twos1.carry, twos2.carry);
  planes[0] = ones4.sum;
  planes[1] = twos2.sum;
  planes[2] = fours.sum;
  uint64_t carry = fours.carry;
  for (int p = 3; p < kPlanes; p++) {
    const uint64_t next = planes[p] & carry;
    planes[p] ^= carry;
    carry = next;
  }
}

}  // namespace

void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]) {
  while (n >= kGroup) {
    const size_t block = n < kCapacity ? n - n % kGroup : kCapacity;
    uint64_t planes[kPlanes] = {};
    for (size_t j = 0; j < block; j += kGroup) AddGroup(hashes + j, planes);
    for (int i = 0; i < 64; i++) {
      uint64_t count = 0;
      for (int p = 0; p < kPlanes; p++) count |= (planes[p] >> i & 1) << p;
      counts[i] += count;
    }
    hashes += block;
    n -= block;
  }
  for (; n > 0; n--, hashes++) {
    for (int i = 0; i < 64; i++) counts[i] += *hashes >> i & 1;
  }
}

void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]) {
  for (size_t j = 0; j < n; j++) {
    for (int i = 0; i < 64; i++) sums[i] += weights[j] & (0 - (hashes[j] >> i & 1));
  }
}

}  // namespace neardup
