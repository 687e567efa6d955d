// AVX-512 as plain C++ for the tests: SIMDe's translation of the intrinsics, and the few that the kernels
// use and SIMDe (0.7.4) lacks.
#ifndef NEARDUP_TEST_AVX512_EMULATION_H_
#define NEARDUP_TEST_AVX512_EMULATION_H_

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>

#include <cstdint>

using __mmask8 = simde__mmask8;

// Lanes outside the mask are zero and are not read.
inline __m512i _mm512_maskz_loadu_epi64(__mmask8 mask, const void* from) {
  int64_t lanes[8] = {};
  for (int i = 0; i < 8; ++i) {
    if ((mask >> i) & 1) __builtin_memcpy(&lanes[i], static_cast<const char*>(from) + 8 * i, 8);
  }
  return _mm512_loadu_si512(lanes);
}

inline __m512i _mm512_cvtepu8_epi64(__m128i bytes) {
  uint8_t from[16];
  uint64_t lanes[8];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(from), bytes);
  for (int i = 0; i < 8; ++i) lanes[i] = from[i];
  return _mm512_loadu_si512(lanes);
}

inline __m128i _mm512_cvtepi64_epi8(__m512i values) {
  uint64_t lanes[8];
  uint8_t to[16] = {};
  _mm512_storeu_si512(lanes, values);
  for (int i = 0; i < 8; ++i) to[i] = static_cast<uint8_t>(lanes[i]);
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(to));
}

#endif  // NEARDUP_TEST_AVX512_EMULATION_H_
