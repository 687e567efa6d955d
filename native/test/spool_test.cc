// Spools: what is dealt to a partition comes back in order, and memory goes back.
#include "core/index/spool.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/index/line_writer.h"
#include "test/random.h"
#include "test/refuse_memory.h"

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

TEST_CASE("spool: whole lines give what single items give, in order") {
  Random random{52};
  for (const size_t partitions : {1, 5, 300}) {
    std::vector<uint64_t> words(60003);
    for (uint64_t& word : words) word = random.Next();
    const auto partition_of = [&](uint64_t word) { return static_cast<size_t>(word % partitions); };
    Spool<uint64_t> by_lines(partitions, 2, words.size()), by_items(partitions, 2, words.size());
    for (int round = 0; round < 2; ++round) {
      by_lines.Clear();
      by_items.Clear();
      for (size_t w = 0; w < 2; ++w) {
        LineWriter lines(&by_lines, w);
        lines.Add(words.data(), 40000, partition_of);
        lines.Add(words.data() + 40000, words.size() - 40000, partition_of);
        REQUIRE(lines.End().ok());
        Spool<uint64_t>::Writer items(&by_items, w);
        for (const uint64_t word : words) REQUIRE(items.Add(partition_of(word), word));
      }
      for (size_t p = 0; p < partitions; ++p) {
        std::vector<uint64_t> got, expected;
        by_lines.ForEachBlock(p,
                              [&](const uint64_t* from, size_t n) { got.insert(got.end(), from, from + n); });
        by_items.ForEachBlock(
            p, [&](const uint64_t* from, size_t n) { expected.insert(expected.end(), from, from + n); });
        CHECK(got == expected);
      }
    }
  }
}

TEST_CASE("spool: refused memory is a status of the writer of lines") {
  const std::vector<uint64_t> words(100000, 3);
  Spool<uint64_t> spool(1, 1, words.size());
  LineWriter writer(&spool, 0);
  Status status;
  {
    const RefuseMemory refuse(0);
    writer.Add(words.data(), words.size(), [](uint64_t) { return size_t{0}; });
    status = writer.End();
  }
  CHECK(status.code() == StatusCode::kOutOfMemory);
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
