#include "kernels/lanes.h"
#include "kernels/prefetch.h"
#include "kernels/target.h"

#ifdef NEARDUP_HAS_AVX

#include <immintrin.h>

#define NEARDUP_AVX2 __attribute__((target("avx2")))
#define NEARDUP_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

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

}  // namespace neardup::kernels::avx2

#endif  // NEARDUP_HAS_AVX
