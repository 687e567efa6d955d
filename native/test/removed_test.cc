// The bitmap of removed slots against a set, its copies, and its copies on other threads.
#include "core/index/removed.h"

#include <doctest/doctest.h>

#include <new>
#include <set>
#include <thread>
#include <vector>

#include "test/random.h"
#include "test/refuse_memory.h"

namespace neardup::test {

TEST_CASE("removed: what was added, and copies as they were") {
  Random random{1};
  Removed removed;
  CHECK(removed.bytes() == 0);
  CHECK(!removed.Has(0));
  CHECK(!removed.Has(~uint64_t{0}));
  std::set<uint64_t> expected;
  std::vector<std::pair<Removed, std::set<uint64_t>>> copies;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t slot = random.Below(i % 3 == 0 ? 200000 : 2000);
    CHECK(removed.Add(slot) == expected.insert(slot).second);
    if (i % 500 == 0) copies.emplace_back(removed, expected);
  }
  copies.emplace_back(removed, expected);
  for (const auto& [copy, set] : copies) {
    CHECK(copy.count() == set.size());
    size_t wrong = 0;
    for (uint64_t slot = 0; slot < 250000; ++slot) wrong += copy.Has(slot) != (set.count(slot) != 0);
    CHECK(wrong == 0);
  }
  CHECK(removed.bytes() >= 7 * 4096);
  CHECK(removed.bytes() < 7 * 4096 + 1000);
}

TEST_CASE("removed: refused memory changes nothing") {
  Removed removed;
  for (size_t allowed = 0; allowed < 2; ++allowed) {
    const RefuseMemory refuse(allowed);
    CHECK_THROWS_AS(removed.Add(100000), std::bad_alloc);
  }
  CHECK(removed.count() == 0);
  CHECK(!removed.Has(100000));
  REQUIRE(removed.Add(100000));
  const Removed copy = removed;
  for (size_t allowed = 0; allowed < 3; ++allowed) {
    const RefuseMemory refuse(allowed);
    CHECK_THROWS_AS(removed.Add(100001), std::bad_alloc);
  }
  CHECK(removed.count() == 1);
  CHECK(removed.Add(100001));
  CHECK(!copy.Has(100001));
}

TEST_CASE("removed: copies are read on other threads while the owner adds" * doctest::test_suite("threads")) {
  Removed removed;
  for (uint64_t slot = 0; slot < 100; ++slot) removed.Add(slot * 1000);
  for (int round = 0; round < 20; ++round) {
    std::vector<size_t> wrong(2);
    std::vector<std::thread> readers;
    const uint64_t count = removed.count();
    for (size_t t = 0; t < 2; ++t) {
      readers.emplace_back([&wrong, t, count, copy = removed] {
        uint64_t found = 0;
        for (uint64_t slot = 0; slot < 100000; ++slot) found += copy.Has(slot);
        wrong[t] = found != count;
      });
    }
    for (uint64_t slot = 0; slot < 100; ++slot) removed.Add(slot * 1000 + static_cast<uint64_t>(round) + 1);
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == std::vector<size_t>{0, 0});
  }
}

}  // namespace neardup::test
