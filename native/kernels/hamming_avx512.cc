#include "kernels/avx512.h"
#include "kernels/hamming.h"

#ifdef NEARDUP_AVX512

namespace neardup::kernels::NEARDUP_AVX512_NAMESPACE {

namespace {

constexpr size_t kLanes = 8;

NEARDUP_AVX512_INLINE __m512i EightDistances(__m512i codes, __m512i query) {
  return _mm512_popcnt_epi64(_mm512_xor_si512(codes, query));
}

// Lanes 0..count-1.
NEARDUP_AVX512_INLINE __mmask8 FirstLanes(size_t count) { return static_cast<__mmask8>((1u << count) - 1); }

}  // namespace

NEARDUP_AVX512 void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out) {
  const __m512i queries = _mm512_set1_epi64(static_cast<long long>(query));
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const __m512i distances = EightDistances(_mm512_loadu_si512(codes + i), queries);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + i), _mm512_cvtepi64_epi8(distances));
  }
  if (i < n) {
    const __m512i last = _mm512_maskz_loadu_epi64(FirstLanes(n - i), codes + i);
    alignas(16) uint8_t bytes[16];
    _mm_store_si128(reinterpret_cast<__m128i*>(bytes), _mm512_cvtepi64_epi8(EightDistances(last, queries)));
    for (size_t lane = 0; lane < n - i; ++lane) out[i + lane] = bytes[lane];
  }
}

NEARDUP_AVX512 size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance,
                             uint32_t* positions) {
  constexpr size_t kVectors = 4;
  constexpr size_t kStep = kVectors * kLanes;
  const __m512i queries = _mm512_set1_epi64(static_cast<long long>(query));
  const __m512i limit = _mm512_set1_epi64(static_cast<long long>(max_distance));
  size_t count = 0;
  for (size_t i = 0; i < n; i += kStep) {
    uint32_t near = 0;  // bit b: code i + b
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t start = i + kLanes * v;
      const size_t left = start < n ? n - start : 0;
      const __mmask8 lanes = left < kLanes ? FirstLanes(left) : static_cast<__mmask8>(0xff);
      const __m512i distances = EightDistances(_mm512_maskz_loadu_epi64(lanes, codes + start), queries);
      const __mmask8 within = static_cast<__mmask8>(_mm512_cmple_epu64_mask(distances, limit) & lanes);
      near |= static_cast<uint32_t>(within) << (kLanes * v);
    }
    for (; near != 0; near &= near - 1) {
      positions[count++] = static_cast<uint32_t>(i) + static_cast<uint32_t>(__builtin_ctz(near));
    }
  }
  return count;
}

}  // namespace neardup::kernels::NEARDUP_AVX512_NAMESPACE

#endif  // NEARDUP_AVX512
