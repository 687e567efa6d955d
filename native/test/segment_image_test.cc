// Segments written, and opened again from their payloads: the same answers, and nothing but an error for
// whatever else the bytes may be.
#include "core/storage/segment_image.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/index/listing.h"
#include "core/index/pair_reader.h"
#include "core/storage/segment_check.h"
#include "test/random.h"
#include "test/segment_data.h"
#include "test/storage_data.h"

namespace neardup::test {

namespace {

constexpr ColumnSet kAll = {true, true, true};

struct Rows {
  EntryList entries;
  std::vector<uint64_t> queries;
};

Rows MakeRows(const std::string& kind, size_t n, ColumnSet columns, uint64_t seed) {
  Random random{seed};
  const Data data = Make(kind, n, &random);
  Rows rows{EntryList(columns), Queries(data, 60, 3, &random)};
  for (size_t i = 0; i < n; ++i) {
    Entry entry;
    entry.fingerprint = data.fingerprints[i];
    entry.id = random.Below(8) == 0 ? random.Below(50) : data.ids[i];
    entry.time = random.Below(1000);
    entry.tag = static_cast<uint32_t>(random.Below(4));
    entry.second = random.Next();
    rows.entries.Push(entry);
  }
  return rows;
}

std::shared_ptr<const Segment> Built(const Rows& rows) {
  std::shared_ptr<const Segment> segment;
  const SegmentPlanner planner(3, 0);
  const EntryColumns entries = rows.entries.view();
  REQUIRE(
      Segment::Build(entries, rows.entries.columns(), planner, entries.count, BuildOptions(), &segment).ok());
  REQUIRE(segment->planned() != nullptr);
  return segment;
}

Bytes PayloadOf(const std::shared_ptr<const Segment>& segment) {
  const SegmentImage image(segment);
  Bytes bytes(image.length());
  image.Read(0, bytes.data(), bytes.size());
  return bytes;
}

View ViewOf(std::shared_ptr<const Segment> segment) {
  View view;
  view.segments.push_back({std::move(segment), {}, nullptr});
  return view;
}

void CheckSameAnswers(const View& a, const View& b, const Rows& rows) {
  const ColumnSet columns = rows.entries.columns();
  const std::vector<uint32_t> tags(rows.queries.size(), 1);
  for (const unsigned distance : {3u, 9u}) {
    for (const bool by_tag : {false, true}) {
      Search search;
      search.distance = distance;
      search.since = columns.time ? 400 : 0;
      const ::neardup::Queries queries = {rows.queries.size(), rows.queries.data(),
                                          by_tag && columns.tag ? tags.data() : nullptr, nullptr, nullptr};
      ViewScratch scratch;
      QueryResult found[2];
      REQUIRE(a.Query(queries, search, kNoLimit, &scratch, &found[0]).ok());
      REQUIRE(b.Query(queries, search, kNoLimit, &scratch, &found[1]).ok());
      CHECK(found[0].offsets == found[1].offsets);
      REQUIRE(found[0].matches.size() == found[1].matches.size());
      CHECK(std::equal(
          found[0].matches.begin(), found[0].matches.end(), found[1].matches.begin(),
          [](const Match& x, const Match& y) { return x.id == y.id && x.distance == y.distance; }));
    }
  }
  JobControl control;
  Listing listed[2];
  REQUIRE(Listing::Build(a, columns, 1, &control, &listed[0]).ok());
  REQUIRE(Listing::Build(b, columns, 1, &control, &listed[1]).ok());
  REQUIRE(listed[0].size() == listed[1].size());
  bool same = true;
  for (size_t i = 0; i < listed[0].size(); ++i)
    same = same && !ListedBefore(listed[0][i], listed[1][i]) && !ListedBefore(listed[1][i], listed[0][i]);
  CHECK(same);
  PairReader::Options options;
  options.columns = columns;
  options.search.distance = 2;
  options.search.limit = 3;
  PairReader readers[2] = {{a, options}, {b, options}};
  std::vector<Pair> pairs[2];
  do {
    for (int i = 0; i < 2; ++i) REQUIRE(readers[i].Next(10000, &control, &pairs[i]).ok());
    REQUIRE(pairs[0].size() == pairs[1].size());
    CHECK(std::equal(pairs[0].begin(), pairs[0].end(), pairs[1].begin(), [](const Pair& x, const Pair& y) {
      return x.first_id == y.first_id && x.second_id == y.second_id && x.distance == y.distance;
    }));
  } while (!pairs[0].empty());
}

bool IsCorrupt(const Status& status) {
  return status.code() == StatusCode::kCorrupt && status.message().find("dir/segment-1") == 0;
}

}  // namespace

TEST_CASE("segment image: what is opened answers as what was written, on every kind of data") {
  for (const std::string kind : kKinds) {
    for (const ColumnSet columns : {ColumnSet{}, kAll, ColumnSet{false, true, false}}) {
      for (const size_t n : {600, 7000}) {
        CAPTURE(kind);
        CAPTURE(n);
        const Rows rows = MakeRows(kind, n, columns, n);
        const auto built = Built(rows);
        const Bytes bytes = PayloadOf(built);
        std::shared_ptr<const Segment> opened;
        const Status status = OpenTables(FileOf(bytes), columns, &opened);
        REQUIRE_MESSAGE(status.ok(), status.message());
        CHECK(SameBytes(*built->planned(), *opened->planned()));
        CHECK(opened->size() == built->size());
        CHECK(opened->longest_bucket() == built->longest_bucket());
        CHECK(opened->mapped_bytes() == bytes.size());
        View views[2] = {ViewOf(built), ViewOf(opened)};
        const EntryColumns entries = rows.entries.view();
        for (size_t i = 0; i < n; i += 7) {
          CHECK(Remove(entries.fingerprints[i], entries.ids[i], &views[0].segments[0]) ==
                Remove(entries.fingerprints[i], entries.ids[i], &views[1].segments[0]));
        }
        CheckSameAnswers(views[0], views[1], rows);
        const Status checked = CheckSegment(FileOf(bytes), columns);
        CHECK_MESSAGE(checked.ok(), checked.message());
        CHECK(PayloadOf(opened) == bytes);
      }
    }
  }
}

TEST_CASE("segment image: read in pieces, it is the same") {
  const auto segment = Built(MakeRows("near", 900, kAll, 3));
  const Bytes whole = PayloadOf(segment);
  const SegmentImage image(segment);
  Bytes pieces(whole.size(), 255);
  for (size_t at = 0; at < whole.size(); at += 37)
    image.Read(at, pieces.data() + at, std::min<size_t>(37, whole.size() - at));
  CHECK(pieces == whole);
}

TEST_CASE("segment image: a changed byte is found when it is opened or verified, and asking never crashes") {
  for (const ColumnSet columns : {ColumnSet{}, kAll}) {
    const Rows rows = MakeRows("identical", 560, columns, 5);
    Bytes bytes = PayloadOf(Built(rows));
    const std::vector<uint64_t> right = ChecksumsOf(bytes.data(), bytes.size());
    Random random{6};
    for (size_t at = 0; at < bytes.size(); ++at) {
      const uint8_t before = bytes[at];
      bytes[at] = static_cast<uint8_t>(before ^ (1 + random.Below(255)));
      std::shared_ptr<const Segment> segment;
      const auto file = FileOf(bytes, right);
      const Status opened = OpenTables(file, columns, &segment);
      if (!(opened.ok() ? IsCorrupt(segment->EnsureVerified()) : IsCorrupt(opened))) FAIL_CHECK(at);
      // The same with right checksums: told by the check, or of no matter.
      const auto crafted = FileOf(bytes);
      if (OpenTables(crafted, columns, &segment).ok()) {
        AskAnything(segment, rows.queries);
        (void)CheckSegment(FileOf(bytes), columns);
      }
      bytes[at] = before;
    }
  }
}

TEST_CASE("segment image: the check goes in steps, and bytes that change under it do no harm") {
  for (const ColumnSet columns : {ColumnSet{}, kAll}) {
    for (const std::string kind : {"near", "identical"}) {
      const Bytes bytes = PayloadOf(Built(MakeRows(kind, 30000, columns, 5)));
      uint64_t head;
      std::memcpy(&head, bytes.data() + 24, 8);
      for (const bool changes : {false, true}) {
        const auto file = FileOf(bytes);
        auto* data = const_cast<uint8_t*>(file->data());
        std::unique_ptr<SegmentCheck> check;
        REQUIRE(SegmentCheck::Start(file, columns, &check).ok());
        Random random{7};
        Status status;
        size_t steps = 0;
        for (bool done = false; status.ok() && !done; ++steps) {
          for (size_t i = 0; changes && i < 20; ++i) {
            const uint64_t at = head + random.Below(bytes.size() - head);
            data[at] = static_cast<uint8_t>(random.Below(256));
          }
          status = check->Step(&done);
        }
        CHECK((changes ? IsCorrupt(status) : status.ok()));
        if (!changes) CHECK(steps > 2);
      }
    }
  }
}

TEST_CASE("segment image: a payload cut short is refused") {
  const Bytes bytes = PayloadOf(Built(MakeRows("near", 600, {}, 8)));
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::shared_ptr<const Segment> segment;
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    if (!IsCorrupt(OpenTables(FileOf(cut), {}, &segment))) FAIL_CHECK(length);
  }
}

TEST_CASE("segment image: every word of the description at hostile values") {
  for (const ColumnSet columns : {ColumnSet{}, kAll}) {
    const Rows rows = MakeRows("near", 600, columns, 9);
    const Bytes bytes = PayloadOf(Built(rows));
    uint64_t words;
    std::memcpy(&words, bytes.data() + 32, 8);
    for (uint64_t word = 0; word < words; ++word) {
      uint64_t stored;
      std::memcpy(&stored, bytes.data() + 8 * word, 8);
      for (const uint64_t value :
           {uint64_t{0}, uint64_t{1}, stored + 1, stored - 1, stored ^ 64, uint64_t{1} << 31,
            uint64_t{1} << 32, uint64_t{1} << 53, uint64_t{1} << 63, ~uint64_t{0}}) {
        if (value == stored) continue;
        Bytes changed = bytes;
        std::memcpy(changed.data() + 8 * word, &value, 8);
        std::shared_ptr<const Segment> segment;
        const Status opened = OpenTables(FileOf(changed), columns, &segment);
        if (!opened.ok()) {
          CHECK(IsCorrupt(opened));
          continue;
        }
        AskAnything(segment, rows.queries);
        const Status checked = CheckSegment(FileOf(changed), columns);
        CAPTURE(word);
        CAPTURE(value);
        CHECK((checked.ok() || IsCorrupt(checked)));
      }
    }
  }
}

TEST_CASE("segment image: columns that the index has not are refused") {
  const Bytes bytes = PayloadOf(Built(MakeRows("near", 600, kAll, 9)));
  std::shared_ptr<const Segment> segment;
  CHECK(IsCorrupt(OpenTables(FileOf(bytes), {}, &segment)));
  CHECK(IsCorrupt(OpenTables(FileOf(bytes), {true, true, false}, &segment)));
  CHECK(OpenTables(FileOf(bytes), kAll, &segment).ok());
}

}  // namespace neardup::test
