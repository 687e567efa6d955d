// Asks for the cache line at an address, without waiting and without faulting.
#ifndef NEARDUP_KERNELS_PREFETCH_H_
#define NEARDUP_KERNELS_PREFETCH_H_

#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace neardup::kernels {

inline void Prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
  (void)address;
#endif
}

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_PREFETCH_H_
