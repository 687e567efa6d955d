#include "kernels/match_lanes.h"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define NEARDUP_MATCH_LANES_AVX2 1
#include <immintrin.h>
#endif

namespace neardup {

namespace {

inline uint32_t InUse(const uint8_t* line) {
  const uint32_t header = line[63];
  return ((uint32_t{1} << (header & 15)) - 1) | (header & kLineContinues ? uint32_t{1} << 16 : 0);
}

inline unsigned Popcount32(uint32_t x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  return (((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

}  // namespace

void MatchLanesScalar(const uint8_t* const* lines, const uint32_t* lanes, size_t count, unsigned k,
                      const uint8_t* const* ahead, size_t ahead_count, uint32_t* out) {
  for (size_t i = 0; i < ahead_count; ++i) __builtin_prefetch(ahead[i]);
  for (size_t i = 0; i < count; ++i) {
    uint32_t stored[16];
    std::memcpy(stored, lines[i], 64);
    uint32_t near = uint32_t{1} << 16;
    for (unsigned j = 0; j < 16; ++j) near |= static_cast<uint32_t>(Popcount32(stored[j] ^ lanes[i]) <= k) << j;
    out[i] = near & InUse(lines[i]);
  }
}

#if NEARDUP_MATCH_LANES_AVX2

namespace {

// Lanes of `stored` that differ from `lane` in more than k bits become all ones.
__attribute__((target("avx2"))) inline __m256i Far(__m256i stored, __m256i lane, __m256i limit) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i x = _mm256_xor_si256(stored, lane);
  const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble));
  const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi32(x, 4), nibble));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
  return _mm256_cmpgt_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), limit);
}

__attribute__((target("avx2"))) void MatchLanesAvx2(const uint8_t* const* lines, const uint32_t* lanes, size_t count,
                                                    unsigned k, const uint8_t* const* ahead, size_t ahead_count,
                                                    uint32_t* out) {
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(k));
  for (size_t i = count; i < ahead_count; ++i) __builtin_prefetch(ahead[i]);
  for (size_t i = 0; i < count; ++i) {
    if (i < ahead_count) __builtin_prefetch(ahead[i]);
    const auto* line = reinterpret_cast<const __m256i*>(lines[i]);
    const __m256i lane = _mm256_set1_epi32(static_cast<int>(lanes[i]));
    const __m256i first = Far(_mm256_load_si256(line), lane, limit);
    const __m256i second = Far(_mm256_load_si256(line + 1), lane, limit);
    const uint32_t far = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(first))) |
                         static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(second))) << 8;
    out[i] = ~far & InUse(lines[i]);
  }
}

}  // namespace

MatchLanesFunction MatchLanes() {
  static const MatchLanesFunction chosen = __builtin_cpu_supports("avx2") ? MatchLanesAvx2 : MatchLanesScalar;
  return chosen;
}

#else

MatchLanesFunction MatchLanes() { return MatchLanesScalar; }

#endif

}  // namespace neardup
