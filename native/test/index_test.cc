// The index against its definition: every entry compared with every query, whatever is added, removed, merged
// and compacted meanwhile.
#include "core/index/index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "test/random.h"
#include "test/refuse_memory.h"

namespace neardup::test {

namespace {

constexpr ColumnSet kAllColumns = {true, true, true};

// What a query may ask beside its fingerprint.
struct Asked {
  unsigned distance = 3;
  uint64_t limit = kNoLimit;
  bool by_tag = false, by_second = false;
  uint32_t tag = 0;
  uint64_t second = 0, since = 0;
  unsigned second_distance = 64;
};

std::vector<Match> Expected(const std::vector<Entry>& entries, uint64_t fingerprint, const Asked& asked) {
  std::map<uint64_t, unsigned> nearest;
  for (const Entry& entry : entries) {
    const auto d = static_cast<unsigned>(std::bitset<64>(entry.fingerprint ^ fingerprint).count());
    if (d > asked.distance || entry.time < asked.since || (asked.by_tag && entry.tag != asked.tag)) continue;
    if (asked.by_second && std::bitset<64>(entry.second ^ asked.second).count() > asked.second_distance)
      continue;
    const auto at = nearest.emplace(entry.id, d).first;
    at->second = std::min(at->second, d);
  }
  std::vector<Match> matches;
  for (const auto& [id, d] : nearest) matches.push_back({id, d});
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.distance < b.distance; });
  if (matches.size() > asked.limit) matches.resize(asked.limit);
  return matches;
}

std::vector<Match> Found(const QueryResult& result) {
  REQUIRE(result.offsets.size() == 2);
  return result.matches;
}

std::vector<Match> Find(Index* index, uint64_t fingerprint, const Asked& asked) {
  const Queries queries = {1, &fingerprint, asked.by_tag ? &asked.tag : nullptr,
                           asked.by_second ? &asked.second : nullptr, nullptr};
  Search search;
  search.distance = asked.distance;
  search.limit = asked.limit;
  search.second_distance = asked.second_distance;
  search.since = asked.since;
  QueryResult result, parallel;
  REQUIRE(index->Query(queries, search, &result).ok());
  JobControl control;
  REQUIRE(index->Snapshot().QueryParallel(queries, search, kNoLimit, 2, control.work(), &parallel).ok());
  CHECK(parallel.offsets == result.offsets);
  return Found(result);
}

void CheckSame(const std::vector<Match>& found, const std::vector<Match>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].id == expected[i].id);
    CHECK(found[i].distance == expected[i].distance);
  }
}

enum Kind { kUniform, kTop32, kTemplates, kSorted, kEqual, kKinds };

std::vector<Entry> Collection(int kind, size_t count) {
  Random random{static_cast<uint64_t>(kind) + 1};
  std::vector<Entry> entries(count);
  for (size_t i = 0; i < count; i++) {
    const uint64_t value = random.Next();
    Entry& entry = entries[i];
    entry.fingerprint = kind == kUniform     ? value
                        : kind == kTop32     ? (value >> 32) | 0xABCD123400000000u
                        : kind == kTemplates ? Flip(0x9E3779B97F4A7C15u * (value % 20), value % 7, &random)
                        : kind == kSorted    ? i
                                             : 7;
    entry.id = random.Below(4 * count);
    entry.time = random.Below(1000);
    entry.tag = static_cast<uint32_t>(random.Below(3));
    entry.second = random.Below(16);
  }
  return entries;
}

EntryList ListOf(const std::vector<Entry>& entries, size_t from, size_t to, ColumnSet columns) {
  EntryList list(columns);
  for (size_t i = from; i < to; ++i) list.Push(entries[i]);
  return list;
}

void Add(Index* index, const std::vector<Entry>& entries, size_t from, size_t to) {
  REQUIRE(index->Add(ListOf(entries, from, to, index->options().columns).view()).ok());
}

void Compact(Index* index) {
  const uint64_t request = index->RequestCompaction();
  Status status;
  for (index->Poll(); index->compacted(&status) < request; index->Poll()) std::this_thread::yield();
  REQUIRE(status.ok());
}

// Queries of every sort, near what is held and far from it.
void CheckQueries(Index* index, const std::vector<Entry>& entries, size_t count, Random* random) {
  const unsigned most = index->options().max_distance;
  for (size_t q = 0; q < count; q++) {
    const uint64_t base =
        q % 3 == 0 || entries.empty() ? random->Next() : entries[random->Below(entries.size())].fingerprint;
    const uint64_t query = Flip(base, random->Below(10), random);
    Asked asked;
    asked.distance = static_cast<unsigned>(random->Below(most + (q % 8 == 0 ? 4 : 1)));
    if (q % 2 == 0) asked.limit = 1 + random->Below(4);
    if (index->options().columns.any()) {
      asked.by_tag = random->Below(2) == 0;
      asked.tag = static_cast<uint32_t>(random->Below(4));
      asked.by_second = random->Below(2) == 0;
      asked.second = random->Below(16);
      asked.second_distance = static_cast<unsigned>(random->Below(3));
      asked.since = random->Below(3) == 0 ? random->Below(1000) : 0;
    }
    CheckSame(Find(index, query, asked), Expected(entries, query, asked));
  }
}

}  // namespace

TEST_CASE("index: equal to brute force on every kind of data, however it is added") {
  Random random{5};
  for (int kind = 0; kind < kKinds; kind++) {
    const std::vector<Entry> entries = Collection(kind, 3000);
    for (const unsigned max_distance : {0u, 1u, 3u, 6u, 12u}) {
      for (const size_t step : {size_t{1}, size_t{90}, size_t{3000}}) {
        for (const ColumnSet columns : {ColumnSet{}, kAllColumns}) {
          IndexOptions options;
          options.max_distance = max_distance;
          options.columns = columns;
          options.head_entries = step == 3000 ? 1024 : 50;
          Index index(options);
          for (size_t i = 0; i < entries.size(); i += step)
            Add(&index, entries, i, std::min(i + step, entries.size()));
          CHECK(index.size() == entries.size());
          CheckQueries(&index, entries, 12, &random);
        }
      }
    }
  }
}

TEST_CASE("index: AddIfNew decides in strict order" * doctest::test_suite("threads")) {
  const std::vector<Entry> entries = Collection(kTemplates, 2000);
  for (const size_t step : {size_t{1}, size_t{64}, size_t{2000}}) {
    for (const ColumnSet columns : {ColumnSet{}, kAllColumns}) {
      IndexOptions options;
      options.columns = columns;
      options.head_entries = 32;
      Index index(options);
      std::vector<Entry> held;
      for (size_t i = 0; i < entries.size(); i += step) {
        std::vector<AddOutcome> outcomes;
        const EntryList batch = ListOf(entries, i, std::min(i + step, entries.size()), columns);
        REQUIRE(index.AddIfNew(batch.view(), 3, columns.any() ? 1 : 64, &outcomes).ok());
        REQUIRE(outcomes.size() == batch.size());
        for (size_t j = 0; j < outcomes.size(); j++) {
          const Entry& entry = entries[i + j];
          Asked asked;
          asked.limit = 1;
          asked.by_tag = asked.by_second = columns.any();
          asked.tag = entry.tag;
          asked.second = entry.second;
          asked.second_distance = 1;
          const std::vector<Match> near = Expected(held, entry.fingerprint, asked);
          REQUIRE(outcomes[j].added == near.empty());
          if (near.empty()) {
            held.push_back(entry);
          } else {
            CheckSame({outcomes[j].nearest}, near);
          }
        }
      }
      CHECK(held.size() < entries.size());
      CHECK(index.size() == held.size());
    }
  }
}

TEST_CASE("index: any sequence of adding, removing, compacting, and merges in between" *
          doctest::test_suite("threads")) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Random random{seed};
    IndexOptions options;
    options.columns = seed % 2 == 0 ? kAllColumns : ColumnSet{};
    options.head_entries = seed % 3 == 0 ? 4096 : 40;
    options.small_merge = seed % 4 == 0 ? uint64_t{1} << 22 : 500;
    Index index(options);
    const std::vector<Entry> pool = Collection(static_cast<int>(seed % kKinds), 4000);
    std::vector<Entry> held;
    for (int step = 0; step < 60; ++step) {
      const size_t from = random.Below(pool.size() - 300);
      switch (random.Below(6)) {
        case 0:
        case 1: {
          const size_t to = from + random.Below(300);
          Add(&index, pool, from, to);
          held.insert(held.end(), pool.begin() + static_cast<std::ptrdiff_t>(from),
                      pool.begin() + static_cast<std::ptrdiff_t>(to));
          break;
        }
        case 2:
          for (size_t i = 0; i < 40; ++i) {
            const Entry& gone = pool[from + i];
            const auto same = [&](const Entry& e) {
              return e.fingerprint == gone.fingerprint && e.id == gone.id;
            };
            const auto count = static_cast<uint64_t>(std::count_if(held.begin(), held.end(), same));
            CHECK(index.Remove(gone.fingerprint, gone.id) == count);
            held.erase(std::remove_if(held.begin(), held.end(), same), held.end());
          }
          break;
        case 3:
          if (options.columns.time && random.Below(3) == 0) {
            const uint64_t time = random.Below(400);
            const auto old = [&](const Entry& e) { return e.time < time; };
            uint64_t removed = 0;
            REQUIRE(index.RemoveBefore(time, &removed).ok());
            CHECK(removed == static_cast<uint64_t>(std::count_if(held.begin(), held.end(), old)));
            held.erase(std::remove_if(held.begin(), held.end(), old), held.end());
          }
          break;
        case 4:
          if (random.Below(4) == 0) {
            index.RequestCompaction();
            if (random.Below(2) == 0) index.Poll();
            index.AbandonCompaction();
          } else if (random.Below(5) == 0) {
            Compact(&index);
            CHECK(index.parts().segments.size() <= 1);
            for (const SegmentPart& part : index.parts().segments) CHECK(part.removed.count() == 0);
          }
          break;
        default:
          CheckQueries(&index, held, 6, &random);
      }
      CHECK(index.size() == held.size());
    }
  }
}

TEST_CASE("index: a snapshot stays as it is" * doctest::test_suite("threads")) {
  IndexOptions options;
  options.head_entries = 64;
  Index index(options);
  const std::vector<Entry> entries = Collection(kUniform, 2000);
  Add(&index, entries, 0, 1000);
  Add(&index, entries, 1000, 1030);
  const View before = index.Snapshot();
  for (size_t i = 0; i < 500; ++i) index.Remove(entries[2 * i].fingerprint, entries[2 * i].id);
  Add(&index, entries, 1030, 2000);
  Compact(&index);
  CHECK(before.size() == 1030);
  QueryResult result;
  ViewScratch scratch;
  std::vector<uint64_t> fingerprints;
  for (const Entry& entry : entries) fingerprints.push_back(entry.fingerprint);
  Search search;
  const Queries queries = {2000, fingerprints.data(), nullptr, nullptr, nullptr};
  REQUIRE(before.Query(queries, search, kNoLimit, &scratch, &result).ok());
  QueryResult parallel;
  JobControl control;
  REQUIRE(before.QueryParallel(queries, search, kNoLimit, 2, control.work(), &parallel).ok());
  CHECK(result.matches.size() == 1030);
  CHECK(result.offsets[1030] == 1030);
  // More queries than one task takes.
  CHECK(parallel.offsets == result.offsets);
  CheckSame(parallel.matches, result.matches);
}

TEST_CASE("index: too many matches are an error") {
  IndexOptions options;
  options.max_matches = 10;
  Index index(options);
  Add(&index, std::vector<Entry>{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}}, 0, 6);
  const uint64_t fingerprints[] = {1, 1};
  Search search;
  QueryResult result;
  CHECK(index.Query({1, fingerprints, nullptr, nullptr, nullptr}, search, &result).ok());
  CHECK(index.Query({2, fingerprints, nullptr, nullptr, nullptr}, search, &result).code() ==
        StatusCode::kOutOfMemory);
  search.limit = 5;
  CHECK(index.Query({2, fingerprints, nullptr, nullptr, nullptr}, search, &result).ok());
}

TEST_CASE("index: refused memory loses nothing, wherever it is refused") {
  const std::vector<Entry> entries = Collection(kUniform, 4000);
  IndexOptions options;
  options.head_entries = 500;
  uint64_t refusals = 0;
  for (size_t allowed = 0; allowed < 120; allowed++) {
    Index index(options);
    Add(&index, entries, 0, 1700);
    uint64_t held = 1700;
    const EntryList second = ListOf(entries, 1700, 2600, {}), third = ListOf(entries, 2600, 4000, {});
    try {
      RefuseMemory refuse(allowed);
      if (index.Add(second.view()).ok()) held += 900;
    } catch (const std::bad_alloc&) {
      refusals++;
    }
    CHECK(index.size() == held);
    std::vector<AddOutcome> outcomes;
    try {
      RefuseMemory refuse(allowed);
      if (index.AddIfNew(third.view(), 0, 64, &outcomes).ok()) CHECK(index.size() == held + 1400);
    } catch (const std::bad_alloc&) {
      refusals++;
    }
    CHECK(index.size() >= held);
    Asked asked;
    asked.distance = 0;
    for (const size_t i : {size_t{0}, size_t{1699}}) {
      CheckSame(Find(&index, entries[i].fingerprint, asked), {{entries[i].id, 0}});
    }
  }
  CHECK(refusals > 10);
}

}  // namespace neardup::test
