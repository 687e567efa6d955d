// The bulk loader against building from arrays.
#include "core/index/bulk_loader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "test/random.h"
#include "test/refuse_memory.h"
#include "test/segment_data.h"

namespace neardup::test {

TEST_CASE("bulk loader: the segment that the arrays give") {
  Random random{41};
  for (const std::string kind : kKinds) {
    for (const size_t wide_from : {0, 100000, 1000000}) {
      Data data = Make(kind, 400000, &random);
      for (size_t i = 0; i < data.ids.size(); ++i)
        data.ids[i] = (i >= wide_from && i % 2 == 0 ? uint64_t{1} << 33 : 0) + i;
      BulkLoader loader;
      for (size_t at = 0; at < data.ids.size();) {
        const size_t n = std::min<size_t>(data.ids.size() - at, random.Below(5000));
        REQUIRE(loader.Add(data.fingerprints.data() + at, data.ids.data() + at, n).ok());
        at += n;
      }
      CHECK(loader.count() == data.ids.size());
      CHECK(loader.bytes() >= data.ids.size() * 12);
      PlanRequest request;
      request.memory = 24.0 * static_cast<double>(data.ids.size());
      const Plan plan = loader.ChoosePlan(request);
      CAPTURE(kind);
      CHECK((plan.order == BitList{}) == (kind == "uniform" || kind == "near"));
      PlannedSegment expected, segment;
      REQUIRE(PlannedSegment::Build(plan, data.fingerprints.data(), data.ids.data(), data.ids.size(), 2,
                                    &expected)
                  .ok());
      BuildOptions options;
      options.threads = 2;
      REQUIRE(loader.Finish(plan, options, &segment).ok());
      CHECK(SameBytes(segment, expected));
      CHECK(loader.count() == 0);
    }
  }
}

TEST_CASE("bulk loader: nothing added, and refused memory") {
  BulkLoader loader;
  PlanRequest request;
  PlannedSegment segment;
  const Plan plan = loader.ChoosePlan(request);
  REQUIRE(loader.Finish(plan, BuildOptions(), &segment).ok());
  CHECK(segment.size() == 0);
  const uint64_t one = 1;
  {
    const RefuseMemory refuse(0);
    CHECK(loader.Add(&one, &one, 1).code() == StatusCode::kOutOfMemory);
  }
  CHECK(loader.count() == 0);
  REQUIRE(loader.Add(&one, &one, 1).ok());
  {
    const RefuseMemory refuse(3);
    CHECK(loader.Finish(plan, BuildOptions(), &segment).code() == StatusCode::kOutOfMemory);
  }
  CHECK(loader.count() == 0);
  CHECK(loader.Finish(Plan(), BuildOptions(), &segment).code() == StatusCode::kOutOfRange);
}

}  // namespace neardup::test
