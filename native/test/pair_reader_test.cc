// Pairs within an index and between two against their definition.
#include "core/index/pair_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <tuple>
#include <vector>

#include "core/index/index.h"
#include "test/random.h"

namespace neardup::test {

namespace {

using Expected = std::vector<std::tuple<uint64_t, uint64_t, unsigned>>;

struct Case {
  ColumnSet columns;
  Search search;
  bool by_second = false;
};

bool Near(const Entry& a, const Entry& b, const Case& c) {
  if (std::bitset<64>(a.fingerprint ^ b.fingerprint).count() > c.search.distance) return false;
  if (c.columns.tag && a.tag != b.tag) return false;
  return !c.by_second || std::bitset<64>(a.second ^ b.second).count() <= c.search.second_distance;
}

// Each (fingerprint, id) of `entries` with its matches among `others`; where they are the same, with those
// after it.
Expected PairsOf(const std::vector<Entry>& entries, const std::vector<Entry>& others, bool is_join,
                 const Case& c) {
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Entry>> documents;
  for (const Entry& entry : entries) documents[{entry.fingerprint, entry.id}].push_back(entry);
  Expected pairs;
  for (const auto& [key, copies] : documents) {
    std::map<uint64_t, unsigned> nearest;
    for (const Entry& a : copies) {
      for (const Entry& b : others) {
        if (!Near(a, b, c)) continue;
        if (!is_join && (b.id == a.id || std::tie(b.fingerprint, b.id) < std::tie(a.fingerprint, a.id)))
          continue;
        const auto d = static_cast<unsigned>(std::bitset<64>(a.fingerprint ^ b.fingerprint).count());
        const auto at = nearest.emplace(b.id, d).first;
        at->second = std::min(at->second, d);
      }
    }
    std::vector<Match> matches;
    for (const auto& [id, d] : nearest) matches.push_back({id, d});
    std::sort(matches.begin(), matches.end(), Nearer);
    if (matches.size() > c.search.limit) matches.resize(c.search.limit);
    for (const Match& m : matches) pairs.push_back({key.second, m.id, m.distance});
  }
  return pairs;
}

Expected Read(PairReader* reader, size_t most) {
  Expected all;
  std::vector<Pair> pairs;
  JobControl control;
  for (;;) {
    REQUIRE(reader->Next(most, &control, &pairs).ok());
    if (pairs.empty()) return all;
    for (const Pair& pair : pairs) all.push_back({pair.first_id, pair.second_id, pair.distance});
  }
}

std::vector<Entry> Entries(size_t count, uint64_t seed) {
  Random random{seed};
  std::vector<Entry> entries(count);
  for (Entry& entry : entries) {
    const uint64_t base = random.Below(3) == 0 ? random.Next() : 0x9E3779B97F4A7C15u * random.Below(9);
    entry.fingerprint = Flip(base, random.Below(5), &random);
    entry.id = random.Below(count);
    entry.time = random.Below(100);
    entry.tag = static_cast<uint32_t>(random.Below(2));
    entry.second = random.Below(8);
  }
  return entries;
}

void Fill(Index* index, const std::vector<Entry>& entries) {
  EntryList list(index->options().columns);
  for (const Entry& entry : entries) list.Push(entry);
  REQUIRE(index->Add(list.view()).ok());
}

}  // namespace

TEST_CASE("pairs: those of the definition, in order, by sorting and by queries" *
          doctest::test_suite("threads")) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<Entry> entries = Entries(600, seed), others = Entries(300, seed + 100);
    for (const unsigned distance : {0u, 2u, 3u, 5u}) {
      Case c;
      if (seed % 2 == 0) c.columns = {true, true, true};
      c.search.distance = distance;
      if (seed % 3 == 0) c.search.limit = 2;
      if (c.columns.any()) {
        c.by_second = seed % 4 == 0;
        c.search.second_distance = 1;
      }
      IndexOptions options;
      options.max_distance = 5;
      options.columns = c.columns;
      options.head_entries = seed % 4 == 1 ? 100 : 5000;
      Index index(options), other(options);
      Fill(&index, entries);
      Fill(&other, others);
      PairReader::Options how;
      how.search = c.search;
      how.columns = c.columns;
      how.by_tag = c.columns.tag;
      how.by_second = c.by_second;
      how.threads = 2;
      std::vector<Entry> plain = entries, plain_others = others;
      if (!c.columns.any()) {
        for (auto* list : {&plain, &plain_others}) {
          for (Entry& entry : *list) entry = {entry.fingerprint, entry.id, 0, 0, 0};
        }
      }
      const Expected expected = PairsOf(plain, plain, false, c);
      CHECK(!expected.empty());
      for (const size_t sorted_pairs : {size_t{1} << 20, size_t{10}}) {
        how.max_sorted_pairs = sorted_pairs;
        PairReader reader(index.Snapshot(), how);
        CHECK(Read(&reader, 7) == expected);
      }
      PairReader join(index.Snapshot(), other.Snapshot(), how);
      CHECK(Read(&join, 50) == PairsOf(plain, plain_others, true, c));
    }
  }
}

TEST_CASE("pairs: few pairs among many entries, in several segments and a head, some of them removed") {
  for (const ColumnSet columns : {ColumnSet{}, ColumnSet{true, false, false}}) {
    Random random{17};
    std::vector<Entry> entries(9000);
    for (size_t i = 0; i < entries.size(); ++i) {
      Entry& entry = entries[i];
      entry.fingerprint = random.Next();
      entry.id = random.Below(uint64_t{1} << 40);
      if (columns.time) entry.time = random.Below(100);
      if (i % 40 == 39)
        entry.fingerprint = Flip(entries[random.Below(i)].fingerprint, random.Below(4), &random);
      if (i % 160 == 159) entry.id = entries[random.Below(i)].id;
      if (i % 300 == 299) entry = entries[i - random.Below(300)];
    }
    IndexOptions options;
    options.columns = columns;
    options.head_entries = 1000;
    Index index(options);
    for (const auto& [from, to] : {std::pair<size_t, size_t>{0, 5000}, {5000, 8500}, {8500, 9000}})
      Fill(&index, {entries.begin() + static_cast<std::ptrdiff_t>(from),
                    entries.begin() + static_cast<std::ptrdiff_t>(to)});
    const auto check = [&] {
      const View view = index.Snapshot();
      CHECK(std::any_of(view.segments.begin(), view.segments.end(),
                        [](const SegmentPart& part) { return part.segment->planned() != nullptr; }));
      for (const unsigned distance : {0u, 3u}) {
        Case c;
        c.search.distance = distance;
        const Expected expected = PairsOf(entries, entries, false, c);
        CHECK(expected.size() > 50);
        PairReader::Options how;
        how.search = c.search;
        how.columns = columns;
        how.threads = 2;
        PairReader reader(view, how);
        CHECK(Read(&reader, 100) == expected);
      }
    };
    check();
    for (size_t i = 0; i < 60; ++i) {
      const Entry gone = entries[random.Below(entries.size() / 40) * 40 + 39 - 20 * (i % 2)];
      CHECK(index.Remove(gone.fingerprint, gone.id) ==
            static_cast<uint64_t>(std::count_if(entries.begin(), entries.end(), [&](const Entry& e) {
              return e.fingerprint == gone.fingerprint && e.id == gone.id;
            })));
      entries.erase(std::remove_if(
                        entries.begin(), entries.end(),
                        [&](const Entry& e) { return e.fingerprint == gone.fingerprint && e.id == gone.id; }),
                    entries.end());
    }
    check();
  }
}

TEST_CASE("pairs: a cancelled read can go on" * doctest::test_suite("threads")) {
  IndexOptions options;
  Index index(options);
  Fill(&index, Entries(500, 3));
  PairReader::Options how;
  how.search.distance = 5;
  PairReader whole(index.Snapshot(), how), broken(index.Snapshot(), how);
  JobControl cancelled;
  cancelled.cancelled = true;
  std::vector<Pair> pairs;
  CHECK(broken.Next(10, &cancelled, &pairs).code() == StatusCode::kAborted);
  CHECK(Read(&broken, 10) == Read(&whole, 1000));
}

TEST_CASE("listing: every entry, in order") {
  for (const ColumnSet columns : {ColumnSet{}, ColumnSet{true, true, true}}) {
    IndexOptions options;
    options.columns = columns;
    options.head_entries = 64;
    Index index(options);
    std::vector<Entry> entries = Entries(700, 9);
    Fill(&index, entries);
    if (!columns.any()) {
      for (Entry& entry : entries) entry = {entry.fingerprint, entry.id, 0, 0, 0};
    }
    std::sort(entries.begin(), entries.end(), ListedBefore);
    JobControl control;
    Listing listing;
    REQUIRE(Listing::Build(index.Snapshot(), columns, 2, &control, &listing).ok());
    REQUIRE(listing.size() == entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry found = listing[i];
      CHECK(!ListedBefore(found, entries[i]));
      CHECK(!ListedBefore(entries[i], found));
    }
  }
}

}  // namespace neardup::test
