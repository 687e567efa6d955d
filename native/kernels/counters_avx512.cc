#include "kernels/avx512.h"
#include "kernels/counters.h"
#include "kernels/weight_digits.h"

#ifdef NEARDUP_AVX512

namespace neardup::kernels::NEARDUP_AVX512_NAMESPACE {

namespace {

constexpr size_t kLanes = 8;
constexpr size_t kVectorsPerFlush = 31;  // 31 * 8 = 248 hashes; a byte holds 255

// Transposes the bits of eight hashes: bit j of byte i of the result is bit i of hash j.
NEARDUP_AVX512_INLINE __m512i Transpose(__m512i hashes) {
  // Byte 8i + 7 - j is byte i of hash j, so that each 64-bit lane is a matrix of 8 x 8 bits ...
  const __m512i row = _mm512_set1_epi64(0x0008101820283038);
  const __m512i column =
      _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                       0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  const __m512i matrices = _mm512_permutexvar_epi8(_mm512_add_epi8(row, column), hashes);
  // ... and the product of the matrix (first row last) with the unit vectors is its transpose.
  const __m512i units = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201));
  return _mm512_gf2p8affine_epi64_epi8(units, matrices, 0);
}

NEARDUP_AVX512_INLINE __m512i LoadFirst(const uint64_t* from, size_t count) {
  return _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << count) - 1), from);
}

// counts[i] += byte i.
NEARDUP_AVX512_INLINE void Flush(__m512i bytes, uint64_t counts[64]) {
  alignas(64) uint8_t buffer[64];
  _mm512_store_si512(buffer, bytes);
  for (size_t i = 0; i < 64; i += kLanes) {
    const __m512i eight = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(buffer + i)));
    _mm512_storeu_si512(counts + i, _mm512_add_epi64(_mm512_loadu_si512(counts + i), eight));
  }
}

// The sixteen sums that four weights can make, by the bits of the index.
NEARDUP_AVX512_INLINE __m512i SubsetSums(const uint32_t* digits) {
  __m512i table = _mm512_maskz_set1_epi32(0xaaaa, static_cast<int>(digits[0]));
  table = _mm512_mask_add_epi32(table, 0xcccc, table, _mm512_set1_epi32(static_cast<int>(digits[1])));
  table = _mm512_mask_add_epi32(table, 0xf0f0, table, _mm512_set1_epi32(static_cast<int>(digits[2])));
  return _mm512_mask_add_epi32(table, 0xff00, table, _mm512_set1_epi32(static_cast<int>(digits[3])));
}

// A SumDigits (weight_digits.h), eight hashes at a time: the four bits that four hashes have at a position
// choose one of the sixteen sums that their digits can make.
NEARDUP_AVX512 void AddDigitSums(const uint64_t* hashes, const uint32_t* digits, size_t n, unsigned shift,
                                 uint64_t sums[64]) {
  // Lane l of totals[f] is for bit 4l + f.
  __m512i totals[4];
  for (int f = 0; f < 4; ++f) totals[f] = _mm512_setzero_si512();
  for (size_t j = 0; j < n; j += kLanes) {
    const size_t left = n - j;
    __m512i indices = Transpose(LoadFirst(hashes + j, left < kLanes ? left : kLanes));
    const __m512i low = SubsetSums(digits + j), high = SubsetSums(digits + j + 4);
    for (int f = 0; f < 4; ++f) {  // the lookup takes the low four bits of a lane
      totals[f] = _mm512_add_epi32(totals[f], _mm512_permutexvar_epi32(indices, low));
      indices = _mm512_srli_epi32(indices, 4);
      totals[f] = _mm512_add_epi32(totals[f], _mm512_permutexvar_epi32(indices, high));
      indices = _mm512_srli_epi32(indices, 4);
    }
  }
  alignas(64) uint32_t buffer[4][16];
  for (int f = 0; f < 4; ++f) _mm512_store_si512(buffer[f], totals[f]);
  for (unsigned i = 0; i < 64; ++i) sums[i] += static_cast<uint64_t>(buffer[i % 4][i / 4]) << shift;
}

}  // namespace

NEARDUP_AVX512 void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]) {
  while (n > 0) {
    __m512i bytes = _mm512_setzero_si512();
    size_t vectors = n / kLanes < kVectorsPerFlush ? n / kLanes : kVectorsPerFlush;
    n -= vectors * kLanes;
    const bool room = vectors < kVectorsPerFlush;
    for (; vectors > 0; --vectors, hashes += kLanes) {
      bytes = _mm512_add_epi8(bytes, _mm512_popcnt_epi8(Transpose(_mm512_loadu_si512(hashes))));
    }
    if (room && n > 0) {
      bytes = _mm512_add_epi8(bytes, _mm512_popcnt_epi8(Transpose(LoadFirst(hashes, n))));
      n = 0;
    }
    Flush(bytes, counts);
  }
}

void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]) {
  SumByDigits(AddDigitSums, hashes, weights, n, sums);
}

}  // namespace neardup::kernels::NEARDUP_AVX512_NAMESPACE

#endif  // NEARDUP_AVX512
