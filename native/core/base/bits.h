// Bit operations on 64-bit words.
#ifndef NEARDUP_CORE_BASE_BITS_H_
#define NEARDUP_CORE_BASE_BITS_H_

#include <cstdint>

namespace neardup {

// One bits, without the POPCNT instruction, which the build may not take for granted.
inline unsigned PopCount(uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  return static_cast<unsigned>((((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u) >> 56);
}

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_BITS_H_
