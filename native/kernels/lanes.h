// The innermost loop of an indexed query: which of the sixteen 32-bit lanes of a cache line are near to a
// given lane. All implementations give the same answers; call them by kernels::Active(). Thread-safe: no
// state.
#ifndef NEARDUP_KERNELS_LANES_H_
#define NEARDUP_KERNELS_LANES_H_

#include <cstddef>
#include <cstdint>

namespace neardup::kernels {

// The last byte of a line: how many of its lanes are in use, from the first on (low four bits), and, by its
// top bit, that the line continues elsewhere.
constexpr uint8_t kLineContinues = 0x80;

// MatchLanes: out[i], i < count, has bit j set when lane j of lines[i] is in use and differs from lanes[i] in
// at most k bits, and bit 16 when the line continues. Lines are aligned to 64 bytes. Meanwhile the lines of
// the next call, ahead[0..ahead_count-1], are prefetched, one for each line compared: requests go out as fast
// as memory takes them, and the comparing is done while they wait. O(count).
struct LaneQuery {
  const uint8_t* const* lines;
  const uint32_t* lanes;
  size_t count;
  unsigned k;
  const uint8_t* const* ahead;
  size_t ahead_count;
};

// The part of a line's answer that its header decides.
inline uint32_t LanesInUse(const uint8_t* line) {
  const uint32_t header = line[63];
  return ((uint32_t{1} << (header & 15)) - 1) | (header & kLineContinues) << 9;
}

// NearLanes: writes the positions, ascending, of the lanes within k bits of `lane`, and returns how many
// there are. `positions` has room for n entries. O(n).
namespace scalar {
void MatchLanes(const LaneQuery& query, uint32_t* out);
size_t NearLanes(const uint32_t* lanes, size_t n, uint32_t lane, unsigned k, uint32_t* positions);
}  // namespace scalar
namespace avx2 {  // AVX-512 machines use NearLanes too.
void MatchLanes(const LaneQuery& query, uint32_t* out);
size_t NearLanes(const uint32_t* lanes, size_t n, uint32_t lane, unsigned k, uint32_t* positions);
}  // namespace avx2
namespace avx512 {
void MatchLanes(const LaneQuery& query, uint32_t* out);
}
namespace neon {
void MatchLanes(const LaneQuery& query, uint32_t* out);
}

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_LANES_H_
