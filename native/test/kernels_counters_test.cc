// Every kernel set against a loop over the bits.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include "test/kernel_sets.h"

namespace neardup::test {

namespace {

using Counters = std::array<uint64_t, 64>;

// A copy of the values that stands `shift` elements behind the vector's start: aligned to 8 bytes only. It
// ends where the allocation ends, so that the address sanitizer sees any read beyond it.
class Shifted {
 public:
  Shifted(const std::vector<uint64_t>& values, size_t shift) : all_(shift), shift_(shift) {
    all_.insert(all_.end(), values.begin(), values.end());
    all_.shrink_to_fit();
  }
  const uint64_t* data() const { return all_.data() + shift_; }

 private:
  std::vector<uint64_t> all_;
  size_t shift_;
};

Counters Naive(const std::vector<uint64_t>& hashes, const std::vector<uint64_t>& weights) {
  Counters sums{};
  for (size_t j = 0; j < hashes.size(); ++j) {
    for (unsigned i = 0; i < 64; ++i) {
      if ((hashes[j] >> i) & 1) sums[i] += weights[j];
    }
  }
  return sums;
}

// Checks CountOnes and SumWeights of all sets, each added to counters that are not zero.
void Check(const std::vector<uint64_t>& hashes, const std::vector<uint64_t>& weights, size_t shift = 0) {
  const Shifted h(hashes, shift), w(weights, shift);
  const std::vector<uint64_t> ones(hashes.size(), 1);
  Counters counts = Naive(hashes, ones), sums = Naive(hashes, weights);
  for (unsigned i = 0; i < 64; ++i) {
    counts[i] += i;
    sums[i] += 1000 - i;
  }
  for (const kernels::Kernels& set : KernelSets()) {
    CAPTURE(set.name);
    CAPTURE(hashes.size());
    Counters got;
    for (unsigned i = 0; i < 64; ++i) got[i] = i;
    set.count_ones(h.data(), hashes.size(), got.data());
    CHECK(got == counts);
    for (unsigned i = 0; i < 64; ++i) got[i] = 1000 - i;
    set.sum_weights(h.data(), w.data(), hashes.size(), got.data());
    CHECK(got == sums);
  }
}

std::vector<uint64_t> Random(std::mt19937_64& random, size_t n, unsigned bits) {
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = bits == 0 ? 0 : random() >> (64 - bits);
  return values;
}

}  // namespace

TEST_CASE("counters: every length up to a few hundred, and about each block size") {
  std::mt19937_64 random(1);
  std::vector<size_t> lengths;
  for (size_t n = 0; n <= 300; ++n) lengths.push_back(n);
  for (size_t block : {248, 255, 510, 960, 1020, 1024, 2040, 2048, 3060, 4096}) {
    for (size_t n = block - 2; n <= block + 2; ++n) lengths.push_back(n);
  }
  for (size_t n : lengths) Check(Random(random, n, 64), Random(random, n, 20));
}

TEST_CASE("counters: random lengths, weights and alignments") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const size_t n = random() % 5001;
    const unsigned bits = static_cast<unsigned>(random() % 54);
    std::vector<uint64_t> weights = Random(random, n, bits);
    const unsigned zeros = static_cast<unsigned>(random() % (54 - bits));
    for (uint64_t& weight : weights) weight <<= zeros;
    Check(Random(random, n, 64), weights, random() % 8);
  }
}

TEST_CASE("counters: one weight of another size in a block of small ones") {
  std::mt19937_64 random(3);
  for (const uint64_t odd : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 22, uint64_t{1} << 44,
                             uint64_t{1} << 52, (uint64_t{1} << 53) - 1, UINT64_MAX}) {
    for (size_t n : {1, 3, 1023, 1024, 1025, 3000}) {
      std::vector<uint64_t> weights = Random(random, n, 16);
      weights[random() % n] = odd;
      Check(Random(random, n, 64), weights);
    }
  }
}

TEST_CASE("counters: all ones, all zeros, one bit, skewed") {
  std::mt19937_64 random(4);
  const size_t n = 2500;
  const std::vector<uint64_t> largest(n, (uint64_t{1} << 22) - 1);  // fills a block's 32-bit sums
  Check(std::vector<uint64_t>(n, UINT64_MAX), largest);
  Check(std::vector<uint64_t>(n, 0), largest);
  for (unsigned i = 0; i < 64; ++i) Check(std::vector<uint64_t>(n, uint64_t{1} << i), largest);
  std::vector<uint64_t> skewed = Random(random, n, 64);
  for (uint64_t& hash : skewed) hash |= random() | random() | random();
  Check(skewed, largest);
}

TEST_CASE("counters: more hashes than 16 bits count") {
  std::vector<uint64_t> hashes(70'001, UINT64_MAX);
  for (size_t i = 0; i < hashes.size(); i += 2) hashes[i] = 0xff00ff00ff00ff00;
  Check(hashes, std::vector<uint64_t>(hashes.size(), uint64_t{1} << 36));
}

TEST_CASE("counters: sums above 32 bits, from many calls into the same counters") {
  const std::vector<uint64_t> hashes(1 << 16, UINT64_MAX);
  const std::vector<uint64_t> weights(hashes.size(), 70'000);
  for (const kernels::Kernels& set : KernelSets()) {
    CAPTURE(set.name);
    Counters counts{}, sums{};
    for (int call = 0; call < 20; ++call) {
      set.count_ones(hashes.data(), hashes.size(), counts.data());
      set.sum_weights(hashes.data(), weights.data(), hashes.size(), sums.data());
    }
    for (unsigned i = 0; i < 64; ++i) {
      CHECK(counts[i] == uint64_t{20} << 16);
      CHECK(sums[i] == (uint64_t{20} << 16) * 70'000);
    }
  }
}

}  // namespace neardup::test
