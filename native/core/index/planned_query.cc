// Queries of a segment. Reading memory is what they cost, so no read is waited for: a block of probes is
// gathered and its lines asked for while the block before it is verified; what a line says to read next (the
// run it continues in, the primary line of a match, the rank and the ids of its row) is put off and asked for
// too.
#include <algorithm>

#include "core/base/bits.h"
#include "core/base/bytes.h"
#include "core/index/planned_segment.h"
#include "kernels/kernels.h"
#include "kernels/prefetch.h"

namespace neardup {

namespace {

constexpr size_t kBlockProbes = 64;                 // Probes in a block: lines in flight.
constexpr size_t kRoundQueries = WordMap::kMaxAll;  // Queries between two resolutions of what was found.
constexpr uint64_t kRunAhead = 512;                 // Bytes of a run asked for before it is read.
constexpr uint64_t kLongRun = 64;                   // Items of a run worth searching in.
constexpr size_t kRunPart = 256;                    // Items of a run compared at once.
constexpr unsigned kTableBits = 5;  // An owner is a query of the round and, in its low bits, a table.
constexpr uint32_t kTableMask = (1u << kTableBits) - 1;

}  // namespace

class PlannedQuery {
 public:
  PlannedQuery(const PlannedSegment& segment, const uint64_t* queries, unsigned k, QueryScratch* scratch,
               std::vector<RowMatch>* matches)
      : segment_(segment),
        queries_(queries),
        k_(k),
        s_(*scratch),
        matches_(*matches),
        kernel_(kernels::Active().match_lanes) {
    size_t most = kBlockProbes;
    for (const Table& table : segment.tables_) most += table.map().max_probes();
    for (auto& block : s_.blocks_) {
      if (block.lines.size() < most) {
        block.lanes.resize(most);
        block.buckets.resize(most);
        block.owners.resize(most);
        block.lines.resize(most);  // The last one: if it has room, all have.
      }
      block.count = 0;
    }
    for (auto* list : {&s_.near_lines_, &s_.continuing_lines_, &s_.near_}) {
      if (list->size() < most) list->resize(most);
    }
    const size_t words = segment.tables_.size() * kRoundQueries;
    if (s_.words_.size() < words) s_.words_.resize(words);
    // What a batch that ran out of memory has left.
    s_.continued_.clear();
    s_.continuing_.clear();
    s_.pending_.clear();
    s_.found_.clear();
  }

  // Queries from..to-1, to - from <= kRoundQueries. Takes up no more of them once there are over max_matches;
  // returns where it ended.
  size_t Round(size_t from, size_t to, size_t max_matches) {
    base_ = from;
    Encode(to - from);
    for (size_t i = from; i < to; ++i) {
      Gather(static_cast<uint32_t>(i - from));
      if (s_.blocks_[current_].count < kBlockProbes) continue;
      Turn();
      if (matches_.size() + s_.found_.size() + s_.pending_.size() > max_matches) to = i + 1;
    }
    Turn();
    Turn();
    Turn();
    Resolve(to - from);
    return to;
  }

 private:
  using Block = QueryScratch::Block;

  // Puts the round's queries in the order of bits of the segment and of each of its tables.
  void Encode(size_t count) {
    for (size_t i = 0; i < count; ++i) arranged_[i] = segment_.order_.Arrange(queries_[base_ + i]);
    for (size_t t = 0; t < segment_.tables_.size(); ++t) {
      uint64_t* words = s_.words_.data() + t * kRoundQueries;
      std::copy_n(arranged_, count, words);
      segment_.tables_[t].map().EncodeAll(words, count);
    }
  }
  uint64_t WordOf(uint32_t query, size_t table) const { return s_.words_[table * kRoundQueries + query]; }

  void Gather(uint32_t query) {
    Block& block = s_.blocks_[current_];
    const size_t tables = segment_.tables_.size();
    for (size_t t = 0; t < tables; ++t) {
      const Table& table = segment_.tables_[t];
      const uint64_t word = WordOf(query, t);
      const size_t at = block.count;
      const unsigned probes = table.map().Probes(word, &block.buckets[at]);
      const uint32_t owner = query << kTableBits | static_cast<uint32_t>(t);
      for (size_t i = at; i < at + probes; ++i) {
        const uint8_t* line = table.LineOf(block.buckets[i]);
        block.lines[i] = line;
        block.lanes[i] = static_cast<uint32_t>(word);
        block.owners[i] = owner;
      }
      block.count += probes;
    }
  }

  // Asks for the lines of the block just gathered, verifies the one gathered before it, and reads the runs
  // that the last one led to.
  void Turn() {
    const Block& gathered = s_.blocks_[current_];
    current_ ^= 1;
    Block& block = s_.blocks_[current_];
    s_.continuing_.swap(s_.continued_);
    kernel_({block.lines.data(), block.lanes.data(), block.count, k_, gathered.lines.data(), gathered.count},
            s_.near_.data());
    s_.counters.probes += block.count;
    // Told apart without a branch, as none could be guessed.
    size_t near = 0, continuing = 0;
    for (size_t i = 0; i < block.count; ++i) {
      s_.near_lines_[near] = s_.continuing_lines_[continuing] = static_cast<uint32_t>(i);
      near += (s_.near_[i] & 0xffff) != 0;
      continuing += s_.near_[i] >> 16;
    }
    for (size_t i = 0; i < near; ++i) Look(block, s_.near_lines_[i]);
    for (size_t i = 0; i < continuing; ++i) Continue(block, s_.continuing_lines_[i]);
    block.count = 0;
    for (const auto& item : s_.continuing_) ReadRun(item);
    s_.continuing_.clear();
  }

  void Look(const Block& block, size_t i) {
    const uint32_t near = s_.near_[i];
    const uint8_t* line = block.lines[i];
    const uint32_t owner = block.owners[i], bucket = block.buckets[i];
    const size_t t = owner & kTableMask;
    const Table& table = segment_.tables_[t];
    for (uint32_t slots = near & 0xffff; slots != 0; slots &= slots - 1) {
      const unsigned slot = CountTrailingZeros64(slots);
      if (t == 0) {
        uint64_t word;
        if (table.WordAt(line, slot, bucket, &word))
          Accept(true, owner >> kTableBits, table.map().Decode(word), line, slot);
      } else {
        uint32_t lane;
        std::memcpy(&lane, line + 4 * slot, 4);
        Suspect(owner, t, lane);
      }
    }
  }

  void Continue(const Block& block, size_t i) {
    const uint32_t owner = block.owners[i], bucket = block.buckets[i];
    const size_t t = owner & kTableMask;
    const Table::Run run = segment_.tables_[t].Continuation(block.lines[i], bucket);
    const uint64_t bytes = std::min<uint64_t>(run.count * (t == 0 ? 8 : 4), kRunAhead);
    for (uint64_t at = 0; at < bytes; at += 64) kernels::Prefetch(run.data + at);
    kernels::Prefetch(run.data + bytes - 1);
    s_.continued_.push_back({run, owner, block.lanes[i], bucket});
  }

  void ReadRun(const QueryScratch::Continued& item) {
    const size_t t = item.owner & kTableMask;
    const Table& table = segment_.tables_[t];
    Table::Run run = item.run;
    table.Resolve(&run);
    ++s_.counters.runs;
    s_.counters.run_items += run.count;
    if (t == 0) {
      ForEachOfBucket(run, item.bucket, [&](const uint64_t* word) {
        if (PopCount(static_cast<uint32_t>(*word) ^ item.lane) > k_) return;
        Accept(true, item.owner >> kTableBits, table.map().Decode(*word), nullptr, table.RowOfOverflow(word));
      });
      return;
    }
    const auto* lanes = reinterpret_cast<const uint32_t*>(run.data);
    for (uint64_t from = 0; from < run.count; from += kRunPart) {
      uint32_t near[kRunPart];
      const size_t part = static_cast<size_t>(std::min<uint64_t>(kRunPart, run.count - from));
      const size_t found = kernels::Active().near_lanes(lanes + from, part, item.lane, k_, near);
      for (size_t i = 0; i < found; ++i) Suspect(item.owner, t, lanes[from + near[i]]);
    }
  }

  // Takes an entry that is near, met by a probe of the primary table or looked up for a secondary one: each
  // is left to the other where the primary key tells so.
  void Accept(bool probed, uint32_t query, uint64_t fingerprint, const uint8_t* line, uint64_t slot_or_row) {
    const uint64_t difference = fingerprint ^ arranged_[query];
    const unsigned distance = PopCount(difference);
    const bool is_primary = PopCount(difference & segment_.key_masks_[0]) <= segment_.plan_.tables[0].radius;
    if (distance > k_ || is_primary != probed) return;
    if (line != nullptr) kernels::Prefetch(segment_.tables_[0].RankOf(line));
    s_.found_.push_back({query, distance, fingerprint, line, slot_or_row});
  }

  // A lane of a secondary table is near: its entry's bucket of the primary table is looked up, unless the
  // lane alone tells that an earlier table finds it.
  void Suspect(uint32_t owner, size_t t, uint32_t lane) {
    const uint32_t query = owner >> kTableBits;
    const WordMap& map = segment_.tables_[t].map();
    // The bits outside the lane are taken from the query: where they matter below, they are equal.
    const uint64_t difference = map.SpreadLane(static_cast<uint32_t>(WordOf(query, t)) ^ lane);
    const uint64_t known =
        map.lane_mask() | (segment_.plan_.tables[t].radius == 0 ? segment_.key_masks_[t] : 0);
    for (size_t i = 0; i < t; ++i) {
      const uint64_t key = segment_.key_masks_[i];
      if ((key & ~known) == 0 && PopCount(difference & key) <= segment_.plan_.tables[i].radius) return;
    }
    const Table& primary = segment_.tables_[0];
    const uint32_t primary_bucket =
        primary.map().BucketOf(primary.map().Encode(arranged_[query] ^ difference));
    const uint8_t* line = primary.LineOf(primary_bucket);
    kernels::Prefetch(line);
    s_.pending_.push_back({query, primary_bucket, line});
  }

  // Finds the entries of a primary bucket that are near, but for those that the primary table finds by
  // itself.
  void LookUp(const QueryScratch::Pending& item, uint32_t near) {
    const Table& primary = segment_.tables_[0];
    const WordMap& map = primary.map();
    uint64_t word;
    for (uint32_t slots = near & 0xffff; slots != 0; slots &= slots - 1) {
      const unsigned slot = CountTrailingZeros64(slots);
      if (primary.WordAt(item.line, slot, item.bucket, &word))
        Accept(false, item.query, map.Decode(word), item.line, slot);
    }
    if ((near >> 16) == 0) return;
    Table::Run run = primary.Continuation(item.line, item.bucket);
    primary.Resolve(&run);
    const auto lane = static_cast<uint32_t>(WordOf(item.query, 0));
    ForEachOfBucket(run, item.bucket, [&](const uint64_t* at) {
      if (PopCount(static_cast<uint32_t>(*at) ^ lane) > k_) return;
      Accept(false, item.query, map.Decode(*at), nullptr, primary.RowOfOverflow(at));
    });
  }

  // Calls body(word) for the words of one bucket in a run of the primary table.
  template <typename Body>
  void ForEachOfBucket(const Table::Run& run, uint32_t bucket, const Body& body) const {
    const WordMap& map = segment_.tables_[0].map();
    const auto* words = reinterpret_cast<const uint64_t*>(run.data);
    const auto* end = words + run.count;
    if (run.count > kLongRun) {  // The run is sorted: only its stretch of this bucket counts.
      const uint64_t low = static_cast<uint64_t>(bucket) << (64 - map.bucket_bits());
      words = std::lower_bound(words, end, low);
    }
    for (; words < end; ++words) {
      const uint32_t there = map.BucketOf(*words);
      if (there > bucket) break;
      if (there == bucket) body(words);
    }
  }

  // Several suspects of a query may lie in one bucket: where there are many, each bucket is looked up once.
  void DropRepeatedPending(size_t round) {
    auto& pending = s_.pending_;
    if (pending.size() < 4 * round) return;
    std::sort(pending.begin(), pending.end(), [](const auto& a, const auto& b) {
      return a.query != b.query ? a.query < b.query : a.bucket < b.bucket;
    });
    pending.erase(
        std::unique(pending.begin(), pending.end(),
                    [](const auto& a, const auto& b) { return a.query == b.query && a.bucket == b.bucket; }),
        pending.end());
  }

  // Ends a round of so many queries: pending items become matches, matches get rows, in order.
  void Resolve(size_t round) {
    DropRepeatedPending(round);
    for (size_t from = 0; from < s_.pending_.size(); from += kBlockProbes) {
      const size_t count = std::min(kBlockProbes, s_.pending_.size() - from);
      const auto* items = s_.pending_.data() + from;
      Block& block = s_.blocks_[current_];
      for (size_t i = 0; i < count; ++i) {
        block.lines[i] = items[i].line;
        block.lanes[i] = static_cast<uint32_t>(WordOf(items[i].query, 0));
      }
      kernel_({block.lines.data(), block.lanes.data(), count, k_, nullptr, 0}, s_.near_.data());
      for (size_t i = 0; i < count; ++i) {
        if (s_.near_[i] != 0) LookUp(items[i], s_.near_[i]);
      }
    }
    s_.counters.resolved += s_.pending_.size();
    s_.pending_.clear();

    // Matches by query: their places are counted, then each query's few are put in order.
    uint32_t ends[kRoundQueries + 1];
    std::fill_n(ends, round + 1, 0);
    for (const auto& found : s_.found_) ++ends[found.query + 1];
    for (size_t q = 0; q < round; ++q) ends[q + 1] += ends[q];
    const size_t start = matches_.size();
    matches_.resize(start + s_.found_.size());
    for (const auto& found : s_.found_) {
      const uint64_t row = found.line == nullptr ? found.slot_or_row
                                                 : segment_.tables_[0].RowAt(
                                                       found.line, static_cast<unsigned>(found.slot_or_row));
      segment_.ids_.Prefetch(row);
      matches_[start + ends[found.query]++] = {static_cast<uint32_t>(base_ + found.query), found.distance,
                                               segment_.order_.Restore(found.fingerprint), row};
    }
    // Looked up twice, a match is there twice.
    const auto first = matches_.begin() + static_cast<std::ptrdiff_t>(start);
    auto out = first;
    size_t at = 0;
    for (size_t q = 0; q < round && at < s_.found_.size(); ++q) {
      const auto from = first + static_cast<std::ptrdiff_t>(at), to = first + ends[q];
      if (to - from > 1) {
        std::sort(from, to, [](const RowMatch& a, const RowMatch& b) {
          return a.distance != b.distance ? a.distance < b.distance : a.fingerprint < b.fingerprint;
        });
      }
      const auto moved = std::move(from, to, out);
      out = std::unique(out, moved, [](const RowMatch& a, const RowMatch& b) { return a.row == b.row; });
      at = ends[q];
    }
    matches_.erase(out, matches_.end());
    s_.found_.clear();
  }

  const PlannedSegment& segment_;
  const uint64_t* queries_;
  const unsigned k_;
  QueryScratch& s_;
  std::vector<RowMatch>& matches_;
  void (*const kernel_)(const kernels::LaneQuery& query, uint32_t* out);
  size_t base_ = 0;
  uint64_t arranged_[kRoundQueries];  // The round's queries, in the segment's order of bits.
  int current_ = 0;
};

size_t PlannedSegment::QueryBatch(const uint64_t* queries, size_t count, unsigned k, size_t max_matches,
                                  QueryScratch* scratch, std::vector<RowMatch>* matches) const {
  if (distinct_ == 0) return count;
  const size_t most = std::min(max_matches, SIZE_MAX - matches->size()) + matches->size();
  PlannedQuery query(*this, queries, k, scratch, matches);
  size_t done = 0;
  while (done < count && (done == 0 || matches->size() <= most))
    done = query.Round(done, std::min(count, done + kRoundQueries), most);
  return done;
}

}  // namespace neardup
