// The innermost loop of a query: which of the sixteen 32-bit lanes of a cache line are within k bits of a given
// lane. Reads exactly 64 bytes per line. Thread-safe; the implementation is chosen once, by the processor.
#ifndef NEARDUP_KERNELS_MATCH_LANES_H_
#define NEARDUP_KERNELS_MATCH_LANES_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

// The last byte of a line says how many of its lanes are in use (low four bits) and, by its top bit, that the
// line goes on elsewhere.
constexpr uint8_t kLineContinues = 0x80;

// For each i < count: out[i] has bit j set when lane j of lines[i] is in use and differs from lanes[i] in at most
// k bits, and bit 16 when the line continues. Lines are aligned to 64 bytes. Meanwhile the lines of the next call,
// ahead[0..ahead_count-1], are prefetched, one for each line compared: requests go out as fast as memory takes
// them and the comparing is done while they wait.
using MatchLanesFunction = void (*)(const uint8_t* const* lines, const uint32_t* lanes, size_t count, unsigned k,
                                    const uint8_t* const* ahead, size_t ahead_count, uint32_t* out);

void MatchLanesScalar(const uint8_t* const* lines, const uint32_t* lanes, size_t count, unsigned k,
                      const uint8_t* const* ahead, size_t ahead_count, uint32_t* out);

// The fastest that this processor runs.
MatchLanesFunction MatchLanes();

}  // namespace neardup

#endif  // NEARDUP_KERNELS_MATCH_LANES_H_
