#include "kernels/counters.h"
#include "kernels/target.h"
#include "kernels/weight_digits.h"

#ifdef NEARDUP_HAS_NEON

#include <arm_neon.h>

namespace neardup::kernels::neon {

namespace {

constexpr size_t kLanes = 2;
constexpr size_t kGroup = 15 * kLanes;  // hashes that one pass of the carry-save adders takes
constexpr size_t kGroupsPerFlush = 17;  // 17 * 15 = 255, what a byte holds

// a + b + c in each bit: the sum stays in `a`, the carry is returned.
inline uint64x2_t AddCarry(uint64x2_t& a, uint64x2_t b, uint64x2_t c) {
  const uint64x2_t half = veorq_u64(a, b);
  const uint64x2_t carry = vbslq_u64(half, c, a);
  a = veorq_u64(half, c);
  return carry;
}

// Fields of `width` bits: those of low and high at the even fields, or at the odd ones, side by side.
inline uint8x16_t MergeLow1(uint8x16_t low, uint8x16_t high) {
  return vbslq_u8(vdupq_n_u8(0x55), low, vshlq_n_u8(high, 1));
}
inline uint8x16_t MergeHigh1(uint8x16_t low, uint8x16_t high) {
  return vbslq_u8(vdupq_n_u8(0x55), vshrq_n_u8(low, 1), high);
}
inline uint8x16_t MergeLow2(uint8x16_t low, uint8x16_t high) {
  return vbslq_u8(vdupq_n_u8(0x33), low, vshlq_n_u8(high, 2));
}
inline uint8x16_t MergeHigh2(uint8x16_t low, uint8x16_t high) {
  return vbslq_u8(vdupq_n_u8(0x33), vshrq_n_u8(low, 2), high);
}

// Adds 30 hashes to byte counters: byte j of a lane of bytes[i] counts bit 8j + i.
inline void CountGroup(const uint64_t* hashes, uint8x16_t bytes[8]) {
  uint64x2_t x[15];
  for (size_t i = 0; i < 15; ++i) x[i] = vld1q_u64(hashes + kLanes * i);
  // Fifteen bits of equal value become a binary number of four bits.
  uint64x2_t ones = x[0];
  uint64x2_t twos = AddCarry(ones, x[1], x[2]);
  const uint64x2_t twos1 = AddCarry(ones, x[3], x[4]);
  const uint64x2_t twos2 = AddCarry(ones, x[5], x[6]);
  uint64x2_t fours = AddCarry(twos, twos1, twos2);
  const uint64x2_t twos3 = AddCarry(ones, x[7], x[8]);
  const uint64x2_t twos4 = AddCarry(ones, x[9], x[10]);
  const uint64x2_t fours1 = AddCarry(twos, twos3, twos4);
  const uint64x2_t twos5 = AddCarry(ones, x[11], x[12]);
  const uint64x2_t twos6 = AddCarry(ones, x[13], x[14]);
  const uint64x2_t fours2 = AddCarry(twos, twos5, twos6);
  const uint64x2_t eights = AddCarry(fours, fours1, fours2);

  // The four digits of each position move together: fields of 2 bits, of 4, then bytes.
  const uint8x16_t digit0 = vreinterpretq_u8_u64(ones), digit1 = vreinterpretq_u8_u64(twos);
  const uint8x16_t digit2 = vreinterpretq_u8_u64(fours), digit3 = vreinterpretq_u8_u64(eights);
  const uint8x16_t low_even = MergeLow1(digit0, digit1), low_odd = MergeHigh1(digit0, digit1);
  const uint8x16_t high_even = MergeLow1(digit2, digit3), high_odd = MergeHigh1(digit2, digit3);
  const uint8x16_t positions[4] = {MergeLow2(low_even, high_even), MergeLow2(low_odd, high_odd),
                                   MergeHigh2(low_even, high_even), MergeHigh2(low_odd, high_odd)};
  for (int i = 0; i < 4; ++i) {
    bytes[i] = vaddq_u8(bytes[i], vandq_u8(positions[i], vdupq_n_u8(0x0f)));
    bytes[i + 4] = vsraq_n_u8(bytes[i + 4], positions[i], 4);
  }
}

// out[0..3] += four counters.
inline void Add(uint64_t* out, uint16x4_t four) {
  const uint32x4_t wide = vmovl_u16(four);
  vst1q_u64(out, vaddw_u32(vld1q_u64(out), vget_low_u32(wide)));
  vst1q_u64(out + 2, vaddw_high_u32(vld1q_u64(out + 2), wide));
}

inline void Flush(const uint8x16_t bytes[8], uint64_t counts[64]) {
  uint16x8_t sums[8];  // the two lanes together
  for (int i = 0; i < 8; ++i) sums[i] = vaddl_u8(vget_low_u8(bytes[i]), vget_high_u8(bytes[i]));
  uint16_t low[32], high[32];  // interleaved: entry 4j + i is for bit 8j + i, or 8j + 4 + i
  vst4q_u16(low, (uint16x8x4_t{{sums[0], sums[1], sums[2], sums[3]}}));
  vst4q_u16(high, (uint16x8x4_t{{sums[4], sums[5], sums[6], sums[7]}}));
  for (int j = 0; j < 8; ++j) {
    Add(counts + 8 * j, vld1_u16(low + 4 * j));
    Add(counts + 8 * j + 4, vld1_u16(high + 4 * j));
  }
}

// The sixteen sums that four digits can make, by the bits of the index, in three planes of bytes.
inline void SubsetSums(const uint32_t digits[4], uint8x16_t planes[3]) {
  const uint32_t first[4] = {0, UINT32_MAX, 0, UINT32_MAX}, second[4] = {0, 0, UINT32_MAX, UINT32_MAX};
  const uint32x4_t digit2 = vdupq_n_u32(digits[2]), digit3 = vdupq_n_u32(digits[3]);
  const uint32x4_t sums0 = vaddq_u32(vandq_u32(vdupq_n_u32(digits[0]), vld1q_u32(first)),
                                     vandq_u32(vdupq_n_u32(digits[1]), vld1q_u32(second)));
  const uint32x4_t sums1 = vaddq_u32(sums0, digit2);
  const uint16x8_t low = vreinterpretq_u16_u32(sums0), high = vreinterpretq_u16_u32(sums1);
  const uint16x8_t low3 = vreinterpretq_u16_u32(vaddq_u32(sums0, digit3));
  const uint16x8_t high3 = vreinterpretq_u16_u32(vaddq_u32(sums1, digit3));
  const uint8x16_t words = vreinterpretq_u8_u16(vuzp1q_u16(low, high));
  const uint8x16_t words3 = vreinterpretq_u8_u16(vuzp1q_u16(low3, high3));
  planes[0] = vuzp1q_u8(words, words3);
  planes[1] = vuzp2q_u8(words, words3);
  planes[2] =
      vuzp1q_u8(vreinterpretq_u8_u16(vuzp2q_u16(low, high)), vreinterpretq_u8_u16(vuzp2q_u16(low3, high3)));
}

// The bits of four hashes side by side: field f (of four bits) of lane l is that of bit 4f + first + l.
inline uint8x16_t Interleave(const uint64_t hashes[4], int64_t first) {
  uint64x2_t bits[4];
  for (int i = 0; i < 4; ++i) {
    const int64_t shifts[2] = {i - first, i - first - 1};
    bits[i] = vshlq_u64(vdupq_n_u64(hashes[i]), vld1q_s64(shifts));
  }
  const uint64x2_t high = vbslq_u64(vdupq_n_u64(0x4444444444444444), bits[2], bits[3]);
  const uint64x2_t low = vbslq_u64(vdupq_n_u64(0x1111111111111111), bits[0], bits[1]);
  return vreinterpretq_u8_u64(vbslq_u64(vdupq_n_u64(0x3333333333333333), low, high));
}

// Sums of bytes over a block. Entry j of totals[p][k] is for plane p and bit 8j + k.
using PlaneTotals = uint16x8_t[3][8];
static_assert(kDigitBlock / 4 * 255 <= UINT16_MAX, "a plane's sum must fit 16 bits");

// Adds four digits: the four bits of a position choose one of the sums.
inline void AddFour(const uint64_t hashes[4], const uint32_t digits[4], PlaneTotals& totals) {
  uint8x16_t planes[3];
  SubsetSums(digits, planes);
  for (int first = 0; first < 4; first += 2) {
    const uint8x16_t fields = Interleave(hashes, first);
    const uint8x16_t indices[2] = {vandq_u8(fields, vdupq_n_u8(0x0f)), vshrq_n_u8(fields, 4)};
    for (int odd = 0; odd < 2; ++odd) {
      const int k = 4 * odd + first;
      for (int p = 0; p < 3; ++p) {
        const uint8x16_t sums = vqtbl1q_u8(planes[p], indices[odd]);
        totals[p][k] = vaddw_u8(totals[p][k], vget_low_u8(sums));
        totals[p][k + 1] = vaddw_high_u8(totals[p][k + 1], sums);
      }
    }
  }
}

// A SumDigits (weight_digits.h).
void AddDigitSums(const uint64_t* hashes, const uint32_t* digits, size_t n, unsigned shift,
                  uint64_t sums[64]) {
  PlaneTotals totals;
  for (int p = 0; p < 3; ++p) {
    for (int k = 0; k < 8; ++k) totals[p][k] = vdupq_n_u16(0);
  }
  size_t j = 0;
  for (; j + 4 <= n; j += 4) AddFour(hashes + j, digits + j, totals);
  if (j < n) {
    uint64_t rest[4] = {};
    for (size_t i = j; i < n; ++i) rest[i - j] = hashes[i];
    AddFour(rest, digits + j, totals);
  }
  for (int k = 0; k < 8; ++k) {
    uint16_t planes[3][8];
    for (int p = 0; p < 3; ++p) vst1q_u16(planes[p], totals[p][k]);
    for (int i = 0; i < 8; ++i) {
      const uint64_t sum = planes[0][i] + (uint64_t{planes[1][i]} << 8) + (uint64_t{planes[2][i]} << 16);
      sums[8 * i + k] += sum << shift;
    }
  }
}

}  // namespace

void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]) {
  while (n > 0) {
    uint8x16_t bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = vdupq_n_u8(0);
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
  SumByDigits(AddDigitSums, hashes, weights, n, sums);
}

}  // namespace neardup::kernels::neon

#endif  // NEARDUP_HAS_NEON
