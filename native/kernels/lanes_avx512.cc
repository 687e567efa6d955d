#include "kernels/avx512.h"
#include "kernels/lanes.h"
#include "kernels/prefetch.h"

#ifdef NEARDUP_AVX512

namespace neardup::kernels::NEARDUP_AVX512_NAMESPACE {

NEARDUP_AVX512 void MatchLanes(const LaneQuery& query, uint32_t* out) {
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(query.k < 32 ? query.k : 32));
  for (size_t i = query.count; i < query.ahead_count; ++i) Prefetch(query.ahead[i]);
  for (size_t i = 0; i < query.count; ++i) {
    if (i < query.ahead_count) Prefetch(query.ahead[i]);
    const __m512i lane = _mm512_set1_epi32(static_cast<int>(query.lanes[i]));
    const __m512i x = _mm512_xor_si512(_mm512_loadu_si512(query.lines[i]), lane);
    const uint32_t near = _mm512_cmple_epu32_mask(_mm512_popcnt_epi32(x), limit);
    out[i] = (near | uint32_t{1} << 16) & LanesInUse(query.lines[i]);
  }
}

}  // namespace neardup::kernels::NEARDUP_AVX512_NAMESPACE

#endif  // NEARDUP_AVX512
