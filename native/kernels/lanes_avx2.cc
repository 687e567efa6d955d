#include "kernels/lanes.h"
#include "kernels/prefetch.h"
#include "kernels/target.h"

#ifdef NEARDUP_HAS_AVX

#include <immintrin.h>

#define NEARDUP_AVX2 __attribute__((target("avx2,popcnt")))
#define NEARDUP_AVX2_INLINE __attribute__((target("avx2,popcnt"), always_inline)) inline

namespace neardup::kernels::avx2 {

namespace {

// All ones in the lanes that differ in more than `limit` bits.
NEARDUP_AVX2_INLINE __m256i Far(__m256i stored, __m256i lane, __m256i limit) {
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i counts = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));  // of the bits of 0..15
  const __m256i x = _mm256_xor_si256(stored, lane);
  const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble));
  const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi32(x, 4), nibble));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
  return _mm256_cmpgt_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), limit);
}

}  // namespace

NEARDUP_AVX2 void MatchLanes(const LaneQuery& query, uint32_t* out) {
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(query.k < 32 ? query.k : 32));
  for (size_t i = query.count; i < query.ahead_count; ++i) Prefetch(query.ahead[i]);
  for (size_t i = 0; i < query.count; ++i) {
    if (i < query.ahead_count) Prefetch(query.ahead[i]);
    const auto* line = reinterpret_cast<const __m256i*>(query.lines[i]);
    const __m256i lane = _mm256_set1_epi32(static_cast<int>(query.lanes[i]));
    const __m256 first = _mm256_castsi256_ps(Far(_mm256_load_si256(line), lane, limit));
    const __m256 second = _mm256_castsi256_ps(Far(_mm256_load_si256(line + 1), lane, limit));
    const uint32_t far = static_cast<uint32_t>(_mm256_movemask_ps(first)) |
                         static_cast<uint32_t>(_mm256_movemask_ps(second)) << 8;
    out[i] = ~far & LanesInUse(query.lines[i]);
  }
}

NEARDUP_AVX2 size_t NearLanes(const uint32_t* lanes, size_t n, uint32_t lane, unsigned k,
                              uint32_t* positions) {
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(k < 32 ? k : 32));
  const __m256i query = _mm256_set1_epi32(static_cast<int>(lane));
  size_t count = 0, i = 0;
  for (; i + 16 <= n; i += 16) {
    const auto* at = reinterpret_cast<const __m256i*>(lanes + i);
    const __m256 first = _mm256_castsi256_ps(Far(_mm256_loadu_si256(at), query, limit));
    const __m256 second = _mm256_castsi256_ps(Far(_mm256_loadu_si256(at + 1), query, limit));
    unsigned near = ~(static_cast<unsigned>(_mm256_movemask_ps(first)) |
                      static_cast<unsigned>(_mm256_movemask_ps(second)) << 8) &
                    0xffff;
    for (; near != 0; near &= near - 1) {
      positions[count++] = static_cast<uint32_t>(i) + static_cast<uint32_t>(__builtin_ctz(near));
    }
  }
  for (; i < n; ++i) {
    if (static_cast<unsigned>(_mm_popcnt_u32(lanes[i] ^ lane)) <= k)
      positions[count++] = static_cast<uint32_t>(i);
  }
  return count;
}

}  // namespace neardup::kernels::avx2

#endif  // NEARDUP_HAS_AVX
