#include "core/urls/bloom.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace neardup {
namespace {

std::vector<uint64_t> RandomKeys(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> keys(count);
  for (uint64_t& key : keys) key = random();
  return keys;
}

TEST_CASE("a Bloom filter holds what was added, and errs as often as the formula says") {
  const auto keys = RandomKeys(100000, 1);
  const auto others = RandomKeys(1000000, 2);
  BloomBits filter;
  REQUIRE(BloomBits::Create({1437760, 10, false}, &filter).ok());
  std::vector<uint8_t> out(others.size());
  filter.AddBatch(keys.data(), keys.size(), out.data());
  filter.HasBatch(keys.data(), keys.size(), out.data());
  size_t held = 0;
  for (size_t i = 0; i < keys.size(); i++) held += out[i];
  CHECK(held == keys.size());
  filter.HasBatch(others.data(), others.size(), out.data());
  double wrong = 0;
  for (uint8_t found : out) wrong += found;
  CHECK(wrong / static_cast<double>(others.size()) == doctest::Approx(0.001).epsilon(0.1));
  const double expected_ones = 1437760 * (1 - std::exp(-10.0 * 100000 / 1437760));
  CHECK(static_cast<double>(filter.CountOnes()) == doctest::Approx(expected_ones).epsilon(0.005));
}

TEST_CASE("adding twice is not new, plain and blocked") {
  for (bool blocked : {false, true}) {
    const auto keys = RandomKeys(1000, 3);
    BloomBits filter;
    REQUIRE(BloomBits::Create({512 * 1000, 16, blocked}, &filter).ok());
    std::vector<uint8_t> first(keys.size());
    std::vector<uint8_t> second(keys.size());
    filter.AddBatch(keys.data(), keys.size(), first.data());
    filter.AddBatch(keys.data(), keys.size(), second.data());
    CHECK(first == std::vector<uint8_t>(keys.size(), 1));
    CHECK(second == std::vector<uint8_t>(keys.size(), 0));
  }
}

TEST_CASE("bits past 2^32 are used, and union takes both sides") {
  const uint64_t bits = (uint64_t{1} << 32) + 4096;
  const auto keys = RandomKeys(64, 4);
  BloomBits a;
  BloomBits b;
  REQUIRE(BloomBits::Create({bits, 8, false}, &a).ok());
  REQUIRE(BloomBits::Create({bits, 8, false}, &b).ok());
  std::vector<uint8_t> out(64);
  const uint64_t last = ~uint64_t{0};  // its first position is the last bit
  a.AddBatch(&last, 1, out.data());
  uint8_t byte = 0;
  a.Read((bits - 1) / 8, &byte, 1);
  CHECK((byte & 0x80) != 0);
  b.AddBatch(keys.data(), keys.size(), out.data());
  std::vector<uint8_t> piece(1 << 20);
  for (uint64_t at = 0; at < b.shape().bytes(); at += piece.size()) {
    const size_t length = std::min<uint64_t>(piece.size(), b.shape().bytes() - at);
    b.Read(at, piece.data(), length);
    a.Or(at, piece.data(), length);
  }
  a.HasBatch(keys.data(), keys.size(), out.data());
  CHECK(out == std::vector<uint8_t>(64, 1));
}

TEST_CASE("a refused size and a missing file are statuses") {
  BloomBits filter;
  CHECK(BloomBits::Create({uint64_t{1} << 62, 8, false}, &filter).code() == StatusCode::kOutOfMemory);
  CHECK(BloomBits::Map({512, 8, false}, "/nonexistent/filter", 0, &filter).code() ==
        StatusCode::kUnsupported);
}

}  // namespace
}  // namespace neardup
