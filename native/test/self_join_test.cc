// Self-joins against all pairs compared.
#include "core/index/self_join.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "core/base/bits.h"
#include "kernels/pairs.h"
#include "test/kernel_sets.h"
#include "test/random.h"
#include "test/refuse_memory.h"

namespace neardup::test {

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

TEST_CASE("near pairs: every kernel finds the pairs of each run, and stops where it must") {
  Random random{1};
  std::vector<uint64_t> words;
  while (words.size() < 2000) {
    const uint64_t key = random.Next() << 48, base = random.Next() >> 16;
    for (uint64_t n = random.Below(12); n > 0; --n)
      words.push_back(key | Flip(base, random.Below(8), &random) >> 16);
  }
  for (const kernels::Kernels& set : KernelSets()) {
    CAPTURE(set.name);
    std::vector<kernels::WordPair> out(100);
    Pairs got, expected;
    for (size_t i = 0; i < words.size(); ++i) {
      for (size_t j = i + 1; j < words.size() && (words[i] ^ words[j]) >> 48 == 0; ++j) {
        if (PopCount(words[i] ^ words[j]) <= 3) expected.emplace_back(i, j);
      }
    }
    for (size_t at = 0; at < words.size();) {
      const size_t n = set.near_pairs({words.data(), words.size(), 48, 3, 14}, &at, out.data(), out.size());
      for (size_t i = 0; i < n; ++i) got.emplace_back(out[i].first, out[i].second);
    }
    CHECK(got == expected);
    size_t at = 0;
    const std::vector<uint64_t> equal(20, 5);
    CHECK(set.near_pairs({equal.data(), equal.size(), 48, 3, 14}, &at, out.data(), out.size()) == 0);
    CHECK(at == 0);
  }
}

TEST_CASE("near keys: every kernel finds the pairs that agree in a key, and stops where it must") {
  Random random{3};
  const uint64_t key = 0xfff0000000000f00u;
  std::vector<uint64_t> words;
  while (words.size() < 3000) {
    const uint64_t base = random.Next();
    for (uint64_t n = random.Below(8); n > 0; --n) words.push_back(Flip(base, random.Below(6), &random));
  }
  Pairs expected;
  for (size_t i = 0; i < words.size(); ++i) {
    for (size_t j = i; j-- > 0;) {
      const uint64_t difference = words[i] ^ words[j];
      if ((difference & key) == 0 && PopCount(difference) <= 3) expected.emplace_back(j, i);
    }
  }
  REQUIRE(expected.size() > 500);
  for (const kernels::Kernels& set : KernelSets()) {
    CAPTURE(set.name);
    for (const unsigned hash_bits : {12u, 16u}) {
      std::vector<uint16_t> heads(size_t{1} << hash_bits), next(words.size());
      std::vector<kernels::WordPair> out(kernels::kKeyBlock * 40 + 10);
      Pairs got;
      const kernels::KeyQuery query = {words.data(), words.size(), key,          3,
                                       40,           hash_bits,    heads.data(), next.data()};
      for (size_t at = 0; at < words.size();) {
        const size_t n = set.near_keys(query, &at, out.data(), out.size());
        for (size_t i = 0; i < n; ++i) got.emplace_back(out[i].first, out[i].second);
      }
      CHECK(got == expected);
    }
    const std::vector<uint64_t> equal(20, 5);
    std::vector<uint16_t> heads(2), next(equal.size());
    std::vector<kernels::WordPair> out(1000);
    size_t at = 0;
    const kernels::KeyQuery query = {equal.data(), equal.size(), key, 3, 10, 1, heads.data(), next.data()};
    CHECK(set.near_keys(query, &at, out.data(), out.size()) == kernels::kKeyTooCommon);
  }
}

TEST_CASE("self-join: many fingerprints in a few parts, for any number of threads" *
          doctest::test_suite("threads")) {
  // 150,000 that agree in all but 24 bits, some of them near: parts too large for a cache, and long runs.
  Random random{4};
  std::vector<uint64_t> fingerprints;
  for (size_t i = 0; i < 150000; ++i)
    fingerprints.push_back(i % 2 == 0 ? random.Next() & 0x00ff00ff00ff0000u : random.Next());
  std::sort(fingerprints.begin(), fingerprints.end());
  fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());
  // k = 1 by looking up each neighbour.
  Pairs expected;
  for (const uint64_t x : fingerprints) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      const uint64_t y = x ^ uint64_t { 1 } << bit;
      if (y > x && std::binary_search(fingerprints.begin(), fingerprints.end(), y))
        expected.emplace_back(x, y);
    }
  }
  std::sort(expected.begin(), expected.end());
  REQUIRE(expected.size() > 3000);
  Pairs first;
  for (const unsigned threads : {1u, 3u}) {
    Pairs got;
    REQUIRE(SelfJoin({{fingerprints.data(), fingerprints.size()}}, 1, threads,
                     [&](const uint64_t* pairs, size_t count) {
                       for (size_t i = 0; i < count; ++i) got.emplace_back(pairs[2 * i], pairs[2 * i + 1]);
                     })
                .ok());
    if (threads == 1) first = got;
    CHECK(got == first);
    for (auto& [a, b] : got) {
      if (a > b) std::swap(a, b);
    }
    std::sort(got.begin(), got.end());
    CHECK(got == expected);
  }
}

TEST_CASE("self-join: refused memory and cancelling are statuses; progress rises to its end" *
          doctest::test_suite("threads")) {
  Random random{5};
  std::vector<uint64_t> fingerprints;
  for (size_t i = 0; i < 20000; ++i)
    fingerprints.push_back(i % 10 == 0 || i == 0 ? random.Next() : Flip(fingerprints.back(), 1, &random));
  std::sort(fingerprints.begin(), fingerprints.end());
  fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());
  const std::vector<Words> all = {{fingerprints.data(), fingerprints.size()}};
  uint64_t pairs = 0;
  const PairSink count_pairs = [&](const uint64_t*, size_t count) { pairs += count; };
  std::atomic<bool> cancel{false};
  std::atomic<uint32_t> progress{0};
  REQUIRE(SelfJoin(all, 3, 2, count_pairs, {&cancel, &progress}).ok());
  CHECK(progress == WorkControl::kDone);
  CHECK(pairs > 10000);
  for (const size_t allowed : {0, 5, 20, 40}) {
    Status status;
    {
      const RefuseMemory refuse(allowed);
      status = SelfJoin(all, 3, 1, count_pairs);
    }
    CHECK(status.code() == StatusCode::kOutOfMemory);
  }
  const PairSink cancelling = [&](const uint64_t*, size_t) { cancel = true; };
  CHECK(SelfJoin(all, 3, 2, cancelling, {&cancel, nullptr}).code() == StatusCode::kAborted);
}

TEST_CASE("self-join: copies make pairs too, wherever they stand") {
  Random random{6};
  std::vector<uint64_t> fingerprints[3];
  for (size_t i = 0; i < 3000; ++i) fingerprints[0].push_back(random.Next());
  for (size_t i = 0; i < 400; ++i) {
    fingerprints[1].push_back(Flip(fingerprints[0][random.Below(1000)], random.Below(3), &random));
    if (i % 2 == 0) fingerprints[2].push_back(fingerprints[1].back());
  }
  std::vector<uint64_t> all;
  std::vector<Words> words;
  for (const auto& part : fingerprints) {
    all.insert(all.end(), part.begin(), part.end());
    words.push_back({part.data(), part.size()});
  }
  for (const unsigned k : {0u, 3u}) {
    Pairs expected, got;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i + 1; j < all.size(); ++j) {
        if (PopCount(all[i] ^ all[j]) <= k) expected.push_back(std::minmax(all[i], all[j]));
      }
    }
    REQUIRE(SelfJoin(words, k, 2, [&](const uint64_t* pairs, size_t count) {
              for (size_t i = 0; i < count; ++i) got.push_back(std::minmax(pairs[2 * i], pairs[2 * i + 1]));
            }).ok());
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    CHECK(got == expected);
  }
}

TEST_CASE("self-join: each pair once, on every kind of data, for any number of threads") {
  Random random{2};
  for (const std::string kind : {"near", "constant top", "templates", "few bits", "sorted"}) {
    for (const size_t n : {0, 1, 2, 100, 6000}) {
      std::vector<uint64_t> templates(3), fingerprints;
      for (uint64_t& t : templates) t = random.Next();
      for (size_t i = 0; i < n; ++i) {
        uint64_t x = random.Next();
        if (kind != "sorted" && i % 3 == 0 && i > 0)
          x = Flip(fingerprints[random.Below(i)], random.Below(5), &random);
        if (kind == "constant top") x = (x & 0xffffffffu) | uint64_t{0xabcdef} << 40;
        if (kind == "templates") x = Flip(templates[random.Below(3)], random.Below(9), &random);
        if (kind == "few bits") x &= 0x0111000011110111u;
        fingerprints.push_back(x);
      }
      std::sort(fingerprints.begin(), fingerprints.end());
      fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());
      for (const unsigned k : {0u, 1u, 3u, 6u}) {
        CAPTURE(kind);
        CAPTURE(n);
        CAPTURE(k);
        Pairs expected;
        for (size_t i = 0; i < fingerprints.size(); ++i) {
          for (size_t j = i + 1; j < fingerprints.size(); ++j) {
            if (PopCount(fingerprints[i] ^ fingerprints[j]) <= k)
              expected.emplace_back(fingerprints[i], fingerprints[j]);
          }
        }
        Pairs first;
        for (const unsigned threads : {1u, 3u}) {
          Pairs got;
          REQUIRE(SelfJoin({{fingerprints.data(), fingerprints.size()}}, k, threads,
                           [&](const uint64_t* pairs, size_t count) {
                             for (size_t i = 0; i < count; ++i)
                               got.emplace_back(pairs[2 * i], pairs[2 * i + 1]);
                           })
                      .ok());
          if (threads == 1) first = got;
          CHECK(got == first);
          for (auto& [a, b] : got) {
            if (a > b) std::swap(a, b);
          }
          std::sort(got.begin(), got.end());
          CHECK(got == expected);
        }
      }
    }
  }
}

}  // namespace neardup::test
