// A small generator for tests and benchmarks: SplitMix64 (public domain), the same numbers everywhere.
#ifndef NEARDUP_TEST_RANDOM_H_
#define NEARDUP_TEST_RANDOM_H_

#include <cstdint>

namespace neardup::test {

struct Random {
  uint64_t state;
  uint64_t Next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * n) >> 64);
  }
};

// x with up to `flips` bits changed.
inline uint64_t Flip(uint64_t x, uint64_t flips, Random* random) {
  for (uint64_t i = 0; i < flips; ++i) x ^= uint64_t{1} << random->Below(64);
  return x;
}

}  // namespace neardup::test

#endif  // NEARDUP_TEST_RANDOM_H_
