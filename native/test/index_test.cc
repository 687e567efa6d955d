// The index against its definition: every entry compared with every query.
#include "core/index/index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <random>
#include <string>

#include "test/refuse_memory.h"

namespace neardup {

namespace {

std::vector<Match> Expected(const std::vector<Entry>& entries, uint64_t fingerprint, unsigned distance) {
  std::map<uint64_t, unsigned> nearest;
  for (const Entry& entry : entries) {
    const auto d = static_cast<unsigned>(std::bitset<64>(entry.fingerprint ^ fingerprint).count());
    if (d > distance) continue;
    const auto at = nearest.emplace(entry.id, d).first;
    at->second = std::min(at->second, d);
  }
  std::vector<Match> matches;
  for (const auto& [id, d] : nearest) matches.push_back({id, d});
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.distance < b.distance; });
  return matches;
}

bool Same(const Match* a, const Match* b, size_t count) {
  return std::equal(a, a + count, b,
                    [](const Match& x, const Match& y) { return x.id == y.id && x.distance == y.distance; });
}

// Queries one fingerprint.
std::vector<Match> Find(Index* index, uint64_t fingerprint, unsigned distance, uint64_t limit = kNoLimit) {
  QueryResult result;
  REQUIRE(index->Query(&fingerprint, 1, distance, limit, &result).ok());
  REQUIRE(result.offsets.size() == 2);
  return result.matches;
}

uint64_t Flip(std::mt19937_64* random, uint64_t value, unsigned flips) {
  for (unsigned i = 0; i < flips; i++) value ^= uint64_t{1} << ((*random)() % 64);
  return value;
}

enum Kind { kUniform, kTop32, kTemplates, kSorted, kEqual, kKinds };

std::vector<Entry> Collection(int kind, size_t count) {
  std::mt19937_64 random(static_cast<uint64_t>(kind) + 1);
  std::vector<Entry> entries(count);
  for (size_t i = 0; i < count; i++) {
    const uint64_t value = random();
    const uint64_t fingerprint = kind == kUniform ? value
                                 : kind == kTop32 ? (value >> 32) | 0xABCD123400000000u
                                 : kind == kTemplates
                                     ? Flip(&random, 0x9E3779B97F4A7C15u * (value % 20), value % 7)
                                 : kind == kSorted ? i
                                                   : 7;
    entries[i] = {fingerprint, random() % (4 * count)};
  }
  return entries;
}

}  // namespace

TEST_CASE("index: equal to brute force on every kind of data, however it is added") {
  for (int kind = 0; kind < kKinds; kind++) {
    const std::vector<Entry> entries = Collection(kind, 3000);
    for (unsigned max_distance : {0u, 1u, 3u, 5u, 8u}) {
      for (size_t step : {size_t{1}, size_t{90}, size_t{3000}}) {
        IndexOptions options;
        options.max_distance = max_distance;
        options.head_entries = step == 3000 ? 1024 : 50;
        Index index(options);
        for (size_t i = 0; i < entries.size(); i += step) {
          index.Add(&entries[i], std::min(step, entries.size() - i));
        }
        CHECK(index.size() == entries.size());
        std::mt19937_64 random(5);
        for (int q = 0; q < 12; q++) {
          const uint64_t base = q % 3 == 0 ? random() : entries[random() % entries.size()].fingerprint;
          const uint64_t query = Flip(&random, base, static_cast<unsigned>(random() % 10));
          const unsigned distance = static_cast<unsigned>(random() % (max_distance + 1));
          const std::vector<Match> expected = Expected(entries, query, distance);
          const std::vector<Match> found = Find(&index, query, distance);
          REQUIRE(found.size() == expected.size());
          CHECK(Same(found.data(), expected.data(), expected.size()));
          const std::vector<Match> first = Find(&index, query, distance, 3);
          REQUIRE(first.size() == std::min<size_t>(3, expected.size()));
          CHECK(Same(first.data(), expected.data(), first.size()));
        }
      }
    }
  }
}

TEST_CASE("index: AddIfNew decides in strict order") {
  const std::vector<Entry> entries = Collection(kTemplates, 2000);
  for (size_t step : {size_t{1}, size_t{64}, size_t{2000}}) {
    IndexOptions options;
    options.head_entries = 32;
    Index index(options);
    std::vector<Entry> held;
    for (size_t i = 0; i < entries.size(); i += step) {
      const std::vector<AddOutcome> outcomes =
          index.AddIfNew(&entries[i], std::min(step, entries.size() - i), 3);
      for (size_t j = 0; j < outcomes.size(); j++) {
        const std::vector<Match> near = Expected(held, entries[i + j].fingerprint, 3);
        REQUIRE(outcomes[j].added == near.empty());
        if (near.empty()) {
          held.push_back(entries[i + j]);
        } else {
          CHECK(Same(&outcomes[j].nearest, near.data(), 1));
        }
      }
    }
    CHECK(held.size() < entries.size());
    CHECK(index.size() == held.size());
  }
}

TEST_CASE("index: too many matches are an error") {
  IndexOptions options;
  options.max_matches = 10;
  Index index(options);
  const std::vector<Entry> entries = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}};
  index.Add(entries.data(), entries.size());
  const uint64_t queries[] = {1, 1};
  QueryResult result;
  CHECK(index.Query(queries, 1, 0, kNoLimit, &result).ok());
  CHECK(index.Query(queries, 2, 0, kNoLimit, &result).code() == StatusCode::kOutOfMemory);
  CHECK(index.Query(queries, 2, 0, 5, &result).ok());
}

TEST_CASE("index: refused memory loses nothing, wherever it is refused") {
  const std::vector<Entry> entries = Collection(kUniform, 4000);
  IndexOptions options;
  options.head_entries = 500;
  uint64_t refusals = 0;
  for (size_t allowed = 0; allowed < 60; allowed++) {
    Index index(options);
    index.Add(entries.data(), 1700);
    uint64_t held = 1700;
    try {
      RefuseMemory refuse(allowed);
      index.Add(&entries[1700], 900);
      held += 900;
    } catch (const std::bad_alloc&) {
      refusals++;
    }
    CHECK(index.size() == held);
    bool added = false;
    try {
      RefuseMemory refuse(allowed);
      const std::vector<AddOutcome> outcomes = index.AddIfNew(&entries[2600], 1400, 0);
      added = true;
      held += 1400;
    } catch (const std::bad_alloc&) {
      refusals++;
    }
    CHECK(index.size() == held);
    for (size_t i : {size_t{0}, size_t{1699}}) {
      const std::vector<Match> found = Find(&index, entries[i].fingerprint, 0);
      REQUIRE(found.size() == 1);
      CHECK(found[0].id == entries[i].id);
    }
    for (size_t i : {size_t{2600}, size_t{3999}}) {
      CHECK(Find(&index, entries[i].fingerprint, 0).size() == (added ? 1 : 0));
    }
  }
  CHECK(refusals > 10);
}

}  // namespace neardup
