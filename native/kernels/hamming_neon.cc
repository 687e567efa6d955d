#include "kernels/hamming.h"
#include "kernels/target.h"

#ifdef NEARDUP_HAS_NEON

#include <arm_neon.h>

namespace neardup::kernels::neon {

namespace {

constexpr size_t kStep = 16;

// The distances of sixteen codes, a byte each, in order.
inline uint8x16_t SixteenDistances(const uint64_t* codes, uint64x2_t query) {
  uint8x16_t counts[8];
  for (int i = 0; i < 8; ++i) {
    counts[i] = vcntq_u8(vreinterpretq_u8_u64(veorq_u64(vld1q_u64(codes + 2 * i), query)));
  }
  for (int width = 8; width > 1; width /= 2) {
    for (int i = 0; i < width / 2; ++i) counts[i] = vpaddq_u8(counts[2 * i], counts[2 * i + 1]);
  }
  return counts[0];
}

inline unsigned Distance(uint64_t code, uint64_t query) {
  return static_cast<unsigned>(__builtin_popcountll(code ^ query));
}

}  // namespace

void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out) {
  const uint64x2_t queries = vdupq_n_u64(query);
  size_t i = 0;
  for (; i + kStep <= n; i += kStep) vst1q_u8(out + i, SixteenDistances(codes + i, queries));
  for (; i < n; ++i) out[i] = static_cast<uint8_t>(Distance(codes[i], query));
}

size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions) {
  const uint64x2_t queries = vdupq_n_u64(query);
  const uint8x16_t limit = vdupq_n_u8(static_cast<uint8_t>(max_distance < 64 ? max_distance : 64));
  size_t count = 0;
  size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    const uint8x16_t near = vcleq_u8(SixteenDistances(codes + i, queries), limit);
    // Four bits of the mask for each code.
    uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(near), 4)), 0);
    mask &= 0x8888888888888888;
    for (; mask != 0; mask &= mask - 1) {
      positions[count++] = static_cast<uint32_t>(i) + static_cast<uint32_t>(__builtin_ctzll(mask) / 4);
    }
  }
  for (; i < n; ++i) {
    if (Distance(codes[i], query) <= max_distance) positions[count++] = static_cast<uint32_t>(i);
  }
  return count;
}

}  // namespace neardup::kernels::neon

#endif  // NEARDUP_HAS_NEON
