// Spools: what is dealt to a partition comes back in order, and memory goes back.
#include "core/index/spool.h"

#include <doctest/doctest.h>

#include <vector>

#include "test/random.h"

namespace neardup::test {

namespace {

struct Odd {  // Of a size that does not divide a block's.
  uint32_t a, b, c;
};

}  // namespace

TEST_CASE("spool: each partition has its items, writer by writer, in order") {
  Random random{51};
  for (const size_t partitions : {1, 7, 300}) {
    for (const size_t expected : {0, 1000, 3000000}) {
      SlabPool pool(uint64_t{8} << 20);
      Spool<Odd> spool(partitions, 2, expected, &pool);
      // The second round writes over the memory of the first.
      for (int round = 0; round < 2; ++round) {
        spool.Clear();
        std::vector<std::vector<uint32_t>> dealt[2];
        for (size_t w = 0; w < 2; ++w) {
          dealt[w].resize(partitions);
          Spool<Odd>::Writer writer(&spool, w);
          for (uint32_t i = 0; i < 20000; ++i) {
            const auto partition = static_cast<size_t>(random.Below(partitions + 1) % partitions);
            REQUIRE(writer.Add(partition, {i, i, i}));
            dealt[w][partition].push_back(i);
          }
        }
        size_t wrong = 0;
        for (size_t p = 0; p < partitions; ++p) {
          std::vector<uint32_t> got;
          spool.ForEachBlock(p, [&](const Odd* items, size_t n) {
            for (size_t i = 0; i < n; ++i) got.push_back(items[i].b);
          });
          std::vector<uint32_t> all = dealt[0][p];
          all.insert(all.end(), dealt[1][p].begin(), dealt[1][p].end());
          wrong += got != all;
          wrong += spool.count(p) != all.size();
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("spool: memory goes back as partitions are released") {
  Spool<uint64_t> spool(1000, 1, 10000000);
  Spool<uint64_t>::Writer writer(&spool, 0);
  bool added = true;
  for (uint64_t i = 0; i < 10000000; ++i) added = added && writer.Add(i % 1000, i);
  REQUIRE(added);
  const uint64_t all = spool.bytes();
  CHECK(all >= 80000000);
  CHECK(all < 100000000);
  for (size_t p = 0; p < 500; ++p) spool.Release(p);
  CHECK(spool.bytes() < all * 6 / 10);
  for (size_t p = 500; p < 1000; ++p) spool.Release(p);
  CHECK(spool.bytes() == 0);
}

TEST_CASE("spool: a pool keeps what fits it") {
  SlabPool pool(uint64_t{4} << 20);
  for (int i = 0; i < 3; ++i) {
    Buffer slab;
    REQUIRE(Buffer::Allocate(size_t{2} << 20, &slab).ok());
    pool.Give(std::move(slab));
  }
  CHECK(pool.Take().size() != 0);
  CHECK(pool.Take().size() != 0);
  CHECK(pool.Take().size() == 0);
}

}  // namespace neardup::test
