// The bijective 64-bit mixers that keys are derived with; their twins are in lib/urls/keys.ts and
// lib/ts/urls/bloom.ts. Constants: fmix64 of MurmurHash3.
#ifndef NEARDUP_CORE_URLS_MIX_H_
#define NEARDUP_CORE_URLS_MIX_H_

#include <cstdint>

namespace neardup {

inline uint64_t Mix64(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace neardup

#endif  // NEARDUP_CORE_URLS_MIX_H_
