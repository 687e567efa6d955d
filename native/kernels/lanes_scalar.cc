#include <cstring>

#include "core/base/bits.h"
#include "kernels/lanes.h"
#include "kernels/prefetch.h"

namespace neardup::kernels::scalar {

void MatchLanes(const LaneQuery& query, uint32_t* out) {
  for (size_t i = query.count; i < query.ahead_count; ++i) Prefetch(query.ahead[i]);
  for (size_t i = 0; i < query.count; ++i) {
    if (i < query.ahead_count) Prefetch(query.ahead[i]);
    uint32_t stored[16];
    std::memcpy(stored, query.lines[i], 64);
    uint32_t near = uint32_t{1} << 16;
    for (unsigned j = 0; j < 16; ++j) {
      near |= static_cast<uint32_t>(PopCount(stored[j] ^ query.lanes[i]) <= query.k) << j;
    }
    out[i] = near & LanesInUse(query.lines[i]);
  }
}

size_t NearLanes(const uint32_t* lanes, size_t n, uint32_t lane, unsigned k, uint32_t* positions) {
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    if (PopCount(lanes[i] ^ lane) <= k) positions[count++] = static_cast<uint32_t>(i);
  }
  return count;
}

}  // namespace neardup::kernels::scalar
