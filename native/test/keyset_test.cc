#include "core/urls/keyset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace neardup {
namespace {

// What the set does is what std::set does, key by key and batch by batch.
void CheckAgainstStdSet(const std::vector<uint64_t>& keys) {
  KeySet set;
  std::set<uint64_t> oracle;
  std::vector<uint8_t> added(keys.size());
  set.AddBatch(keys.data(), keys.size() / 2, added.data());
  set.AddBatch(keys.data() + keys.size() / 2, keys.size() - keys.size() / 2, added.data() + keys.size() / 2);
  size_t wrong = 0;
  for (size_t i = 0; i < keys.size(); i++) wrong += (added[i] == 1) != oracle.insert(keys[i]).second;
  CHECK(wrong == 0);
  CHECK(set.size() == oracle.size());

  std::vector<uint64_t> probes;
  for (uint64_t key : keys) {
    probes.push_back(key);
    probes.push_back(key + 1);
    probes.push_back(key ^ (uint64_t{1} << 63));
  }
  std::vector<uint8_t> found(probes.size());
  set.HasBatch(probes.data(), probes.size(), found.data());
  for (size_t i = 0; i < probes.size(); i++) wrong += (found[i] == 1) != (oracle.count(probes[i]) == 1);
  CHECK(wrong == 0);

  std::vector<uint64_t> sorted(oracle.size() + 1);
  CHECK(set.ReadSorted(0, sorted.data(), sorted.size()) == oracle.size());
  sorted.pop_back();
  CHECK(std::equal(sorted.begin(), sorted.end(), oracle.begin()));
}

TEST_CASE("a set of keys agrees with std::set") {
  std::mt19937_64 random(1);
  for (size_t count : {0, 1, 7, 100, 9000, 40000, 300000}) {
    std::vector<uint64_t> keys(count);
    for (size_t i = 0; i < count; i++) keys[i] = i % 5 == 4 ? keys[random() % i] : random();
    CheckAgainstStdSet(keys);
  }
}

TEST_CASE("uneven keys are slower, not wrong") {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < 3000; i++) keys.push_back(i);
  for (uint64_t i = 0; i < 3000; i++) keys.push_back(~uint64_t{0} - i);
  for (uint64_t i = 0; i < 20000; i++)
    keys.push_back((uint64_t{0xabc} << 52) | (i * 0x9e3779b97f4a7ULL >> 12));
  CheckAgainstStdSet(keys);
}

TEST_CASE("keys are read in order, piece by piece") {
  std::mt19937_64 random(2);
  KeySet set;
  std::vector<uint64_t> keys(50000);
  for (uint64_t& key : keys) key = random();
  keys[0] = 0;
  keys[1] = ~uint64_t{0};
  std::vector<uint8_t> added(keys.size());
  set.AddBatch(keys.data(), keys.size(), added.data());
  std::sort(keys.begin(), keys.end());
  std::vector<uint64_t> all;
  std::vector<uint64_t> piece(777);
  for (uint64_t from = 0;;) {
    const size_t length = set.ReadSorted(from, piece.data(), piece.size());
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(length));
    if (length < piece.size() || all.back() == ~uint64_t{0}) break;
    from = all.back() + 1;
  }
  CHECK(all == keys);
}

TEST_CASE("a set made for as many takes sorted keys, and more") {
  std::mt19937_64 random(4);
  std::vector<uint64_t> keys(200000);
  for (uint64_t& key : keys) key = random();
  std::sort(keys.begin(), keys.end());
  for (uint64_t expected : {uint64_t{1}, uint64_t{5000}, uint64_t{keys.size()}, uint64_t{3000000}}) {
    const size_t count = expected < 10000 ? 5000 : keys.size();
    KeySet set(expected);
    std::vector<uint8_t> flags(count);
    set.AddBatch(keys.data(), count, flags.data());
    CHECK(flags == std::vector<uint8_t>(count, 1));
    set.HasBatch(keys.data(), count, flags.data());
    CHECK(flags == std::vector<uint8_t>(count, 1));
    CHECK(set.size() == count);
  }
}

TEST_CASE("a key takes 12 bytes at most") {
  std::mt19937_64 random(3);
  KeySet set;
  std::vector<uint64_t> keys(1000);
  std::vector<uint8_t> added(keys.size());
  double worst = 0;
  for (int batch = 0; batch < 3000; batch++) {
    for (uint64_t& key : keys) key = random();
    set.AddBatch(keys.data(), keys.size(), added.data());
    if (set.size() >= 100000) {
      worst = std::max(worst, static_cast<double>(set.memory_bytes()) / static_cast<double>(set.size()));
    }
  }
  CHECK(worst <= 12.0);
  CHECK(worst > 8.0);
}

}  // namespace
}  // namespace neardup
