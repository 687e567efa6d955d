// Builds a segment. Entries are dealt to the superblocks of the primary table, sorted there, and filled in;
// the secondary tables come from the finished primary one in the same way. Where memory is bounded, a window
// of superblocks is treated at a time.
#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/radix_sort.h"
#include "core/index/planned_segment.h"
#include "core/index/primary_builder.h"
#include "core/index/secondary_builder.h"
#include "core/index/spool.h"

namespace neardup {

namespace {

constexpr size_t kChunk = WordMap::kMaxAll;  // Entries dealt at a time.

// An entry whose id fits 32 bits.
struct NarrowEntry {
  uint32_t low, high, id;
};
void Pack(uint64_t word, uint64_t id, NarrowEntry* to) {
  *to = {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(id)};
}
void Pack(uint64_t word, uint64_t id, WordAndValue* to) { *to = {word, id}; }
WordAndValue Unpack(const NarrowEntry& e) { return {uint64_t{e.high} << 32 | e.low, e.id}; }
WordAndValue Unpack(const WordAndValue& e) { return e; }

// Memory that a thread works in; grows. Throws std::bad_alloc, as it is used inside of tasks.
class Scratch {
 public:
  template <typename T>
  T* Room(size_t count) {
    if (buffer_.size() < count * sizeof(T)) {
      buffer_.Reset();
      if (!Buffer::AllocateArray(count + count / 4, sizeof(T), &buffer_).ok()) throw std::bad_alloc();
    }
    return buffer_.as<T>();
  }
  void Reset() { buffer_.Reset(); }

 private:
  Buffer buffer_;
};

// Cuts superblocks into windows of at most `limit` items, or a single superblock: their starts, and the end.
std::vector<size_t> Windows(const std::vector<uint64_t>& counts, uint64_t limit) {
  std::vector<size_t> windows = {0};
  uint64_t inside = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    if (inside != 0 && inside + counts[s] > limit) {
      windows.push_back(s);
      inside = 0;
    }
    inside += counts[s];
  }
  windows.push_back(counts.size());
  return windows;
}

}  // namespace

class SegmentBuilder {
 public:
  SegmentBuilder(const Plan& plan, EntrySource* source, const BuildOptions& options)
      : plan_(plan),
        source_(*source),
        options_(options),
        threads_(std::max(1u, source->count() < kOneThread ? 1 : options.threads)),
        meter_(options.control, ExpectedWork()),
        pool_(options.work_memory != 0 ? 0 : source->count() * sizeof(SecondaryBuilder::Item)),
        scratch_(2 * threads_) {
    if (plan.order != BitList{}) segment_.order_ = BitOrder(plan.order);
    segment_.plan_ = plan;
    for (const TablePlan& table : plan.tables) segment_.key_masks_.push_back(table.key_mask());
  }

  Status Run(PlannedSegment* out) {
    segment_.tables_.resize(plan_.tables.size());
    Status s = source_.id_bound() >> 32 == 0 ? BuildPrimary<NarrowEntry>() : BuildPrimary<WordAndValue>();
    for (size_t t = 1; s.ok() && t < plan_.tables.size(); ++t) s = BuildSecondary(t);
    if (!s.ok()) return s;
    meter_.Finish();
    *out = std::move(segment_);
    return s;
  }

 private:
  static constexpr uint64_t kOneThread = 30000;  // So few entries are not worth a second thread.

  bool cancelled() const { return options_.control.cancelled(); }

  // Entries read, sorted and filled in, all passes counted.
  uint64_t ExpectedWork() const {
    const auto reads = [this](uint64_t item_bytes, uint64_t times) {
      const uint64_t bytes = source_.count() * item_bytes, memory = options_.work_memory;
      return memory == 0 || bytes <= memory ? 1 : 1 + times * (bytes / memory + 1);
    };
    const uint64_t primary = source_.read_once() ? 3 : reads(sizeof(WordAndValue), 2) + 2;
    return source_.count() *
           (primary + (plan_.tables.size() - 1) * (reads(sizeof(SecondaryBuilder::Item), 1) + 1));
  }

  // Calls body(words, ids, count, worker) for all entries of the source that may be in the superblocks
  // first..last-1 of a primary table, on all threads.
  template <typename Body>
  void ReadSource(const Table& primary, size_t first, size_t last, const Body& body) {
    const uint64_t from = primary.FirstWord(first), to = primary.FirstWord(last) - 1;
    ParallelForWorkers(threads_, source_.parts(), [&](size_t part, unsigned worker) {
      if (cancelled()) return;
      uint64_t least, greatest;
      source_.Range(part, plan_.order, plan_.tables[0], &least, &greatest);
      if (greatest < from || least > to) return;
      source_.Read(part, [&](const uint64_t* fingerprints, const uint64_t* ids, size_t count) {
        uint64_t words[kChunk];
        for (size_t at = 0; at < count; at += kChunk) {
          const size_t n = std::min(kChunk, count - at);
          for (size_t i = 0; i < n; ++i) words[i] = segment_.order_.Arrange(fingerprints[at + i]);
          primary.map().EncodeAll(words, n);
          body(words, ids + at, n, worker);
        }
        meter_.Add(count);
      });
    });
  }

  template <typename Entry>
  Status BuildPrimary() {
    PrimaryBuilder builder(plan_.tables[0], plan_.load, source_.count());
    const Table& table = builder.table();
    const uint64_t limit = options_.work_memory / sizeof(Entry);
    if (limit == 0 || limit >= source_.count() || source_.read_once()) {
      Spool<Entry> spool(table.superblocks(), threads_, source_.count(),
                         plan_.tables.size() > 1 ? &pool_ : nullptr);
      if (Status s = Deal(table, 0, table.superblocks(), &spool); !s.ok()) return s;
      std::vector<uint64_t> counts(table.superblocks());
      for (size_t s = 0; s < counts.size(); ++s) segment_.size_ += counts[s] = spool.count(s);
      if (Status s = builder.Start(counts); !s.ok()) return s;
      if (Status s = Measure(&spool, 0, true, &builder); !s.ok()) return s;
      if (Status s = builder.Allocate(); !s.ok()) return s;
      if (Status s = Fill(&spool, 0, true, &builder); !s.ok()) return s;
    } else {
      const std::vector<uint64_t> counts = CountEntries(table);
      for (const uint64_t count : counts) segment_.size_ += count;
      if (Status s = builder.Start(counts); !s.ok()) return s;
      const std::vector<size_t> windows = Windows(counts, limit);
      for (const bool fill : {false, true}) {
        for (size_t w = 0; w + 1 < windows.size(); ++w) {
          Spool<Entry> spool(windows[w + 1] - windows[w], threads_, limit);
          Status s = Deal(table, windows[w], windows[w + 1], &spool);
          if (s.ok())
            s = fill ? Fill(&spool, windows[w], false, &builder)
                     : Measure(&spool, windows[w], false, &builder);
          if (!s.ok()) return s;
        }
        if (fill) break;
        if (Status s = builder.Allocate(); !s.ok()) return s;
      }
    }
    segment_.distinct_ = table.stats().entries;
    builder.Finish(&segment_.tables_[0], &segment_.ids_);
    return Status();
  }

  std::vector<uint64_t> CountEntries(const Table& table) {
    std::vector<std::vector<uint64_t>> counts(threads_, std::vector<uint64_t>(table.superblocks()));
    ReadSource(table, 0, table.superblocks(),
               [&](const uint64_t* words, const uint64_t*, size_t count, unsigned worker) {
                 for (size_t i = 0; i < count; ++i) ++counts[worker][table.SuperblockOf(words[i])];
               });
    return Sum(std::move(counts));
  }

  static std::vector<uint64_t> Sum(std::vector<std::vector<uint64_t>> counts) {
    for (size_t t = 1; t < counts.size(); ++t) {
      for (size_t s = 0; s < counts[t].size(); ++s) counts[0][s] += counts[t][s];
    }
    return std::move(counts[0]);
  }

  // Deals the entries of a window of superblocks to the partitions of the spool.
  template <typename Entry>
  Status Deal(const Table& table, size_t first, size_t last, Spool<Entry>* spool) {
    std::vector<typename Spool<Entry>::Writer> writers;
    for (unsigned t = 0; t < threads_; ++t) writers.emplace_back(spool, t);
    std::atomic<bool> refused{false};
    ReadSource(table, first, last,
               [&](const uint64_t* words, const uint64_t* ids, size_t count, unsigned worker) {
                 for (size_t i = 0; i < count; ++i) {
                   const size_t superblock = table.SuperblockOf(words[i]);
                   if (superblock < first || superblock >= last) continue;
                   Entry entry;
                   Pack(words[i], ids[i], &entry);
                   if (!writers[worker].Add(superblock - first, entry)) refused = true;
                 }
               });
    return Outcome(refused);
  }

  Status Outcome(bool refused) const {
    if (cancelled()) return Status::Aborted();
    return refused ? Status::OutOfMemory() : Status();
  }

  // Brings a partition's entries together.
  template <typename Entry>
  static void Load(const Spool<Entry>& spool, size_t partition, WordAndValue* to) {
    spool.ForEachBlock(partition, [&](const Entry* entries, size_t n) {
      for (size_t i = 0; i < n; ++i) *to++ = Unpack(entries[i]);
    });
  }

  // Sorts and measures the superblocks of a window; `keep`: leaves them sorted in the spool.
  template <typename Entry>
  Status Measure(Spool<Entry>* spool, size_t first, bool keep, PrimaryBuilder* builder) {
    ParallelForWorkers(threads_, spool->partitions(), [&](size_t partition, unsigned worker) {
      if (cancelled()) return;
      const size_t count = spool->count(partition);
      auto* entries = scratch_[2 * worker].Room<WordAndValue>(count);
      Load(*spool, partition, entries);
      builder->Measure(first + partition, entries, scratch_[2 * worker + 1].Room<WordAndValue>(count), count);
      meter_.Add(count);
      if (!keep) return;
      spool->ForEachBlock(partition, [&](Entry* to, size_t n) {
        for (size_t i = 0; i < n; ++i, ++entries) Pack(entries->word, entries->value, to + i);
      });
    });
    return Outcome(false);
  }

  template <typename Entry>
  Status Fill(Spool<Entry>* spool, size_t first, bool sorted, PrimaryBuilder* builder) {
    ParallelForWorkers(threads_, spool->partitions(), [&](size_t partition, unsigned worker) {
      if (cancelled()) return;
      const size_t count = spool->count(partition);
      auto* entries = scratch_[2 * worker].Room<WordAndValue>(count);
      Load(*spool, partition, entries);
      spool->Release(partition);
      auto* other = scratch_[2 * worker + 1].Room<WordAndValue>(count);
      if (!sorted) builder->Sort(entries, other, count);
      builder->Fill(first + partition, entries, count, reinterpret_cast<uint64_t*>(other));
      meter_.Add(count);
    });
    return Outcome(false);
  }

  // Calls body(words, count, reader) for all fingerprints, as words of a secondary table. There is a reader
  // for each thread, and each reads a stretch of the primary table, in order.
  template <typename Body>
  void ReadPrimary(const WordMap& to, const Body& body) {
    const Table& primary = segment_.tables_[0];
    const size_t all = primary.superblocks();
    ParallelFor(threads_, threads_, [&](size_t reader) {
      uint64_t words[kChunk];
      size_t n = 0;
      const auto flush = [&] {
        primary.map().DecodeAll(words, n);
        to.EncodeAll(words, n);
        body(words, n, reader);
        meter_.Add(n);
        n = 0;
      };
      for (size_t s = all * reader / threads_; s < all * (reader + 1) / threads_ && !cancelled(); ++s) {
        primary.ForEach(s, s + 1, [&](uint64_t word, uint64_t) {
          words[n] = word;
          if (++n == kChunk) flush();
        });
      }
      flush();
    });
  }

  Status BuildSecondary(size_t t) {
    using Item = SecondaryBuilder::Item;
    SecondaryBuilder builder(plan_.tables[t], segment_.key_masks_[0], plan_.load, segment_.distinct_);
    const Table& table = builder.table();
    std::vector<uint64_t> counts;
    std::vector<size_t> windows = {0, table.superblocks()};
    const uint64_t limit = options_.work_memory / sizeof(Item);
    const bool bounded = limit != 0 && limit < segment_.distinct_;
    if (bounded) {
      std::vector<std::vector<uint64_t>> found(threads_, std::vector<uint64_t>(table.superblocks()));
      ReadPrimary(table.map(), [&](const uint64_t* words, size_t count, size_t reader) {
        for (size_t i = 0; i < count; ++i) ++found[reader][table.SuperblockOf(words[i])];
      });
      counts = Sum(std::move(found));
      windows = Windows(counts, limit);
      if (Status s = builder.Start(counts); !s.ok()) return s;
    }
    for (size_t w = 0; w + 1 < windows.size(); ++w) {
      const size_t first = windows[w], last = windows[w + 1];
      Spool<Item> spool(last - first, threads_, bounded ? limit : segment_.distinct_, &pool_);
      std::vector<Spool<Item>::Writer> writers;
      for (unsigned thread = 0; thread < threads_; ++thread) writers.emplace_back(&spool, thread);
      std::atomic<bool> refused{false};
      ReadPrimary(table.map(), [&](const uint64_t* words, size_t count, size_t reader) {
        for (size_t i = 0; i < count; ++i) {
          const size_t superblock = table.SuperblockOf(words[i]);
          if (superblock < first || superblock >= last) continue;
          if (!writers[reader].Add(superblock - first, builder.ItemOf(words[i]))) refused = true;
        }
      });
      if (Status s = Outcome(refused); !s.ok()) return s;
      if (!bounded) {
        for (size_t s = 0; s < table.superblocks(); ++s) counts.push_back(spool.count(s));
        if (Status s = builder.Start(counts); !s.ok()) return s;
      }
      if (Status s = FillSecondary(&spool, first, &builder); !s.ok()) return s;
    }
    return builder.Finish(&segment_.tables_[t]);
  }

  Status FillSecondary(Spool<SecondaryBuilder::Item>* spool, size_t first, SecondaryBuilder* builder) {
    ParallelForWorkers(threads_, spool->partitions(), [&](size_t partition, unsigned worker) {
      if (cancelled()) return;
      const size_t count = spool->count(partition);
      auto* items = scratch_[2 * worker].Room<uint64_t>(count);
      spool->ForEachBlock(partition, [&, to = items](const uint64_t* from, size_t n) mutable {
        to = std::copy(from, from + n, to);
      });
      spool->Release(partition);
      builder->Fill(first + partition, items, count);
      meter_.Add(count);
    });
    return Outcome(false);
  }

  const Plan& plan_;
  EntrySource& source_;
  const BuildOptions& options_;
  const unsigned threads_;
  WorkMeter meter_;
  SlabPool pool_;                 // From one table to the next.
  std::vector<Scratch> scratch_;  // Two for each thread.
  PlannedSegment segment_;
};

Status PlannedSegment::Build(const Plan& plan, EntrySource* source, const BuildOptions& options,
                             PlannedSegment* out) {
  std::string why;
  if (!IsBuildable(plan, &why)) return Status(StatusCode::kOutOfRange, "the plan cannot be built: " + why);
  try {
    return SegmentBuilder(plan, source, options).Run(out);
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  }
}

Status PlannedSegment::Build(const Plan& plan, const uint64_t* fingerprints, const uint64_t* ids,
                             size_t count, unsigned threads, PlannedSegment* out) {
  ArraySource source(fingerprints, ids, count);
  BuildOptions options;
  options.threads = threads;
  return Build(plan, &source, options, out);
}

}  // namespace neardup
