#include "kernels/pairs_inline.h"
#include "kernels/target.h"

#ifdef NEARDUP_HAS_AVX

#include <immintrin.h>

namespace neardup::kernels::avx2 {

#define NEARDUP_COUNT(x) static_cast<unsigned>(_mm_popcnt_u64(x))
NEARDUP_DEFINE_NEAR_PAIRS(__attribute__((target("avx2,popcnt"))), NEARDUP_COUNT)
NEARDUP_DEFINE_NEAR_KEYS(__attribute__((target("avx2,popcnt"))), NEARDUP_COUNT)

}  // namespace neardup::kernels::avx2

#endif  // NEARDUP_HAS_AVX
