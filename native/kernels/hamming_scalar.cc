#include "kernels/hamming.h"
#include "kernels/target.h"

namespace neardup::kernels::scalar {

namespace {

// Baseline x64 has no POPCNT instruction.
inline unsigned PopCount(uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555;
  x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<unsigned>((x * 0x0101010101010101) >> 56);
}

}  // namespace

void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<uint8_t>(PopCount(codes[i] ^ query));
}

size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions) {
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    if (PopCount(codes[i] ^ query) <= max_distance) positions[count++] = static_cast<uint32_t>(i);
  }
  return count;
}

}  // namespace neardup::kernels::scalar
