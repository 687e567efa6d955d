// How segments are built: from several sources, in bounded memory, with refused memory, cancelled.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/index/entry_source.h"
#include "core/index/planner.h"
#include "core/index/segments_source.h"
#include "test/random.h"
#include "test/refuse_memory.h"
#include "test/segment_data.h"

namespace neardup::test {

namespace {

Plan PlanFor(const Data& data, double bytes) {
  PlanRequest request;
  request.count = data.ids.size();
  request.memory = bytes * static_cast<double>(data.ids.size());
  Plan plan = ListPlans(request)[0].plan;
  FitToData(data.fingerprints.data(), data.ids.size(), &plan);
  return plan;
}

PlannedSegment Build(const Plan& plan, const Data& data, unsigned threads = 1) {
  PlannedSegment segment;
  REQUIRE(PlannedSegment::Build(plan, data.fingerprints.data(), data.ids.data(), data.ids.size(), threads,
                                &segment)
              .ok());
  return segment;
}

}  // namespace

TEST_CASE("segment builder: the same bytes for any threads, work memory and order of the entries") {
  Random random{31};
  for (const std::string kind : kKinds) {
    for (const bool wide : {false, true}) {
      Data data = Make(kind, 60000, &random);
      if (!wide) {
        for (size_t i = 0; i < data.ids.size(); ++i) data.ids[i] = i;
      }
      for (const double bytes : {20.0, 64.0}) {
        const Plan plan = PlanFor(data, bytes);
        CAPTURE(kind);
        CAPTURE(plan.tables.size());
        const PlannedSegment expected = Build(plan, data);
        for (const unsigned threads : {1u, 3u}) {
          for (const uint64_t memory : {uint64_t{0}, uint64_t{1}, uint64_t{200000}, uint64_t{1} << 40}) {
            ArraySource source(data.fingerprints.data(), data.ids.data(), data.ids.size());
            BuildOptions options;
            options.threads = threads;
            options.work_memory = memory;
            PlannedSegment segment;
            CAPTURE(threads);
            CAPTURE(memory);
            REQUIRE(PlannedSegment::Build(plan, &source, options, &segment).ok());
            CHECK(SameBytes(segment, expected));
          }
        }
        for (size_t i = data.ids.size(); i-- > 1;) {
          const size_t j = random.Below(i + 1);
          std::swap(data.fingerprints[i], data.fingerprints[j]);
          std::swap(data.ids[i], data.ids[j]);
        }
        CHECK(SameBytes(Build(plan, data, 2), expected));
      }
    }
  }
}

TEST_CASE("segment builder: slots number the entries") {
  Random random{32};
  for (const std::string kind : {"uniform", "identical", "few bits"}) {
    const Data data = Make(kind, 50000, &random);
    const PlannedSegment segment = Build(PlanFor(data, 24), data);
    std::map<uint64_t, std::pair<uint64_t, uint64_t>> slots;
    segment.ForEachEntry(0, segment.parts(), [&](uint64_t fingerprint, uint64_t id, uint64_t slot) {
      slots[slot] = {fingerprint, id};
    });
    CHECK(slots.size() == data.ids.size());
    CHECK(slots.rbegin()->first < segment.slot_count());
    Entries expected, by_row;
    for (size_t i = 0; i < data.ids.size(); ++i) expected.emplace(data.fingerprints[i], data.ids[i]);
    CHECK(EntriesOf(segment) == expected);
    size_t wrong = 0, descending = 0;
    segment.ForEachFingerprint([&](uint64_t fingerprint, uint64_t row) {
      uint64_t last = 0, rank = 0;
      segment.ForEachSlot(
          row, [](uint64_t) { return false; },
          [&](uint64_t slot, uint64_t id) {
            wrong += slots[slot] != std::make_pair(fingerprint, id);
            descending += rank++ != 0 && id < last;
            last = id;
            by_row.emplace(fingerprint, id);
            return true;
          });
    });
    CHECK(wrong == 0);
    CHECK(descending == 0);
    CHECK(by_row == expected);
  }
}

TEST_CASE("segment builder: a merge has what its segments have, less what is removed") {
  Random random{33};
  for (const std::string kind : kKinds) {
    std::vector<PlannedSegment> segments;
    Entries expected;
    std::vector<PlannedPart> parts;
    Data all;
    for (const size_t n : {40000, 0, 20000, 300}) {
      const Data data = Make(kind, n, &random);
      segments.push_back(Build(n == 0 ? segments[0].plan() : PlanFor(data, n == 300 ? 64 : 24), data));
      all.fingerprints.insert(all.fingerprints.end(), data.fingerprints.begin(), data.fingerprints.end());
      all.ids.insert(all.ids.end(), data.ids.begin(), data.ids.end());
    }
    for (const PlannedSegment& segment : segments) {
      Removed removed;
      segment.ForEachEntry(0, segment.parts(), [&](uint64_t fingerprint, uint64_t id, uint64_t slot) {
        if (random.Below(4) == 0) {
          removed.Add(slot);
        } else {
          expected.emplace(fingerprint, id);
        }
      });
      parts.push_back({&segment, removed});
    }
    // On the plan of the largest, and on another one.
    for (const Plan& plan : {segments[0].plan(), PlanFor(all, 64)}) {
      PlannedSegment first;
      for (const uint64_t memory : {0, 100000}) {
        SegmentsSource source(parts);
        CHECK(source.count() == expected.size());
        BuildOptions options;
        options.threads = 2;
        options.work_memory = memory;
        PlannedSegment merged;
        REQUIRE(PlannedSegment::Build(plan, &source, options, &merged).ok());
        CHECK(merged.size() == expected.size());
        CHECK(EntriesOf(merged) == expected);
        if (memory == 0)
          first = std::move(merged);
        else
          CHECK(SameBytes(first, merged));
      }
    }
  }
}

TEST_CASE("segment builder: a source ordered alike is read for its window only") {
  Random random{34};
  const Data data = Make("uniform", 100000, &random);
  const PlannedSegment segment = Build(PlanFor(data, 24), data);
  SegmentsSource source({{&segment, Removed()}});
  REQUIRE(source.parts() > 1);
  const WordMap& map = segment.tables()[0].map();
  uint64_t end = 0;
  for (size_t part = 0; part < source.parts(); ++part) {
    uint64_t least, greatest, outside = 0;
    source.Range(part, segment.plan().order, segment.plan().tables[0], &least, &greatest);
    CHECK(least == end);
    end = greatest + 1;
    source.Read(part, [&](const uint64_t* fingerprints, const uint64_t*, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        const uint64_t word = map.Encode(fingerprints[i]);
        outside += word < least || word > greatest;
      }
    });
    CHECK(outside == 0);
  }
  CHECK(end == 0);
}

TEST_CASE("segment builder: refused memory is a status, at every allocation, and leaves the segment") {
  Random random{35};
  for (const std::string kind : {"uniform", "identical"}) {
    const Data data = Make(kind, 3000, &random);
    const Plan plan = PlanFor(data, 24);
    const PlannedSegment expected = Build(plan, data);
    PlannedSegment segment = Build(plan, data);
    size_t allowed = 0;
    for (Status status;; ++allowed) {
      {
        const RefuseMemory refuse(allowed);
        status = PlannedSegment::Build(plan, data.fingerprints.data(), data.ids.data(), data.ids.size(), 1,
                                       &segment);
      }
      if (status.ok()) break;
      REQUIRE(status.code() == StatusCode::kOutOfMemory);
      REQUIRE(SameBytes(segment, expected));
    }
    CHECK(allowed > 30);
    CHECK(SameBytes(segment, expected));
  }
}

TEST_CASE("segment builder: progress rises to its end; work that is cancelled ends" *
          doctest::test_suite("threads")) {
  Random random{36};
  const Data data = Make("uniform", 200000, &random);
  const Plan plan = PlanFor(data, 24);
  std::atomic<bool> cancel{false};
  std::atomic<uint32_t> progress{0};
  BuildOptions options;
  options.threads = 2;
  options.control = {&cancel, &progress};
  // Cancels when the source is read for the n-th time.
  class Cancelling : public ArraySource {
   public:
    Cancelling(const Data& data, std::atomic<bool>* cancel, size_t reads)
        : ArraySource(data.fingerprints.data(), data.ids.data(), data.ids.size()),
          cancel_(*cancel),
          left_(reads) {}
    void Read(size_t part, const Visit& visit) override {
      if (--left_ == 0) cancel_ = true;
      ArraySource::Read(part, visit);
    }

   private:
    std::atomic<bool>& cancel_;
    std::atomic<size_t> left_;
  };
  PlannedSegment segment;
  for (const size_t reads : {1, 3, 7}) {
    cancel = false;
    options.work_memory = 1 << 20;
    Cancelling source(data, &cancel, reads);
    CHECK(PlannedSegment::Build(plan, &source, options, &segment).code() == StatusCode::kAborted);
    CHECK(segment.size() == 0);
    CHECK(progress < WorkControl::kDone);
  }
  cancel = false;
  progress = 0;
  Cancelling source(data, &cancel, 1000000);
  CHECK(PlannedSegment::Build(plan, &source, options, &segment).ok());
  CHECK(progress == WorkControl::kDone);
  CHECK(segment.size() == data.ids.size());
}

}  // namespace neardup::test
