// Every kernel set's lane matching against std::bitset.
#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <cstring>
#include <random>
#include <vector>

#include "test/kernel_sets.h"

namespace neardup::test {

TEST_CASE("lanes: every limit, any number of lanes in use") {
  std::mt19937_64 random(1);
  constexpr size_t kLines = 64;
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> lines(kLines);
  std::vector<const uint8_t*> at(kLines);
  std::vector<uint32_t> lanes(kLines), near(kLines);
  for (unsigned k = 0; k <= 33; ++k) {
    for (size_t i = 0; i < kLines; ++i) {
      at[i] = lines[i].bytes;
      lanes[i] = static_cast<uint32_t>(random());
      for (unsigned j = 0; j < 16; ++j) {
        uint32_t lane = lanes[i];
        const size_t distance = random() % 4 == 0 ? random() % 33 : k + random() % 3 - (k > 0);
        uint32_t flips = 0;
        while (std::bitset<32>(flips).count() < std::min<size_t>(distance, 32)) flips |= 1u << random() % 32;
        lane ^= flips;
        std::memcpy(lines[i].bytes + 4 * j, &lane, 4);
      }
      lines[i].bytes[63] = static_cast<uint8_t>(random() % 16 | (random() % 2 ? kernels::kLineContinues : 0));
    }
    for (const kernels::Kernels& set : KernelSets()) {
      CAPTURE(set.name);
      for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, kLines}) {
        near.assign(kLines, 0xdeadbeef);
        set.match_lanes({at.data(), lanes.data(), count, k, at.data(), kLines / 2}, near.data());
        size_t wrong = 0;
        for (size_t i = 0; i < count; ++i) {
          const unsigned header = lines[i].bytes[63];
          uint32_t expected = header >= kernels::kLineContinues ? 1u << 16 : 0;
          for (unsigned j = 0; j < (header & 15); ++j) {
            uint32_t stored;
            std::memcpy(&stored, lines[i].bytes + 4 * j, 4);
            expected |= (std::bitset<32>(stored ^ lanes[i]).count() <= k ? 1u : 0) << j;
          }
          wrong += near[i] != expected;
        }
        for (size_t i = count; i < kLines; ++i) wrong += near[i] != 0xdeadbeef;
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("near lanes: every length, every limit") {
  std::mt19937_64 random(2);
  for (size_t n = 0; n <= 100; ++n) {
    const unsigned k = static_cast<unsigned>(random() % 34);
    const uint32_t lane = static_cast<uint32_t>(random());
    std::vector<uint32_t> lanes(n), expected;
    for (size_t i = 0; i < n; ++i) {
      uint32_t flips = 0;
      for (size_t bit = random() % 34; bit > 0; --bit) flips |= 1u << random() % 32;
      lanes[i] = lane ^ flips;
      if (std::bitset<32>(flips).count() <= k) expected.push_back(static_cast<uint32_t>(i));
    }
    for (const kernels::Kernels& set : KernelSets()) {
      CAPTURE(set.name);
      std::vector<uint32_t> positions(n);
      positions.resize(set.near_lanes(lanes.data(), n, lane, k, positions.data()));
      CHECK(positions == expected);
    }
  }
}

}  // namespace neardup::test
