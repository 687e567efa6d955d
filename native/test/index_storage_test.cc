// The index and its files: checkpoints opened by another index, files that take the place of segments while
// merges and queries go on, and files that are damaged.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/index/index.h"
#include "core/index/listing.h"
#include "core/storage/segment_check.h"
#include "core/storage/stored_part.h"
#include "test/random.h"
#include "test/storage_data.h"

namespace neardup::test {

namespace {

constexpr ColumnSet kAll = {true, true, true};

EntryList RandomEntries(size_t count, ColumnSet columns, uint64_t seed) {
  Random random{seed};
  EntryList entries(columns);
  uint64_t last = 0;
  for (size_t i = 0; i < count; ++i) {
    Entry entry;
    entry.fingerprint = i % 3 == 1 ? Flip(last, random.Below(4), &random) : random.Next();
    entry.id = random.Below(count);
    entry.time = random.Below(100);
    entry.tag = static_cast<uint32_t>(random.Below(3));
    entry.second = random.Below(4);
    last = entry.fingerprint;
    entries.Push(entry);
  }
  return entries;
}

IndexOptions Options(ColumnSet columns) {
  IndexOptions options;
  options.columns = columns;
  options.head_entries = 600;
  return options;
}

std::vector<Entry> Listed(const View& view, ColumnSet columns) {
  JobControl control;
  Listing listing;
  REQUIRE(Listing::Build(view, columns, 1, &control, &listing).ok());
  std::vector<Entry> entries;
  for (size_t i = 0; i < listing.size(); ++i) entries.push_back(listing[i]);
  return entries;
}

bool Same(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry& x, const Entry& y) {
    return !ListedBefore(x, y) && !ListedBefore(y, x);
  });
}

Bytes PayloadOf(StoredPart* part) {
  Bytes bytes(part->length());
  REQUIRE(part->Read(0, bytes.data(), bytes.size()).ok());
  return bytes;
}

struct Stored {
  Bytes bytes;
  Bytes removed;
};

std::vector<Stored> Store(Index* index, bool adopt) {
  std::vector<Stored> stored;
  for (const auto& part : index->Checkpoint()) {
    stored.push_back({PayloadOf(part.get()), part->RemovedSlots()});
    if (adopt) REQUIRE(index->Adopt(*part, FileOf(stored.back().bytes)).ok());
  }
  return stored;
}

void WaitForMerges(Index* index) {
  while (index->merging()) {
    std::this_thread::yield();
    index->Poll();
  }
}

}  // namespace

TEST_CASE("index storage: another index opens what a checkpoint gave") {
  for (const ColumnSet columns : {ColumnSet{}, kAll}) {
    Index index(Options(columns));
    for (uint64_t i = 0; i < 12; ++i) {
      const EntryList entries = RandomEntries(i % 3 == 0 ? 3000 : 450, columns, 10 + i);
      REQUIRE(index.Add(entries.view()).ok());
      for (size_t r = 0; r < 40; ++r)
        index.Remove(entries.view().fingerprints[7 * r], entries.view().ids[7 * r]);
      const std::vector<Entry> held = Listed(index.Snapshot(), columns);
      const bool adopt = i % 2 == 1;
      const std::vector<Stored> stored = Store(&index, adopt);
      CHECK(Same(Listed(index.Snapshot(), columns), held));
      Index other(Options(columns));
      for (const Stored& each : stored) {
        const Status checked = CheckSegment(FileOf(each.bytes), columns);
        CHECK_MESSAGE(checked.ok(), checked.message());
        const Status opened = other.OpenSegment(FileOf(each.bytes), each.removed);
        CHECK_MESSAGE(opened.ok(), opened.message());
      }
      CHECK(other.size() == index.size());
      CHECK(Same(Listed(other.Snapshot(), columns), held));
      if (columns.time && i == 11) {
        uint64_t removed[2] = {};
        REQUIRE(index.RemoveBefore(50, &removed[0]).ok());
        REQUIRE(other.RemoveBefore(50, &removed[1]).ok());
        CHECK(removed[0] == removed[1]);
        CHECK(removed[0] > 0);
        CHECK(Same(Listed(other.Snapshot(), columns), Listed(index.Snapshot(), columns)));
      }
    }
  }
}

TEST_CASE("index storage: parts that are compared as a whole keep name and slots") {
  IndexOptions options = Options(kAll);
  options.head_entries = 100;
  Index index(options);
  const EntryList entries = RandomEntries(300, kAll, 5);
  REQUIRE(index.Add(entries.view()).ok());
  REQUIRE(index.parts().segments.size() == 1);
  REQUIRE(index.parts().segments[0].segment->planned() == nullptr);
  index.Remove(entries.view().fingerprints[3], entries.view().ids[3]);
  const auto part = index.Checkpoint().at(0);
  CHECK(part->name() == nullptr);
  const Stored stored = {PayloadOf(part.get()), part->RemovedSlots()};
  REQUIRE(index.Adopt(*part, FileOf(stored.bytes)).ok());
  index.Remove(entries.view().fingerprints[4], entries.view().ids[4]);
  const auto named = index.Checkpoint().at(0);
  REQUIRE(named->name() != nullptr);
  CHECK(*named->name() == "segment-1");
  Index other(options);
  REQUIRE(other.OpenSegment(FileOf(stored.bytes), named->RemovedSlots()).ok());
  CHECK(Same(Listed(other.Snapshot(), kAll), Listed(index.Snapshot(), kAll)));
  // Opened with nothing removed it has the file's name and slots, with removed entries it is to be written
  // anew.
  CHECK(other.Checkpoint().at(0)->name() == nullptr);
  Index whole(options);
  REQUIRE(whole.OpenSegment(FileOf(stored.bytes), {}).ok());
  CHECK(*whole.Checkpoint().at(0)->name() == "segment-1");
  whole.Remove(entries.view().fingerprints[3], entries.view().ids[3]);
  CHECK(whole.Checkpoint().at(0)->RemovedSlots() == stored.removed);
}

TEST_CASE("index storage: files take the place of segments while merges and queries go on" *
          doctest::test_suite("threads")) {
  for (uint64_t round = 0; round < 6; ++round) {
    const ColumnSet columns = round % 2 == 0 ? ColumnSet{} : kAll;
    Index index(Options(columns));
    std::vector<EntryList> added;
    for (uint64_t i = 0; i < 10; ++i) {
      added.push_back(RandomEntries(1500, columns, 100 * round + i));
      REQUIRE(index.Add(added.back().view()).ok());
      const View view = index.Snapshot();
      std::thread reader([&] {
        ViewScratch scratch;
        QueryResult result;
        const Queries queries = {500, added.back().view().fingerprints, nullptr, nullptr, nullptr};
        Search search;
        search.distance = i % 4 == 0 ? 7 : 3;
        CHECK(view.Query(queries, search, kNoLimit, &scratch, &result).ok());
      });
      std::thread lister([&] { CHECK(view.EnsureVerified().ok()); });
      if (i % 3 == 2) index.RequestCompaction();
      const auto parts = index.Checkpoint();
      for (const auto& part : parts) {
        const auto file = FileOf(PayloadOf(part.get()));
        index.Remove(added[i / 2].view().fingerprints[i], added[i / 2].view().ids[i]);
        REQUIRE(index.Adopt(*part, file).ok());
      }
      reader.join();
      lister.join();
    }
    WaitForMerges(&index);
    Index plain(Options(columns));
    for (const EntryList& entries : added) REQUIRE(plain.Add(entries.view()).ok());
    for (uint64_t i = 0; i < 10; ++i) {
      // Removed when there was something to adopt, as was at each step.
      plain.Remove(added[i / 2].view().fingerprints[i], added[i / 2].view().ids[i]);
    }
    CHECK(Same(Listed(index.Snapshot(), columns), Listed(plain.Snapshot(), columns)));
  }
}

TEST_CASE("index storage: a damaged segment stays out of merges, and fails what needs the whole") {
  Index first(Options({}));
  REQUIRE(first.Add(RandomEntries(3000, {}, 1).view()).ok());
  Stored stored = Store(&first, false).at(0);
  const std::vector<uint64_t> checksums = ChecksumsOf(stored.bytes.data(), stored.bytes.size());
  // Beyond the first block, which is checked at once, there is nothing of so small a file: it is made longer.
  stored.bytes.resize(SegmentFile::kBlock + 100);
  std::vector<uint64_t> longer = ChecksumsOf(stored.bytes.data(), stored.bytes.size());
  longer[1] ^= 1;
  Index index(Options({}));
  REQUIRE(index.OpenSegment(FileOf(stored.bytes, longer), {}).ok());
  for (uint64_t seed = 5; seed < 25; ++seed) REQUIRE(index.Add(RandomEntries(700, {}, seed).view()).ok());
  WaitForMerges(&index);
  CHECK(std::count_if(index.parts().segments.begin(), index.parts().segments.end(),
                      [](const SegmentPart& part) { return part.segment->is_corrupt(); }) == 1);
  CHECK(index.parts().segments.size() < 10);
  const uint64_t request = index.RequestCompaction();
  Status status;
  index.Poll();
  while (index.compacted(&status) < request) {
    std::this_thread::yield();
    index.Poll();
  }
  CHECK(status.code() == StatusCode::kCorrupt);
  CHECK(status.message().find("dir/segment-1") == 0);
  const EntryList asked = RandomEntries(3000, {}, 1);
  const Queries queries = {3000, asked.view().fingerprints, nullptr, nullptr, nullptr};
  Search search;
  QueryResult result;
  REQUIRE(index.Query(queries, search, &result).ok());
  CHECK(result.matches.size() >= 3000);
  search.distance = 8;
  CHECK(index.Query(queries, search, &result).code() == StatusCode::kCorrupt);
}

TEST_CASE("index storage: what cannot be adopted or opened is refused") {
  Index index(Options({})), other(Options({}));
  REQUIRE(index.Add(RandomEntries(3000, {}, 1).view()).ok());
  REQUIRE(other.Add(RandomEntries(2999, {}, 1).view()).ok());
  const auto mine = index.Checkpoint(), theirs = other.Checkpoint();
  const Bytes bytes = PayloadOf(mine[0].get());
  CHECK(index.Adopt(*mine[0], FileOf(PayloadOf(theirs[0].get()))).code() == StatusCode::kCorrupt);
  CHECK(index.Adopt(*theirs[0], FileOf(bytes)).ok());  // Not held: nothing changes.
  CHECK(index.mapped_bytes() == 0);
  CHECK(other.OpenSegment(FileOf(bytes), Bytes(100000, 0xff)).code() == StatusCode::kCorrupt);
  CHECK(other.size() == 2999);
  CHECK(index.Adopt(*mine[0], FileOf(bytes)).ok());
  CHECK(index.mapped_bytes() == bytes.size());
}

TEST_CASE("index storage: entries of every kind of damage are refused") {
  for (const ColumnSet columns : {ColumnSet{}, kAll}) {
    Index index(Options(columns));
    REQUIRE(index.Add(RandomEntries(20, columns, 3).view()).ok());
    const auto parts = index.Checkpoint();
    REQUIRE(parts.size() == 1);
    const Bytes bytes = PayloadOf(parts[0].get());
    const std::vector<uint64_t> right = ChecksumsOf(bytes.data(), bytes.size());
    REQUIRE(CheckSegment(FileOf(bytes), columns).ok());
    for (size_t at = 0; at < bytes.size(); ++at) {
      Bytes changed = bytes;
      changed[at] ^= 0x81;
      CHECK(Index(Options(columns)).OpenSegment(FileOf(changed, right), {}).code() == StatusCode::kCorrupt);
      (void)Index(Options(columns)).OpenSegment(FileOf(changed), {});
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      CHECK(CheckSegment(FileOf(cut), columns).code() == StatusCode::kCorrupt);
    }
    for (size_t word = 0; word < (columns.any() ? 10 : 7); ++word) {
      for (const uint64_t value :
           {uint64_t{0}, uint64_t{1}, uint64_t{1} << 31, uint64_t{1} << 60, ~uint64_t{0}}) {
        Bytes changed = bytes;
        std::memcpy(changed.data() + 8 * word, &value, 8);
        if (changed == bytes) continue;
        CAPTURE(word);
        CAPTURE(value);
        CHECK(CheckSegment(FileOf(changed), columns).code() == StatusCode::kCorrupt);
      }
    }
  }
}

}  // namespace neardup::test
