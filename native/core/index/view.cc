#include "core/index/view.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "core/base/parallel.h"

namespace neardup {

namespace {

constexpr size_t kRound = 512;  // Queries answered together.
constexpr size_t kMaxRows = size_t{1}
                            << 20;  // Rows held of a round and segment before fewer queries are taken.
constexpr size_t kAhead = 4;        // Queries whose look-up in a head is prepared.
constexpr size_t kPiece = size_t{1} << 14;  // Queries of a task, at most.
constexpr size_t kScannedTogether = 32;     // Queries between two looks at a cancellation, in a scan.

// Offers what a query finds, if it passes the filters.
class Offers {
 public:
  Offers(const Queries& queries, const Search& search, Matches* matches)
      : queries_(queries),
        search_(search),
        matches_(*matches),
        filters_(queries.tags != nullptr || queries.seconds != nullptr || search.since != 0) {}

  // False where no later entry of the row can count: ids ascend.
  bool Offer(size_t query, unsigned distance, const Entry& entry) {
    if (filters_) {
      if (entry.time < search_.since) return true;
      if (queries_.tags != nullptr && entry.tag != queries_.tags[query]) return true;
      if (queries_.seconds != nullptr &&
          PopCount(entry.second ^ queries_.seconds[query]) > search_.second_distance)
        return true;
    }
    if (queries_.after_ids != nullptr) {
      const uint64_t fingerprint = queries_.fingerprints[query], id = queries_.after_ids[query];
      if (entry.id == id || entry.fingerprint < fingerprint) return true;
      if (entry.fingerprint == fingerprint && entry.id < id) return true;
    }
    return matches_.Offer(distance, entry.id);
  }

  void OfferRow(const SegmentPart& part, const RowMatch& row) {
    part.segment->ForEachOfRow(row.row, [&](uint64_t slot, uint64_t value) {
      if (part.removed.Has(slot)) return true;
      return Offer(row.query, row.distance, part.segment->EntryOf(row.fingerprint, value));
    });
  }

 private:
  const Queries& queries_;
  const Search& search_;
  Matches& matches_;
  const bool filters_;
};

Status TooManyMatches(uint64_t max_matches) {
  return Status::OutOfMemory("the batch has more than " + std::to_string(max_matches) +
                             " matches; set a limit or query fewer at once");
}

// Appends `from` to *to.
void Append(const QueryResult& from, QueryResult* to) {
  const uint64_t before = to->matches.size();
  to->matches.insert(to->matches.end(), from.matches.begin(), from.matches.end());
  for (size_t i = 1; i < from.offsets.size(); ++i) to->offsets.push_back(before + from.offsets[i]);
}

}  // namespace

uint64_t View::size() const {
  uint64_t size = 0;
  for (const SegmentPart& part : segments) size += part.size();
  for (const HeadPart& part : heads) size += part.size();
  return size;
}

uint64_t View::bytes() const {
  uint64_t bytes = 0;
  for (const SegmentPart& part : segments) bytes += part.segment->bytes() + part.removed.bytes();
  for (const HeadPart& part : heads) bytes += part.head->bytes() + part.removed.bytes();
  return bytes;
}

uint64_t View::mapped_bytes() const {
  uint64_t bytes = 0;
  for (const SegmentPart& part : segments) bytes += part.segment->mapped_bytes();
  return bytes;
}

Status View::EnsureVerified(const std::atomic<bool>* cancel) const {
  for (const SegmentPart& part : segments) {
    if (Status s = part.segment->EnsureVerified(cancel); !s.ok()) return s;
  }
  return Status();
}

Status View::EnsureScans(unsigned distance, const std::atomic<bool>* cancel) const {
  for (const SegmentPart& part : segments) {
    if (!part.segment->Scans(distance)) continue;
    if (Status s = part.segment->EnsureVerified(cancel); !s.ok()) return s;
  }
  return Status();
}

Status View::Query(const Queries& queries, const Search& search, uint64_t max_matches, size_t head_count,
                   ViewScratch* scratch, QueryResult* result) const {
  if (Status s = EnsureScans(search.distance, nullptr); !s.ok()) return s;
  if (result->offsets.empty()) result->offsets.push_back(0);
  result->offsets.reserve(result->offsets.size() + queries.count);
  scratch->rows.resize(segments.size());
  Matches& matches = scratch->matches;
  for (size_t from = 0, done; from < queries.count; from += done) {
    const Queries round = queries.Part(from, std::min(queries.count, from + kRound));
    Offers offers(round, search, &matches);
    done = round.count;
    for (size_t s = 0; s < segments.size(); ++s) {
      scratch->rows[s].clear();
      done = segments[s].segment->Query(round.fingerprints, done, search.distance, kMaxRows,
                                        &scratch->segment, &scratch->rows[s]);
    }
    scratch->at.assign(segments.size(), 0);
    for (size_t query = 0; query < done; ++query) {
      matches.Begin(search.limit);
      for (size_t s = 0; s < segments.size(); ++s) {
        const std::vector<RowMatch>& rows = scratch->rows[s];
        size_t& at = scratch->at[s];
        for (; at < rows.size() && rows[at].query == query; ++at) offers.OfferRow(segments[s], rows[at]);
      }
      for (size_t h = 0; h < head_count; ++h) {
        if (heads[h].head->size() == 0) continue;
        if (query + kAhead < done) heads[h].head->Prefetch(round.fingerprints[query + kAhead]);
        QueryHead(heads[h], round, query, search, scratch);
      }
      matches.Finish();
      const std::vector<Match>& found = matches.found();
      if (result->matches.size() + found.size() > max_matches) return TooManyMatches(max_matches);
      result->matches.insert(result->matches.end(), found.begin(), found.end());
      result->offsets.push_back(result->matches.size());
    }
  }
  return Status();
}

Status View::QueryParallel(const Queries& queries, const Search& search, uint64_t max_matches,
                           unsigned threads, const WorkControl& control, QueryResult* result) const {
  if (Status s = EnsureScans(search.distance, control.cancel); !s.ok()) return s;
  threads = std::max(1u, threads);
  const size_t piece_size = std::clamp(queries.count / (4 * threads), kRound, kPiece);
  const size_t pieces = (queries.count + piece_size - 1) / piece_size;
  const bool scans = std::any_of(segments.begin(), segments.end(), [&](const SegmentPart& part) {
    return part.segment->Scans(search.distance);
  });
  const size_t step = scans ? kScannedTogether : kRound;
  std::vector<ViewScratch> scratch(threads);
  std::vector<QueryResult> results(pieces);
  std::vector<Status> statuses(pieces);
  std::atomic<uint64_t> found{0};
  WorkMeter meter(control, queries.count);
  ParallelForWorkers(threads, pieces, [&](size_t piece, unsigned worker) {
    QueryResult& mine = results[piece];
    const size_t end = std::min(queries.count, (piece + 1) * piece_size);
    for (size_t from = piece * piece_size; from < end && statuses[piece].ok(); from += step) {
      if (control.cancelled() || found > max_matches) return;
      const size_t to = std::min(end, from + step), before = mine.matches.size();
      statuses[piece] = Query(queries.Part(from, to), search, max_matches, &scratch[worker], &mine);
      found += mine.matches.size() - before;
      meter.Add(to - from);
    }
  });
  if (control.cancelled()) return Status::Aborted();
  for (const Status& status : statuses) {
    if (!status.ok()) return status;
  }
  if (found > max_matches) return TooManyMatches(max_matches);
  result->offsets.assign(1, 0);
  result->matches.clear();
  for (QueryResult& each : results) {
    Append(each, result);
    each = {};
  }
  return Status();
}

void QueryHead(const HeadPart& part, const Queries& queries, size_t query, const Search& search,
               ViewScratch* scratch) {
  Offers offers(queries, search, &scratch->matches);
  scratch->positions.clear();
  part.head->Find(queries.fingerprints[query], search.distance, &scratch->positions);
  const EntryColumns entries = part.head->entries();
  for (const uint32_t position : scratch->positions) {
    if (part.removed.Has(position)) continue;
    const Entry entry = entries[position];
    offers.Offer(query, PopCount(entry.fingerprint ^ queries.fingerprints[query]), entry);
  }
}

uint64_t Remove(uint64_t fingerprint, uint64_t id, SegmentPart* part) {
  uint64_t row = 0, removed = 0;
  if (!part->segment->Find(fingerprint, &row)) return 0;
  part->segment->ForEachOfRow(row, id, [&](uint64_t slot, uint64_t) {
    removed += part->removed.Add(slot);
    return true;
  });
  return removed;
}

uint64_t Remove(uint64_t fingerprint, uint64_t id, HeadPart* part) {
  std::vector<uint32_t> positions;
  part->head->Find(fingerprint, 0, &positions);
  uint64_t removed = 0;
  for (const uint32_t position : positions) {
    if (part->head->entries().ids[position] == id) removed += part->removed.Add(position);
  }
  return removed;
}

uint64_t RemoveBefore(uint64_t time, SegmentPart* part) {
  uint64_t removed = 0;
  part->segment->ForEachEntry([&](const Entry& entry, uint64_t slot) {
    if (entry.time < time) removed += part->removed.Add(slot);
  });
  return removed;
}

uint64_t RemoveBefore(uint64_t time, HeadPart* part) {
  const EntryColumns entries = part->head->entries();
  uint64_t removed = 0;
  for (size_t i = 0; i < entries.count; ++i) {
    if (entries.times[i] < time) removed += part->removed.Add(i);
  }
  return removed;
}

}  // namespace neardup
