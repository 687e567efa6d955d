// What an index holds at one moment, and every question about it. A copy is a snapshot: it costs some
// pointers and answers the same for ever, on any thread. Calls throw std::bad_alloc where memory is refused.
#ifndef NEARDUP_CORE_INDEX_VIEW_H_
#define NEARDUP_CORE_INDEX_VIEW_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/base/work_control.h"
#include "core/index/entry.h"
#include "core/index/head.h"
#include "core/index/matches.h"
#include "core/index/removed.h"
#include "core/index/segment.h"

namespace neardup {

struct SegmentPart {
  std::shared_ptr<const Segment> segment;
  Removed removed;  // By slot.
  // Of the segment file that has the same entries in the same slots; null: there is none.
  std::shared_ptr<const std::string> name;
  // A damaged file may have more slots than it says it has entries.
  uint64_t size() const { return segment->size() - std::min(segment->size(), removed.count()); }
};

struct HeadPart {
  std::shared_ptr<const Head> head;
  Removed removed;  // By position.
  uint64_t size() const { return head->size() - removed.count(); }
};

struct Queries {
  size_t count = 0;
  const uint64_t* fingerprints = nullptr;
  const uint32_t* tags = nullptr;  // Where given, only entries of the query's tag match.
  const uint64_t* seconds =
      nullptr;  // Where given, only second fingerprints within second_distance of the query's match.
  const uint64_t* after_ids =
      nullptr;  // Where given, only entries after (fingerprint, this id), of other ids, match.

  Queries Part(size_t from, size_t to) const {
    const auto at = [from](auto* column) { return column == nullptr ? nullptr : column + from; };
    return {to - from, at(fingerprints), at(tags), at(seconds), at(after_ids)};
  }
};

struct Search {
  unsigned distance = 0;  // 0 to 64; over that of the plans, all entries are compared.
  uint64_t limit = kNoLimit;
  unsigned second_distance = 64;
  uint64_t since = 0;  // Only entries of this time and later.
};

// Answers of a batch: the matches of query i stand at offsets[i] to offsets[i + 1] - 1.
struct QueryResult {
  std::vector<uint64_t> offsets;
  std::vector<Match> matches;
};

// Memory that queries work in; one per thread, reused between batches.
struct ViewScratch {
  QueryScratch segment;
  std::vector<std::vector<RowMatch>> rows;
  std::vector<size_t> at;
  std::vector<uint32_t> positions;
  Matches matches;
};

struct View {
  std::vector<SegmentPart> segments;
  std::vector<HeadPart> heads;

  uint64_t size() const;
  // Memory; and bytes of mapped files.
  uint64_t bytes() const;
  uint64_t mapped_bytes() const;

  // Checks what segments have mapped, before the whole is trusted. kCorrupt; kAborted after a cancellation.
  Status EnsureVerified(const std::atomic<bool>* cancel = nullptr) const;
  // As above for the segments that queries within this distance compare as a whole.
  Status EnsureScans(unsigned distance, const std::atomic<bool>* cancel) const;

  // Appends to *result the nearest `limit` entries that match, for each query: by distance, then id, each id
  // once. kOutOfMemory when the result would have more than max_matches; kCorrupt where damage is met in a
  // segment that is compared as a whole.
  Status Query(const Queries& queries, const Search& search, uint64_t max_matches, ViewScratch* scratch,
               QueryResult* result) const {
    return Query(queries, search, max_matches, heads.size(), scratch, result);
  }
  // As above, in the first heads only.
  Status Query(const Queries& queries, const Search& search, uint64_t max_matches, size_t head_count,
               ViewScratch* scratch, QueryResult* result) const;

  // As above on up to `threads` threads, with the same result. kAborted after a cancellation.
  Status QueryParallel(const Queries& queries, const Search& search, uint64_t max_matches, unsigned threads,
                       const WorkControl& control, QueryResult* result) const;

  // Calls body(entry) for each entry. After EnsureVerified.
  template <typename Body>
  void ForEachEntry(Body&& body) const {
    for (const SegmentPart& part : segments) {
      part.segment->ForEachEntry([&](const Entry& entry, uint64_t slot) {
        if (!part.removed.Has(slot)) body(entry);
      });
    }
    for (const HeadPart& part : heads) {
      const EntryColumns entries = part.head->entries();
      for (size_t i = 0; i < entries.count; ++i) {
        if (!part.removed.Has(i)) body(entries[i]);
      }
    }
  }
};

// Offers what one query finds in a head to scratch->matches.
void QueryHead(const HeadPart& part, const Queries& queries, size_t query, const Search& search,
               ViewScratch* scratch);

// Marks every copy of an entry as removed; returns how many there were.
uint64_t Remove(uint64_t fingerprint, uint64_t id, SegmentPart* part);
uint64_t Remove(uint64_t fingerprint, uint64_t id, HeadPart* part);
// As above for all entries of before this time. After EnsureVerified.
uint64_t RemoveBefore(uint64_t time, SegmentPart* part);
uint64_t RemoveBefore(uint64_t time, HeadPart* part);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_VIEW_H_
