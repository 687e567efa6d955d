// Every kernel set against std::bitset.
#include <doctest/doctest.h>

#include <bitset>
#include <random>
#include <vector>

#include "test/kernel_sets.h"

namespace neardup::test {

namespace {

// Checks Distances and Within of all sets; the codes stand `shift` elements behind an array's start and end
// with it.
void Check(const std::vector<uint64_t>& codes, uint64_t query, unsigned max_distance, size_t shift = 0) {
  const size_t n = codes.size();
  std::vector<uint64_t> array(shift);
  array.reserve(shift + n);
  array.insert(array.end(), codes.begin(), codes.end());
  const uint64_t* shifted = array.data() + shift;
  std::vector<uint8_t> distances(n);
  std::vector<uint32_t> positions;
  for (size_t i = 0; i < n; ++i) {
    distances[i] = static_cast<uint8_t>(std::bitset<64>(codes[i] ^ query).count());
    if (distances[i] <= max_distance) positions.push_back(static_cast<uint32_t>(i));
  }
  for (const kernels::Kernels& set : KernelSets()) {
    CAPTURE(set.name);
    CAPTURE(n);
    CAPTURE(max_distance);
    std::vector<uint8_t> got_distances(n);
    set.distances(shifted, n, query, got_distances.data());
    CHECK(got_distances == distances);
    std::vector<uint32_t> got_positions(n);
    got_positions.resize(set.within(shifted, n, query, max_distance, got_positions.data()));
    CHECK(got_positions == positions);
  }
}

// A code at exactly `distance` of the query.
uint64_t CodeAt(std::mt19937_64& random, uint64_t query, unsigned distance) {
  uint64_t flips = 0;
  while (std::bitset<64>(flips).count() < distance) flips |= uint64_t{1} << (random() % 64);
  return query ^ flips;
}

}  // namespace

TEST_CASE("hamming: every length up to 200, codes at every distance") {
  std::mt19937_64 random(1);
  for (size_t n = 0; n <= 200; ++n) {
    const uint64_t query = random();
    std::vector<uint64_t> codes(n);
    for (uint64_t& code : codes) code = CodeAt(random, query, static_cast<unsigned>(random() % 65));
    Check(codes, query, static_cast<unsigned>(random() % 66), n % 8);
  }
}

TEST_CASE("hamming: every limit, codes just inside and just outside") {
  std::mt19937_64 random(2);
  for (unsigned limit = 0; limit <= 65; ++limit) {
    const uint64_t query = random();
    std::vector<uint64_t> codes(1000);
    for (size_t i = 0; i < codes.size(); ++i) {
      const size_t distance = limit + i % 3;  // limit - 1, limit, limit + 1
      codes[i] =
          CodeAt(random, query, distance == 0 || distance > 65 ? 64 : static_cast<unsigned>(distance - 1));
    }
    Check(codes, query, limit);
  }
}

TEST_CASE("hamming: limits beyond 64 take everything") {
  std::mt19937_64 random(3);
  std::vector<uint64_t> codes(133);
  for (uint64_t& code : codes) code = random();
  codes[7] = ~codes[5];
  for (unsigned limit : {64u, 65u, 255u, 256u, 1u << 31, UINT32_MAX}) Check(codes, codes[5], limit);
}

TEST_CASE("hamming: rare matches among random codes") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 100; ++round) {
    const uint64_t query = random();
    std::vector<uint64_t> codes(random() % 5001);
    for (uint64_t& code : codes) code = random() % 500 == 0 ? CodeAt(random, query, random() % 9) : random();
    Check(codes, query, static_cast<unsigned>(random() % 9), random() % 8);
  }
}

TEST_CASE("hamming: all ones, all zeros, one bit") {
  for (uint64_t query : {uint64_t{0}, UINT64_MAX}) {
    for (uint64_t code : {uint64_t{0}, UINT64_MAX, uint64_t{1}, uint64_t{1} << 63}) {
      for (unsigned limit : {0u, 1u, 62u, 63u, 64u}) Check(std::vector<uint64_t>(70, code), query, limit);
    }
  }
}

}  // namespace neardup::test
