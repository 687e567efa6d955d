// Codes, word maps and plans, each against its definition.
#include "core/index/planner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/bits.h"
#include "core/index/block_code.h"
#include "core/index/word_map.h"
#include "test/random.h"

namespace neardup::test {

TEST_CASE("a block code puts values within one bit into its neighbouring buckets") {
  for (const CodeKind kind :
       {CodeKind::kHamming7, CodeKind::kHamming15, CodeKind::kHamming31, CodeKind::kGolay23}) {
    const BlockCode& code = BlockCode::Get(kind);
    Random random{1};
    size_t wrong = 0;
    for (int i = 0; i < 2000; ++i) {
      const uint32_t value = static_cast<uint32_t>(random.Next()) & ((1u << code.length()) - 1);
      const uint32_t syndrome = code.Syndrome(value), bucket = code.Bucket(value, syndrome);
      wrong += code.Value(bucket, syndrome) != value;
      std::set<uint32_t> buckets = {bucket};
      for (uint32_t n = 0; n < code.neighbour_count(syndrome); ++n)
        buckets.insert(bucket ^ code.neighbours(syndrome)[n]);
      wrong += buckets.size() != code.neighbour_count(syndrome) + 1;
      for (unsigned bit = 0; bit < code.length(); ++bit) {
        const uint32_t near = value ^ 1u << bit;
        wrong += buckets.count(code.Bucket(near, code.Syndrome(near))) != 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("perfect codes: every bucket holds as many values, few are neighbours") {
  const struct {
    CodeKind kind;
    unsigned length, information;
    double most_neighbours;
  } codes[] = {
      {CodeKind::kHamming7, 7, 4, 3}, {CodeKind::kHamming15, 15, 11, 7}, {CodeKind::kGolay23, 23, 12, 5}};
  for (const auto& expected : codes) {
    const BlockCode& code = BlockCode::Get(expected.kind);
    CHECK(code.length() == expected.length);
    CHECK(code.information() == expected.information);
    CHECK(code.mean_neighbours() <= expected.most_neighbours);
    std::vector<uint32_t> sizes(1u << code.information());
    for (uint32_t value = 0; value < 1u << code.length(); ++value)
      ++sizes[code.Bucket(value, code.Syndrome(value))];
    CHECK(std::all_of(sizes.begin(), sizes.end(), [&](uint32_t size) { return size == 1u << code.check(); }));
  }
}

TEST_CASE("a word map is one to one and its probes cover the radius") {
  const TablePlan tables[] = {
      {{{32, 32}}, 1, {CodeKind::kHamming15, CodeKind::kHamming15}, 23},
      {{{0, 32}}, 1, {CodeKind::kGolay23}, 17},
      {{{5, 9}, {40, 17}}, 2, {}, 20},
      {{{48, 16}, {0, 8}, {20, 7}}, 0, {}, 22},
      {{{10, 31}}, 1, {CodeKind::kHamming31}, 26},
  };
  Random random{2};
  for (const TablePlan& table : tables) {
    const WordMap map(table, 0xff00ff);
    std::vector<uint32_t> buckets(map.max_probes());
    CHECK(PopCount(map.lane_mask()) == 32);
    CHECK((map.lane_mask() & table.key_mask()) == 0);
    double all_probes = 0;
    for (int i = 0; i < 2000; ++i) {
      const uint64_t x = random.Next();
      const uint64_t word = map.Encode(x);
      const unsigned probes = map.Probes(word, buckets.data());
      all_probes += probes;
      REQUIRE(probes <= map.max_probes());
      REQUIRE(map.Decode(word) == x);
      const auto lane = static_cast<uint32_t>(random.Next());
      REQUIRE(map.Decode(word ^ lane) == (x ^ map.SpreadLane(lane)));
      REQUIRE(buckets[0] == map.BucketOf(word));
      const std::set<uint32_t> set(buckets.begin(), buckets.begin() + probes);
      REQUIRE(set.size() == probes);
      uint64_t near = x;
      for (unsigned flip = 0; flip < table.radius; ++flip) {
        const BitRange range = table.key[random.Below(table.key.size())];
        near ^= uint64_t{1} << (range.low + random.Below(range.width));
      }
      near ^= random.Next() & ~table.key_mask();
      REQUIRE(set.count(map.BucketOf(map.Encode(near))) == 1);
      const uint64_t lane_bit = uint64_t{1} << random.Below(64);
      if ((lane_bit & map.lane_mask()) != 0)
        REQUIRE(PopCount((map.Encode(x ^ lane_bit) ^ word) & 0xffffffff) == 1);
    }
    CHECK(all_probes / 2000 == doctest::Approx(table.mean_probes()).epsilon(0.05));
  }
}

TEST_CASE("every listed plan is valid, and a table fewer makes it invalid") {
  for (unsigned k = 0; k <= 10; ++k) {
    for (const uint64_t n : {1000, 1000000, 1000000000}) {
      PlanRequest request;
      request.count = n;
      request.max_distance = k;
      size_t checked = 0;
      for (const PlanOption& option : ListPlans(request)) {
        if (option.scan || ++checked > 15) continue;
        CAPTURE(k);
        CAPTURE(option.name);
        CHECK(IsValid(option.plan, k));
        std::string why;
        CHECK_MESSAGE(IsBuildable(option.plan, &why), why);
        for (const size_t idle : {size_t{0}, option.plan.tables.size() - 1}) {
          Plan fewer = option.plan;
          fewer.tables.erase(fewer.tables.begin() + static_cast<std::ptrdiff_t>(idle));
          CHECK_FALSE(IsValid(fewer, k));
        }
      }
    }
  }
}

TEST_CASE("the validity check agrees with the patterns themselves") {
  Random random{6};
  size_t valid = 0;
  for (int round = 0; round < 300; ++round) {
    Plan plan;
    const uint64_t tables = 1 + random.Below(4);
    for (uint64_t t = 0; t < tables; ++t) {
      const auto low = static_cast<uint8_t>(random.Below(40)),
                 width = static_cast<uint8_t>(4 + random.Below(20));
      plan.tables.push_back({{{low, width}}, static_cast<unsigned>(random.Below(3)), {}, 4});
    }
    bool all = true;
    for (unsigned a = 0; a < 64; ++a) {
      for (unsigned b = a + 1; b < 64; ++b) {
        const uint64_t pattern = uint64_t{1} << a | uint64_t{1} << b;
        all = all && std::any_of(plan.tables.begin(), plan.tables.end(), [&](const TablePlan& t) {
                return PopCount(pattern & t.key_mask()) <= t.radius;
              });
      }
    }
    valid += all;
    CHECK(IsValid(plan, 2) == all);
  }
  CHECK(valid > 30);
  CHECK(valid < 270);
}

TEST_CASE("the published designs have the published candidates per probe at 2^34") {
  PlanRequest request;
  request.count = uint64_t{1} << 34;
  const std::vector<PlanOption> options = PublishedPlans(request);
  const struct {
    size_t tables;
    double candidates;
  } published[] = {{4, 262144}, {10, 512}, {20, 8}, {16, 64}};
  REQUIRE(options.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    // Keys are 64 / 5 and 64 / 6 bits of a block wide: the table's mean key, rounded down.
    CHECK(options[i].plan.tables.size() == published[i].tables);
    CHECK(options[i].candidates == published[i].candidates);
    CHECK(IsValid(options[i].plan, 3));
  }
}

TEST_CASE("a comparison has the published designs, each set of keys once, in order") {
  for (const double bytes : {0.0, 10.0, 20.0, 50.0}) {
    PlanRequest request;
    request.count = 10000000;
    request.memory = bytes * static_cast<double>(request.count);
    const std::vector<PlanOption> options = ComparePlans(request);
    CHECK(std::count_if(options.begin(), options.end(), [](auto& o) { return o.published; }) == 4);
    CHECK(std::count_if(options.begin(), options.end(), [](auto& o) { return o.scan; }) == 1);
    std::set<std::vector<uint64_t>> keys;
    for (size_t i = 0; i < options.size(); ++i) {
      std::vector<uint64_t> masks;
      for (const TablePlan& table : options[i].plan.tables) {
        masks.push_back(table.key_mask());
        masks.push_back(table.radius);
      }
      CHECK(keys.insert(masks).second);
      if (i == 0) continue;
      const PlanOption &before = options[i - 1], &option = options[i];
      CHECK(
          (before.fits != option.fits ? before.fits : before.nanoseconds <= option.nanoseconds * (1 + 1e-6)));
    }
    // What an index takes is among them.
    const PlanOption taken = ListPlans(request).front();
    CHECK(options.front().nanoseconds <= taken.nanoseconds);
    request.max_distance = 4;
    for (const PlanOption& option : ComparePlans(request)) CHECK_FALSE(option.published);
  }
}

TEST_CASE(
    "measured costs are positive, the cache is faster than memory, and computing costs keep their pace") {
  const MachineCosts costs = MeasureCosts(), defaults;
  CHECK(costs.cached_line > 0);
  CHECK(costs.memory_line >= costs.cached_line);
  CHECK(costs.probe > 0);
  CHECK(costs.compare > 0);
  CHECK(costs.cache_bytes == defaults.cache_bytes);
  CHECK(costs.run / costs.probe == doctest::Approx(defaults.run / defaults.probe));
  CHECK(costs.table / costs.probe == doctest::Approx(defaults.table / defaults.probe));
  CHECK(costs.suspect / costs.probe == doctest::Approx(defaults.suspect / defaults.probe));
}

}  // namespace neardup::test
