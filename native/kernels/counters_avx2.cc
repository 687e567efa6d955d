#include "kernels/counters.h"
#include "kernels/target.h"
#include "kernels/weight_digits.h"

#ifdef NEARDUP_HAS_AVX

#include <immintrin.h>

#define NEARDUP_AVX2 __attribute__((target("avx2")))
#define NEARDUP_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace neardup::kernels::avx2 {

namespace {

constexpr size_t kLanes = 4;
constexpr size_t kGroup = 15 * kLanes;  // hashes that one pass of the carry-save adders takes
constexpr size_t kSmallGroup = 7 * kLanes;
constexpr size_t kGroupsPerFlush = 17;  // 17 * 15 = 255, what a byte holds; the tail has a flush of its own

// a + b + c in each bit: the sum stays in `a`, the carry is returned.
NEARDUP_AVX2_INLINE __m256i AddCarry(__m256i& a, __m256i b, __m256i c) {
  const __m256i half = _mm256_xor_si256(a, b);
  const __m256i carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, c));
  a = _mm256_xor_si256(half, c);
  return carry;
}

// (low & mask) | ((high & mask) << shift), and the same for the positions above the mask.
NEARDUP_AVX2_INLINE __m256i MergeLow(__m256i low, __m256i high, __m256i mask, int shift) {
  return _mm256_or_si256(_mm256_and_si256(low, mask), _mm256_slli_epi64(_mm256_and_si256(high, mask), shift));
}
NEARDUP_AVX2_INLINE __m256i MergeHigh(__m256i low, __m256i high, __m256i mask, int shift) {
  return _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi64(low, shift), mask),
                         _mm256_andnot_si256(mask, high));
}

// Adds binary numbers of four bits to byte counters: byte j of a lane of bytes[i] counts bit 8j + i.
NEARDUP_AVX2_INLINE void AddDigits(__m256i ones, __m256i twos, __m256i fours, __m256i eights,
                                   __m256i bytes[8]) {
  const __m256i k01 = _mm256_set1_epi8(0x55), k03 = _mm256_set1_epi8(0x33), k0f = _mm256_set1_epi8(0x0f);
  const __m256i low_even = MergeLow(ones, twos, k01, 1), low_odd = MergeHigh(ones, twos, k01, 1);
  const __m256i high_even = MergeLow(fours, eights, k01, 1), high_odd = MergeHigh(fours, eights, k01, 1);
  const __m256i positions[4] = {MergeLow(low_even, high_even, k03, 2), MergeLow(low_odd, high_odd, k03, 2),
                                MergeHigh(low_even, high_even, k03, 2), MergeHigh(low_odd, high_odd, k03, 2)};
  for (int i = 0; i < 4; ++i) {
    bytes[i] = _mm256_add_epi8(bytes[i], _mm256_and_si256(positions[i], k0f));
    bytes[i + 4] = _mm256_add_epi8(bytes[i + 4], _mm256_and_si256(_mm256_srli_epi64(positions[i], 4), k0f));
  }
}

// Loads vector `i` of a group; lanes from `n` on are zero and are not read.
struct Whole {
  const uint64_t* hashes;
  NEARDUP_AVX2_INLINE __m256i operator()(size_t i) const {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes + kLanes * i));
  }
};
struct Masked {
  const uint64_t* hashes;
  __m256i lanes_left;  // n - lane, in each lane
  NEARDUP_AVX2_INLINE __m256i operator()(size_t i) const {
    const __m256i mask =
        _mm256_cmpgt_epi64(lanes_left, _mm256_set1_epi64x(static_cast<long long>(kLanes * i)));
    return _mm256_maskload_epi64(reinterpret_cast<const long long*>(hashes + kLanes * i), mask);
  }
};

// Fifteen bits of equal value become a binary number of four bits.
template <typename Load>
NEARDUP_AVX2_INLINE void CountGroup(const Load& load, __m256i bytes[8]) {
  __m256i ones = load(0);
  __m256i twos = AddCarry(ones, load(1), load(2));
  const __m256i twos1 = AddCarry(ones, load(3), load(4));
  const __m256i twos2 = AddCarry(ones, load(5), load(6));
  __m256i fours = AddCarry(twos, twos1, twos2);
  const __m256i twos3 = AddCarry(ones, load(7), load(8));
  const __m256i twos4 = AddCarry(ones, load(9), load(10));
  const __m256i fours1 = AddCarry(twos, twos3, twos4);
  const __m256i twos5 = AddCarry(ones, load(11), load(12));
  const __m256i twos6 = AddCarry(ones, load(13), load(14));
  const __m256i fours2 = AddCarry(twos, twos5, twos6);
  const __m256i eights = AddCarry(fours, fours1, fours2);
  AddDigits(ones, twos, fours, eights, bytes);
}

// The same for seven bits.
template <typename Load>
NEARDUP_AVX2_INLINE void CountSmallGroup(const Load& load, __m256i bytes[8]) {
  __m256i ones = load(0);
  __m256i twos = AddCarry(ones, load(1), load(2));
  const __m256i twos1 = AddCarry(ones, load(3), load(4));
  const __m256i twos2 = AddCarry(ones, load(5), load(6));
  const __m256i fours = AddCarry(twos, twos1, twos2);
  AddDigits(ones, twos, fours, _mm256_setzero_si256(), bytes);
}

// The lanes of each byte counter are summed, then brought into the order of the bits.
NEARDUP_AVX2_INLINE void Flush(const __m256i bytes[8], uint64_t counts[64]) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i words[8];  // 16 bits wide: the lower half sums lanes 0 and 1, the upper half lanes 2 and 3
  for (int i = 0; i < 8; ++i) {
    words[i] = _mm256_add_epi16(_mm256_unpacklo_epi8(bytes[i], zero), _mm256_unpackhi_epi8(bytes[i], zero));
  }
  __m256i sums[4];  // lower half: bits 8j + i, upper half: bits 8j + i + 4
  for (int i = 0; i < 4; ++i) {
    sums[i] = _mm256_add_epi16(_mm256_permute2x128_si256(words[i], words[i + 4], 0x20),
                               _mm256_permute2x128_si256(words[i], words[i + 4], 0x31));
  }
  const __m256i low01 = _mm256_unpacklo_epi16(sums[0], sums[1]);
  const __m256i low23 = _mm256_unpacklo_epi16(sums[2], sums[3]);
  const __m256i high01 = _mm256_unpackhi_epi16(sums[0], sums[1]);
  const __m256i high23 = _mm256_unpackhi_epi16(sums[2], sums[3]);
  const __m256i rows[4] = {_mm256_unpacklo_epi32(low01, low23), _mm256_unpackhi_epi32(low01, low23),
                           _mm256_unpacklo_epi32(high01, high23), _mm256_unpackhi_epi32(high01, high23)};
  for (int i = 0; i < 4; ++i) {
    const __m128i halves[2] = {_mm256_castsi256_si128(rows[i]), _mm256_extracti128_si256(rows[i], 1)};
    for (int half = 0; half < 2; ++half) {
      for (int part = 0; part < 2; ++part) {
        const __m128i four = part == 0 ? halves[half] : _mm_unpackhi_epi64(halves[half], halves[half]);
        __m256i* out = reinterpret_cast<__m256i*>(counts + 16 * i + 8 * part + 4 * half);
        _mm256_storeu_si256(out, _mm256_add_epi64(_mm256_loadu_si256(out), _mm256_cvtepu16_epi64(four)));
      }
    }
  }
}

// Adds three digits: the three bits of a position choose one of the eight sums that they can make. Lane
// 2k + half of totals[f] is for bit 32 half + 4f + k.
NEARDUP_AVX2_INLINE void AddThree(const uint64_t hashes[3], const uint32_t digits[3], __m256i totals[8]) {
  const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
  const __m256i every_fourth = _mm256_set1_epi8(0x11);
  const __m256i having[3] = {_mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1),  // bit i of the lane's number
                             _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1),
                             _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1)};
  // Each field of four bits holds an index; the lookup takes the low three bits of a lane.
  __m256i table = _mm256_setzero_si256(), indices = table;
  for (int i = 2; i >= 0; --i) {
    const __m256i hash = _mm256_set1_epi64x(static_cast<long long>(hashes[i]));
    const __m256i bits = _mm256_and_si256(_mm256_srlv_epi64(hash, lane), every_fourth);
    indices = _mm256_or_si256(_mm256_add_epi64(indices, indices), bits);
    const __m256i digit = _mm256_set1_epi32(static_cast<int>(digits[i]));
    table = _mm256_add_epi32(table, _mm256_and_si256(digit, having[i]));
  }
  for (int f = 0; f < 8; ++f) {
    totals[f] = _mm256_add_epi32(totals[f], _mm256_permutevar8x32_epi32(table, indices));
    indices = _mm256_srli_epi32(indices, 4);
  }
}

// A SumDigits (weight_digits.h).
NEARDUP_AVX2 void AddDigitSums(const uint64_t* hashes, const uint32_t* digits, size_t n, unsigned shift,
                               uint64_t sums[64]) {
  __m256i totals[8];
  for (int f = 0; f < 8; ++f) totals[f] = _mm256_setzero_si256();
  size_t j = 0;
  for (; j + 3 <= n; j += 3) AddThree(hashes + j, digits + j, totals);
  if (j < n) {
    const uint64_t rest[3] = {hashes[j], j + 1 < n ? hashes[j + 1] : 0, 0};
    AddThree(rest, digits + j, totals);
  }
  const __m256i low_half = _mm256_set1_epi64x(0xffffffff);
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (int f = 0; f < 8; ++f) {
    const __m256i halves[2] = {_mm256_and_si256(totals[f], low_half), _mm256_srli_epi64(totals[f], 32)};
    for (int half = 0; half < 2; ++half) {
      __m256i* out = reinterpret_cast<__m256i*>(sums + 32 * half + 4 * f);
      const __m256i shifted = _mm256_sll_epi64(halves[half], count);
      _mm256_storeu_si256(out, _mm256_add_epi64(_mm256_loadu_si256(out), shifted));
    }
  }
}

}  // namespace

NEARDUP_AVX2 void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]) {
  while (n > 0) {
    __m256i bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = _mm256_setzero_si256();
    // The last group is masked, so at most 16 whole ones stand before it.
    size_t groups = n / kGroup < kGroupsPerFlush ? n / kGroup : kGroupsPerFlush;
    n -= groups * kGroup;
    const bool room = groups < kGroupsPerFlush;
    for (; groups > 0; --groups, hashes += kGroup) CountGroup(Whole{hashes}, bytes);
    if (room && n > 0) {
      const Masked rest{hashes, _mm256_sub_epi64(_mm256_set1_epi64x(static_cast<long long>(n)),
                                                 _mm256_setr_epi64x(0, 1, 2, 3))};
      if (n <= kSmallGroup) {
        CountSmallGroup(rest, bytes);
      } else {
        CountGroup(rest, bytes);
      }
      n = 0;
    }
    Flush(bytes, counts);
  }
}

void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]) {
  SumByDigits(AddDigitSums, hashes, weights, n, sums);
}

}  // namespace neardup::kernels::avx2

#endif  // NEARDUP_HAS_AVX
