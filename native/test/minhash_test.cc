#include "core/fingerprint/minhash.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/fingerprint/signature.h"
#include "core/fingerprint/xxh3.h"

namespace {

uint64_t SplitMix64(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::vector<uint64_t> RandomSet(size_t size, uint64_t seed) {
  std::vector<uint64_t> set(size);
  for (uint64_t& value : set) value = SplitMix64(&seed);
  return set;
}

std::vector<uint64_t> Minima(const std::vector<uint64_t>& set, size_t count, uint64_t seed = 0) {
  std::vector<uint64_t> minima(count);
  neardup::MinHash(set.data(), set.size(), seed, minima.data(), count);
  return minima;
}

}  // namespace

TEST_CASE("SplitMix64 as published") {
  uint64_t state = 1234567;
  CHECK(SplitMix64(&state) == 6457827717110365317u);
  CHECK(SplitMix64(&state) == 3203168211198807973u);
  CHECK(SplitMix64(&state) == 9817491932198370423u);
}

TEST_CASE("minima are those of the definition") {
  for (const size_t size : {0, 1, 2, 100}) {
    for (const size_t count : {1, 7, 8, 9, 24}) {
      const std::vector<uint64_t> set = RandomSet(size, 9);
      uint64_t state = 5;
      for (const uint64_t minimum : Minima(set, count, 5)) {
        const uint64_t flip = SplitMix64(&state);
        const uint64_t factor = SplitMix64(&state) | 1;
        uint64_t smallest = ~uint64_t{0};
        for (const uint64_t x : set) smallest = std::min(smallest, (x ^ flip) * factor);
        CHECK(minimum == (size == 0 ? smallest : smallest ^ smallest >> 32));
      }
    }
  }
}

TEST_CASE("the share of minima that agree estimates the Jaccard similarity, with the error of the theory") {
  constexpr size_t kPermutations = 4096;
  for (const size_t common : {100, 500, 900}) {
    std::vector<uint64_t> a = RandomSet(common, 1);
    std::vector<uint64_t> b = a;
    const std::vector<uint64_t> rest_a = RandomSet((1000 - common) / 2, 2);
    const std::vector<uint64_t> rest_b = RandomSet((1000 - common) / 2, 3);
    a.insert(a.end(), rest_a.begin(), rest_a.end());
    b.insert(b.end(), rest_b.begin(), rest_b.end());
    const std::vector<uint64_t> x = Minima(a, kPermutations);
    const std::vector<uint64_t> y = Minima(b, kPermutations);
    double agreeing = 0;
    for (size_t i = 0; i < kPermutations; i++) agreeing += x[i] == y[i];
    const double jaccard = static_cast<double>(common) / 1000;
    const double error = std::sqrt(jaccard * (1 - jaccard) / kPermutations);
    CHECK(std::abs(agreeing / kPermutations - jaccard) < 3 * error);
  }
}

TEST_CASE("checksums are XXH3 of the bytes of each group") {
  const std::vector<uint64_t> minima = RandomSet(12, 4);
  uint64_t checksums[4];
  neardup::Checksums(minima.data(), 3, checksums, 4);
  for (size_t i = 0; i < 4; i++) {
    uint8_t bytes[24];
    for (size_t j = 0; j < 24; j++) bytes[j] = static_cast<uint8_t>(minima[3 * i + j / 8] >> 8 * (j % 8));
    CHECK(checksums[i] == neardup::Xxh3(bytes, 24));
  }
}
