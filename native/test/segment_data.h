// Data of every kind for tests of segments, and what a scan of it answers.
#ifndef NEARDUP_TEST_SEGMENT_DATA_H_
#define NEARDUP_TEST_SEGMENT_DATA_H_

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bits.h"
#include "core/index/planned_segment.h"
#include "test/random.h"

namespace neardup::test {

struct Data {
  std::vector<uint64_t> fingerprints, ids;
};

// (query, distance, fingerprint, id), in order.
using Answer = std::vector<std::array<uint64_t, 4>>;

inline Answer Scan(const Data& data, const std::vector<uint64_t>& queries, unsigned k) {
  Answer answer;
  for (size_t q = 0; q < queries.size(); ++q) {
    for (size_t i = 0; i < data.ids.size(); ++i) {
      const unsigned distance = PopCount(data.fingerprints[i] ^ queries[q]);
      if (distance <= k) answer.push_back({q, distance, data.fingerprints[i], data.ids[i]});
    }
  }
  std::sort(answer.begin(), answer.end());
  return answer;
}

inline Answer Query(const PlannedSegment& segment, const std::vector<uint64_t>& queries, unsigned k) {
  QueryScratch scratch;
  std::vector<RowMatch> matches;
  segment.QueryBatch(queries.data(), queries.size(), k, SIZE_MAX, &scratch, &matches);
  Answer answer;
  for (const RowMatch& m : matches) {
    segment.ids().ForEach(m.row, [&](uint64_t id) {
      answer.push_back({m.query, m.distance, m.fingerprint, id});
    });
  }
  return answer;
}

inline const char* const kKinds[] = {"uniform",   "near",      "constant top", "constant low",
                                     "identical", "templates", "few bits",     "biased"};

inline Data Make(const std::string& kind, size_t n, Random* random) {
  Data data;
  std::vector<uint64_t> templates(20), odds(64);
  for (uint64_t& t : templates) t = random->Next();
  for (uint64_t& odd : odds) odd = 5 + random->Below(91);
  for (size_t i = 0; i < n; ++i) {
    uint64_t x = random->Next();
    if (kind == "near" && i % 2 == 1) x = Flip(data.fingerprints[random->Below(i)], random->Below(5), random);
    if (kind == "constant top") x = (x & 0xffffffffffffu) | uint64_t{0xabcd} << 48;
    if (kind == "constant low") x = x << 32 | 77;
    if (kind == "identical" && i % 3 == 0) x = 0x0123456789abcdefu;
    if (kind == "templates") x = Flip(templates[random->Below(20)], random->Below(7), random);
    if (kind == "few bits") x &= 0x1111000011110000u;
    if (kind == "biased") {
      x = 0;
      for (unsigned bit = 0; bit < 64; ++bit) x |= uint64_t{random->Below(100) < odds[bit]} << bit;
    }
    data.fingerprints.push_back(x);
    data.ids.push_back(random->Below(3) == 0 ? i : (uint64_t{1} << 40) + i);
  }
  return data;
}

inline std::vector<uint64_t> Queries(const Data& data, size_t n, unsigned k, Random* random) {
  std::vector<uint64_t> queries;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t stored =
        data.fingerprints.empty() ? 0 : data.fingerprints[random->Below(data.fingerprints.size())];
    queries.push_back(i % 3 == 2 ? random->Next() : Flip(stored, random->Below(k + 2), random));
  }
  return queries;
}

// Whether two segments are the same to the byte.
inline bool SameBytes(const PlannedSegment& a, const PlannedSegment& b) {
  const auto same = [](const Buffer* x, const Buffer* y) {
    return x->size() == y->size() && std::equal(x->data(), x->data() + x->size(), y->data());
  };
  bool all = a.size() == b.size() && a.fingerprint_count() == b.fingerprint_count() &&
             a.slot_count() == b.slot_count() && a.tables().size() == b.tables().size();
  for (size_t t = 0; all && t < a.tables().size(); ++t) {
    for (size_t i = 0; i < 5; ++i)
      all = all && same(a.tables()[t].sections()[i], b.tables()[t].sections()[i]);
  }
  for (size_t i = 0; all && i < 2; ++i) all = same(a.ids().sections()[i], b.ids().sections()[i]);
  return all;
}

using Entries = std::multiset<std::pair<uint64_t, uint64_t>>;

inline Entries EntriesOf(const PlannedSegment& segment) {
  Entries entries;
  segment.ForEachEntry(0, segment.parts(), [&](uint64_t fingerprint, uint64_t id, uint64_t) {
    entries.emplace(fingerprint, id);
  });
  return entries;
}

}  // namespace neardup::test

#endif  // NEARDUP_TEST_SEGMENT_DATA_H_
