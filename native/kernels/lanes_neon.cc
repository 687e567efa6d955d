#include "kernels/lanes.h"
#include "kernels/prefetch.h"
#include "kernels/target.h"

#ifdef NEARDUP_HAS_NEON

#include <arm_neon.h>

namespace neardup::kernels::neon {

void MatchLanes(const LaneQuery& query, uint32_t* out) {
  const uint32x4_t limit = vdupq_n_u32(query.k);
  const uint32_t weights[4] = {1, 2, 4, 8};
  const uint32x4_t weight = vld1q_u32(weights);
  for (size_t i = query.count; i < query.ahead_count; ++i) Prefetch(query.ahead[i]);
  for (size_t i = 0; i < query.count; ++i) {
    if (i < query.ahead_count) Prefetch(query.ahead[i]);
    const uint32x4_t lane = vdupq_n_u32(query.lanes[i]);
    uint32_t near = uint32_t{1} << 16;
    for (unsigned part = 0; part < 4; ++part) {
      const uint32x4_t stored = vreinterpretq_u32_u8(vld1q_u8(query.lines[i] + 16 * part));
      const uint8x16_t ones = vcntq_u8(vreinterpretq_u8_u32(veorq_u32(stored, lane)));
      const uint32x4_t distances = vpaddlq_u16(vpaddlq_u8(ones));
      near |= vaddvq_u32(vandq_u32(vcleq_u32(distances, limit), weight)) << (4 * part);
    }
    out[i] = near & LanesInUse(query.lines[i]);
  }
}

}  // namespace neardup::kernels::neon

#endif  // NEARDUP_HAS_NEON
