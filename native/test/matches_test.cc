#include "core/index/matches.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace neardup {

TEST_CASE("matches: each id once at its smallest distance, by distance, then id") {
  Matches matches;
  matches.Begin(kNoLimit);
  for (const Match& match : std::vector<Match>{{9, 3}, {4, 1}, {9, 2}, {1, 3}, {4, 1}, {2, 1}}) {
    CHECK(matches.Offer(match.distance, match.id));
  }
  matches.Finish();
  REQUIRE(matches.found().size() == 4);
  const std::vector<Match> expected = {{2, 1}, {4, 1}, {9, 2}, {1, 3}};
  for (size_t i = 0; i < 4; i++) {
    CHECK(matches.found()[i].id == expected[i].id);
    CHECK(matches.found()[i].distance == expected[i].distance);
  }
}

TEST_CASE("matches: a limit gives what cutting the full answer gives, and bounds what is held") {
  std::mt19937_64 random(3);
  for (uint64_t limit : {1u, 2u, 31u, 32u, 33u, 100u, 5000u}) {
    Matches cut, all;
    cut.Begin(limit);
    all.Begin(kNoLimit);
    bool refused = false;
    for (int i = 0; i < 20000; i++) {
      const unsigned distance = static_cast<unsigned>(random() % 9);
      const uint64_t id = random() % 3000;
      refused |= !cut.Offer(distance, id);
      all.Offer(distance, id);
      REQUIRE(cut.found().size() <= (limit < 32 ? 64 : 2 * limit));
    }
    cut.Finish();
    all.Finish();
    CHECK(refused == (limit < 3000));
    REQUIRE(cut.found().size() == std::min<uint64_t>(limit, all.found().size()));
    for (size_t i = 0; i < cut.found().size(); i++) {
      CHECK(cut.found()[i].id == all.found()[i].id);
      CHECK(cut.found()[i].distance == all.found()[i].distance);
    }
  }
}

}  // namespace neardup
