// Which instruction sets a build may hold beside its baseline. A kernel carries its instruction set as a
// function attribute, so that no other function of the build can come to use it; hence no source here may
// be compiled with flags such as -mavx2.
#ifndef NEARDUP_KERNELS_TARGET_H_
#define NEARDUP_KERNELS_TARGET_H_

#if defined(__AVX__) || defined(__AVX2__) || defined(__AVX512F__)
#error "build without -mavx, -mavx2, -mavx512* or -march=native: the kernels choose at run time"
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define NEARDUP_HAS_AVX 1
#endif

#if defined(__GNUC__) && defined(__aarch64__)
#define NEARDUP_HAS_NEON 1
#endif

#endif  // NEARDUP_KERNELS_TARGET_H_
