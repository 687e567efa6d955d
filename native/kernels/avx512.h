// The intrinsics of the AVX-512 kernels and their target attribute. Built with NEARDUP_SIMDE, the same
// sources become plain C++ by the SIMDe headers, in a namespace of their own: that is how they are tested
// on processors without AVX-512.
#ifndef NEARDUP_KERNELS_AVX512_H_
#define NEARDUP_KERNELS_AVX512_H_

#include "kernels/target.h"

#if defined(NEARDUP_SIMDE)
#include "test/avx512_emulation.h"
#define NEARDUP_AVX512
#define NEARDUP_AVX512_INLINE inline
#define NEARDUP_AVX512_NAMESPACE avx512_emulated
#elif defined(NEARDUP_HAS_AVX)
#if !defined(__clang__)  // GCC 12 warns of its own headers' deliberately undefined registers
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#define NEARDUP_AVX512_SETS "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vpopcntdq,gfni"
#define NEARDUP_AVX512 __attribute__((target(NEARDUP_AVX512_SETS)))
#define NEARDUP_AVX512_INLINE __attribute__((target(NEARDUP_AVX512_SETS), always_inline)) inline
#define NEARDUP_AVX512_NAMESPACE avx512
#endif

#endif  // NEARDUP_KERNELS_AVX512_H_
