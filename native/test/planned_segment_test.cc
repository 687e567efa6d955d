// Segments on every plan against a scan, on data of every kind.
#include "core/index/planned_segment.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/index/planner.h"
#include "test/random.h"
#include "test/segment_data.h"

namespace neardup::test {

TEST_CASE("planned segment: every plan gives what a scan gives, on every kind of data") {
  Random random{7};
  for (const std::string kind : kKinds) {
    for (const size_t n : {0, 1, 30, 3000}) {
      const Data data = Make(kind, n, &random);
      for (const unsigned k : {0u, 1u, 3u, 6u}) {
        const std::vector<uint64_t> queries = Queries(data, 40, k, &random);
        const Answer expected = Scan(data, queries, k);
        PlanRequest request;
        request.count = n;
        request.max_distance = k;
        size_t tried = 0;
        for (const PlanOption& option : ListPlans(request)) {
          if (option.scan || option.probes > 700 || ++tried > 12) continue;
          CAPTURE(kind);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(option.name);
          PlannedSegment segment;
          REQUIRE(
              PlannedSegment::Build(option.plan, data.fingerprints.data(), data.ids.data(), n, 2, &segment)
                  .ok());
          CHECK(segment.size() == n);
          CHECK(Query(segment, queries, k) == expected);
          if (k > 1) CHECK(Query(segment, queries, k - 1) == Scan(data, queries, k - 1));
        }
      }
    }
  }
}

TEST_CASE("planned segment: large enough for many superblocks and long overflow runs") {
  Random random{17};
  for (const std::string kind : kKinds) {
    const Data data = Make(kind, 200000, &random);
    const std::vector<uint64_t> queries = Queries(data, 60, 3, &random);
    const Answer expected = Scan(data, queries, 3);
    for (const double memory : {0.0, 24.0, 18.0}) {
      PlanRequest request;
      request.count = data.ids.size();
      request.memory = memory * static_cast<double>(data.ids.size());
      PlannedSegment segment;
      PlanOption option = ListPlans(request)[0];
      FitToData(data.fingerprints.data(), data.ids.size(), &option.plan);
      CHECK((option.plan.order == BitList{}) == (kind == "uniform" || kind == "near"));
      CAPTURE(kind);
      CAPTURE(option.name);
      REQUIRE(PlannedSegment::Build(option.plan, data.fingerprints.data(), data.ids.data(), data.ids.size(),
                                    2, &segment)
                  .ok());
      CHECK(Query(segment, queries, 3) == expected);
    }
  }
}

TEST_CASE("planned segment: lists and finds what it was given, for any number of threads" *
          doctest::test_suite("threads")) {
  Random random{8};
  for (const std::string kind : {"uniform", "identical", "constant low", "biased"}) {
    const Data data = Make(kind, 100000, &random);
    PlanRequest request;
    request.count = data.ids.size();
    request.memory = 40.0 * static_cast<double>(data.ids.size());
    Plan plan = ListPlans(request)[0].plan;
    FitToData(data.fingerprints.data(), data.ids.size(), &plan);
    std::map<uint64_t, std::multiset<uint64_t>> expected;
    for (size_t i = 0; i < data.ids.size(); ++i) expected[data.fingerprints[i]].insert(data.ids[i]);
    std::vector<std::pair<uint64_t, uint64_t>> first_rows;
    for (const unsigned threads : {1u, 3u}) {
      PlannedSegment segment;
      REQUIRE(PlannedSegment::Build(plan, data.fingerprints.data(), data.ids.data(), data.ids.size(), threads,
                                    &segment)
                  .ok());
      CHECK(segment.fingerprint_count() == expected.size());
      std::map<uint64_t, std::multiset<uint64_t>> got;
      std::vector<std::pair<uint64_t, uint64_t>> rows;
      size_t not_found = 0, false_finds = 0;
      uint64_t found;
      segment.ForEachFingerprint([&](uint64_t fingerprint, uint64_t row) {
        segment.ids().ForEach(row, [&](uint64_t id) { got[fingerprint].insert(id); });
        rows.emplace_back(fingerprint, row);
        not_found += !segment.Find(fingerprint, &found) || found != row;
      });
      CHECK(got == expected);
      CHECK(not_found == 0);
      for (size_t i = 0; i < 1000; ++i) {
        const uint64_t other = Flip(data.fingerprints[i], 2, &random);
        false_finds += segment.Find(other, &found) != (expected.count(other) != 0);
      }
      CHECK(false_finds == 0);
      if (threads == 1) first_rows = rows;
      CHECK(rows == first_rows);
    }
  }
}

TEST_CASE("planned segment: the planner's bytes are the segment's") {
  Random random{9};
  const Data data = Make("uniform", 200000, &random);
  std::vector<uint64_t> ids(data.ids.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  for (const double memory : {0.0, 24.0, 40.0}) {
    PlanRequest request;
    request.count = ids.size();
    request.memory = memory * static_cast<double>(ids.size());
    request.id_bits = BitWidth(ids.size());
    const PlanOption option = ListPlans(request)[0];
    CAPTURE(option.name);
    REQUIRE(option.fits);
    PlannedSegment segment;
    REQUIRE(PlannedSegment::Build(option.plan, data.fingerprints.data(), ids.data(), ids.size(), 1, &segment)
                .ok());
    CHECK(static_cast<double>(segment.bytes()) == doctest::Approx(option.bytes).epsilon(0.04));
  }
}

TEST_CASE("planned segment: a million ids of one fingerprint share a row") {
  const size_t n = 1000000;
  std::vector<uint64_t> fingerprints(n, 42), ids(n);
  for (size_t i = 0; i < n; ++i) ids[i] = n - 1 - i;
  PlanRequest request;
  request.count = n;
  PlannedSegment segment;
  REQUIRE(PlannedSegment::Build(ListPlans(request)[0].plan, fingerprints.data(), ids.data(), n, 2, &segment)
              .ok());
  CHECK(segment.fingerprint_count() == 1);
  CHECK(segment.bytes() < 4 * n);
  const Answer answer = Query(segment, {42 ^ 7}, 3);
  REQUIRE(answer.size() == n);
  for (size_t i = 0; i < n; i += 1000) CHECK(answer[i][3] == i);
}

TEST_CASE("planned segment: a plan that cannot be built is refused") {
  PlannedSegment segment;
  const uint64_t one = 1;
  CHECK(PlannedSegment::Build(Plan(), &one, &one, 1, 1, &segment).code() == StatusCode::kOutOfRange);
  Plan plan;
  plan.load = 0.8;
  plan.tables = {{{{32, 32}}, 1, {}, 40}};
  CHECK(PlannedSegment::Build(plan, &one, &one, 1, 1, &segment).code() == StatusCode::kOutOfRange);
}

}  // namespace neardup::test
