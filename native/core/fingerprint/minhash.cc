#include "core/fingerprint/minhash.h"

#include <algorithm>

namespace neardup {

namespace {

constexpr uint64_t kNone = ~uint64_t{0};

// Steele, Lea and Flood's generator.
uint64_t SplitMix64(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// Permutations worked on together, so that each element is loaded once for all of them.
constexpr size_t kLanes = 8;

}  // namespace

void MinHash(const uint64_t* set, size_t size, uint64_t seed, uint64_t* minima, size_t count) {
  uint64_t state = seed;
  for (size_t first = 0; first < count; first += kLanes) {
    const size_t lanes = std::min(kLanes, count - first);
    uint64_t flips[kLanes] = {};
    uint64_t factors[kLanes] = {};
    uint64_t smallest[kLanes];
    std::fill(smallest, smallest + kLanes, kNone);
    for (size_t i = 0; i < lanes; i++) {
      flips[i] = SplitMix64(&state);
      factors[i] = SplitMix64(&state) | 1;
    }
    for (size_t k = 0; k < size; k++) {
      for (size_t i = 0; i < kLanes; i++)
        smallest[i] = std::min(smallest[i], (set[k] ^ flips[i]) * factors[i]);
    }
    for (size_t i = 0; i < lanes; i++) {
      minima[first + i] = size == 0 ? kNone : smallest[i] ^ smallest[i] >> 32;
    }
  }
}

}  // namespace neardup
