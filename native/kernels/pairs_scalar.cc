#include "core/base/bits.h"
#include "kernels/pairs_inline.h"
#include "kernels/target.h"

namespace neardup::kernels::scalar {

namespace {

inline unsigned Count(uint64_t x) {
#ifdef NEARDUP_HAS_NEON
  return static_cast<unsigned>(__builtin_popcountll(x));  // Three vector instructions.
#else
  return PopCount(x);
#endif
}

}  // namespace

NEARDUP_DEFINE_NEAR_PAIRS(, Count)
NEARDUP_DEFINE_NEAR_KEYS(, Count)

}  // namespace neardup::kernels::scalar
