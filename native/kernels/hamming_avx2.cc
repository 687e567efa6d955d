#include "kernels/hamming.h"
#include "kernels/target.h"

#ifdef NEARDUP_HAS_AVX

#include <immintrin.h>

#define NEARDUP_AVX2 __attribute__((target("avx2,popcnt")))
#define NEARDUP_AVX2_INLINE __attribute__((target("avx2,popcnt"), always_inline)) inline

namespace neardup::kernels::avx2 {

namespace {

constexpr size_t kLanes = 4;
constexpr size_t kVectors = 8;
constexpr size_t kStep = kVectors * kLanes;

// The distances of four codes, each in 64 bits.
NEARDUP_AVX2_INLINE __m256i FourDistances(const uint64_t* codes, __m256i query) {
  const __m256i counts = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));  // of the bits of 0..15
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i x = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)), query);
  const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble));
  const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64(x, 4), nibble));
  return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

NEARDUP_AVX2_INLINE unsigned Distance(uint64_t code, uint64_t query) {
  return static_cast<unsigned>(_mm_popcnt_u64(code ^ query));
}

}  // namespace

NEARDUP_AVX2 void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out) {
  const __m256i queries = _mm256_set1_epi64x(static_cast<long long>(query));
  // Brings the bytes of two neighbouring lanes together: byte v of both, v = 0..7.
  const __m256i pairs =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    __m256i lanes = FourDistances(codes + i, queries);  // byte v of lane k: code 4v + k
    for (size_t v = 1; v < kVectors; ++v) {
      const __m256i next = FourDistances(codes + i + kLanes * v, queries);
      lanes = _mm256_or_si256(lanes, _mm256_slli_epi64(next, static_cast<int>(8 * v)));
    }
    lanes = _mm256_shuffle_epi8(lanes, pairs);
    const __m128i first = _mm256_castsi256_si128(lanes), second = _mm256_extracti128_si256(lanes, 1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_unpacklo_epi16(first, second));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i + 16), _mm_unpackhi_epi16(first, second));
  }
  for (; i < n; ++i) out[i] = static_cast<uint8_t>(Distance(codes[i], query));
}

NEARDUP_AVX2 size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance,
                           uint32_t* positions) {
  const __m256i queries = _mm256_set1_epi64x(static_cast<long long>(query));
  const __m256i limit = _mm256_set1_epi64x(static_cast<long long>(max_distance) + 1);
  size_t count = 0;
  size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    __m256i distances[kVectors];
    for (size_t v = 0; v < kVectors; ++v) distances[v] = FourDistances(codes + i + kLanes * v, queries);
    __m256i least = distances[0];
    for (size_t v = 1; v < kVectors; ++v) least = _mm256_min_epu8(least, distances[v]);
    if (_mm256_movemask_epi8(_mm256_cmpgt_epi64(limit, least)) == 0) continue;
    for (size_t v = 0; v < kVectors; ++v) {
      const __m256i near = _mm256_cmpgt_epi64(limit, distances[v]);
      unsigned mask = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(near)));
      for (; mask != 0; mask &= mask - 1) {
        positions[count++] =
            static_cast<uint32_t>(i + kLanes * v) + static_cast<uint32_t>(__builtin_ctz(mask));
      }
    }
  }
  for (; i < n; ++i) {
    if (Distance(codes[i], query) <= max_distance) positions[count++] = static_cast<uint32_t>(i);
  }
  return count;
}

}  // namespace neardup::kernels::avx2

#endif  // NEARDUP_HAS_AVX
