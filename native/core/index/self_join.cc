#include "core/index/self_join.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/radix_sort.h"
#include "core/index/join_plan.h"
#include "core/index/join_run.h"
#include "core/index/line_writer.h"
#include "core/index/spool.h"
#include "kernels/kernels.h"

namespace neardup {

namespace {

constexpr size_t kMaxRun = 96;                      // Longer runs are joined by their other bits.
constexpr size_t kPairs = kMaxRun * kMaxRun;        // Room for those of a run.
constexpr size_t kFirstWindow = 16, kWindow = 256;  // Parts between two calls of the sink: at first, at most.
constexpr size_t kManyPairs = size_t{1} << 20;
constexpr size_t kKeptPairs = size_t{1} << 14;  // Room for more numbers is given back.
constexpr unsigned kMaxHashBits = 16;

uint64_t CountOf(const std::vector<Words>& words) {
  uint64_t count = 0;
  for (const Words& each : words) count += each.count;
  return count;
}

size_t PartOf(uint64_t key, unsigned part_bits) {
  if (part_bits == 0) return 0;
  return ((key ^ key >> 32) * 0xff51afd7ed558ccdu) >> (64 - part_bits);
}

class Join {
 public:
  Join(const std::vector<Words>& fingerprints, unsigned k, unsigned threads, const PairSink& sink,
       const WorkControl& control)
      : fingerprints_(fingerprints),
        count_(CountOf(fingerprints)),
        k_(k),
        threads_(std::max(1u, threads)),
        sink_(sink),
        plan_(PlanJoin(static_cast<size_t>(count_), k)),
        meter_(control, count_ * (plan_.groups.size() + plan_.tables.size())),
        workers_(threads_) {}

  Status Run() {
    Spool<uint64_t> spool(size_t{1} << plan_.part_bits, threads_, count_);
    for (const JoinGroup& group : plan_.groups) {
      spool.Clear();
      if (Status s = Deal(fingerprints_, group.common, &spool); !s.ok()) return s;
      std::vector<size_t> large;
      if (Status s = JoinParts(spool, group.tables, &large); !s.ok()) return s;
      for (const size_t part : large) {
        if (Status s = JoinLarge(spool, part, group.tables); !s.ok()) return s;
      }
    }
    meter_.Finish();
    return Status();
  }

 private:
  // What a thread works in.
  struct Worker {
    std::vector<uint64_t> words, scratch;
    std::vector<uint16_t> heads, next;
    std::vector<kernels::WordPair> found;
  };

  bool cancelled() const { return meter_.control().cancelled(); }

  // Deals words to the parts of a spool, by these of their bits.
  Status Deal(const std::vector<Words>& from, uint64_t bits, Spool<uint64_t>* spool) {
    unsigned part_bits = 0;
    while (size_t{1} << part_bits < spool->partitions()) ++part_bits;
    const uint64_t total = CountOf(from);
    std::atomic<bool> refused{false};
    // Each thread deals a stretch; the parts have their words in the order of the stretches.
    ParallelFor(threads_, threads_, [&](size_t reader) {
      LineWriter writer(spool, reader);
      uint64_t skip = total * reader / threads_, left = total * (reader + 1) / threads_ - skip;
      for (const auto& [words, count] : from) {
        const uint64_t first = std::min<uint64_t>(skip, count), n = std::min<uint64_t>(count - first, left);
        skip -= first;
        left -= n;
        constexpr uint64_t kStretch = uint64_t{1} << 16;
        for (uint64_t at = first; at < first + n && !cancelled(); at += kStretch) {
          const uint64_t end = std::min(first + n, at + kStretch);
          writer.Add(words + at, static_cast<size_t>(end - at),
                     [bits, part_bits](uint64_t word) { return PartOf(word & bits, part_bits); });
          meter_.Add(end - at);
        }
      }
      if (!writer.End().ok()) refused = true;
    });
    if (cancelled()) return Status::Aborted();
    return refused ? Status::OutOfMemory() : Status();
  }

  // Joins the parts of a spool by these tables; those too large for it are put off, or, without `large`,
  // sorted.
  Status JoinParts(const Spool<uint64_t>& spool, const std::vector<size_t>& tables,
                   std::vector<size_t>* large) {
    std::vector<std::vector<uint64_t>> pairs(std::min(spool.partitions(), kWindow));
    for (size_t first = 0, now; first < spool.partitions(); first += now) {
      now = std::min(window_, spool.partitions() - first);
      for (size_t p = 0; p < now && large != nullptr; ++p) {
        if (spool.count(first + p) > kernels::kMaxKeyWords) large->push_back(first + p);
      }
      ParallelForWorkers(threads_, now, [&](size_t p, unsigned worker) {
        const uint64_t count = spool.count(first + p);
        if (cancelled() || (large != nullptr && count > kernels::kMaxKeyWords)) return;
        auto& words = workers_[worker].words;
        words.clear();
        spool.ForEachBlock(
            first + p, [&](const uint64_t* from, size_t n) { words.insert(words.end(), from, from + n); });
        for (const size_t t : tables) {
          if (!JoinKeys(t, &workers_[worker], &pairs[p])) JoinSorted(t, &workers_[worker], &pairs[p]);
        }
        meter_.Add(count * tables.size());
      });
      if (cancelled()) return Status::Aborted();
      size_t found = 0;
      for (size_t p = 0; p < now; ++p) {
        if (!pairs[p].empty()) sink_(pairs[p].data(), pairs[p].size() / 2);
        found += pairs[p].size() / 2;
        if (pairs[p].capacity() > kKeptPairs) {
          std::vector<uint64_t>().swap(pairs[p]);
        } else {
          pairs[p].clear();
        }
      }
      if (found < kManyPairs) {
        window_ = std::min(kWindow, 4 * window_);
      } else if (found > 4 * kManyPairs) {
        window_ = std::max<size_t>(1, window_ / 4);
      }
    }
    return Status();
  }

  // Joins a part that many fingerprints fell into: by all bits of each key.
  Status JoinLarge(const Spool<uint64_t>& spool, size_t part, const std::vector<size_t>& tables) {
    std::vector<Words> blocks;
    spool.ForEachBlock(part, [&](const uint64_t* from, size_t n) { blocks.push_back({from, n}); });
    const uint64_t count = spool.count(part);
    Spool<uint64_t> parts(std::clamp<size_t>(NextPower(count >> 13), 1, 4096), threads_, count);
    for (const size_t t : tables) {
      parts.Clear();
      if (Status s = Deal(blocks, plan_.tables[t].key, &parts); !s.ok()) return s;
      if (Status s = JoinParts(parts, {t}, nullptr); !s.ok()) return s;
    }
    return Status();
  }
  static size_t NextPower(uint64_t n) {
    size_t power = 1;
    while (power < n) power *= 2;
    return power;
  }

  void Emit(size_t t, uint64_t x, uint64_t y, std::vector<uint64_t>* pairs) const {
    for (size_t before = 0; before < t; ++before) {
      if (((x ^ y) & plan_.tables[before].key) == 0) return;
    }
    pairs->push_back(x);
    pairs->push_back(y);
  }

  // Compares the worker's words where they agree in the key of table t, by hashing. False, and no pairs,
  // where too many do.
  bool JoinKeys(size_t t, Worker* worker, std::vector<uint64_t>* pairs) const {
    const size_t count = worker->words.size(), before = pairs->size();
    if (count < 2) return true;
    if (count > kernels::kMaxKeyWords) return false;
    unsigned hash_bits = 1;
    while (hash_bits < kMaxHashBits && 2 * count >> hash_bits != 0) ++hash_bits;
    worker->heads.assign(size_t{1} << hash_bits, 0);
    if (worker->next.size() < count) worker->next.resize(count);
    worker->found.resize(kPairs);
    const kernels::KeyQuery query = {
        worker->words.data(), count, plan_.tables[t].key, k_, kMaxRun, hash_bits, worker->heads.data(),
        worker->next.data()};
    for (size_t at = 0; at < count;) {
      const size_t n = kernels::Active().near_keys(query, &at, worker->found.data(), kPairs);
      if (n == kernels::kKeyTooCommon) {
        pairs->resize(before);
        return false;
      }
      for (size_t i = 0; i < n; ++i)
        Emit(t, query.words[worker->found[i].first], query.words[worker->found[i].second], pairs);
    }
    return true;
  }

  // The same by sorting, for any number that agree.
  void JoinSorted(size_t t, Worker* worker, std::vector<uint64_t>* pairs) const {
    const auto& [map, key, key_bits] = plan_.tables[t];
    const size_t count = worker->words.size();
    std::vector<uint64_t> words(count);
    for (size_t i = 0; i < count; ++i) words[i] = map.Encode(worker->words[i]);
    worker->scratch.resize(count);
    SortPart(words.data(), worker->scratch.data(), count, 64, 64 - key_bits);
    const auto emit = [&, &decoder = map](uint64_t a, uint64_t b) {
      Emit(t, decoder.Decode(a), decoder.Decode(b), pairs);
    };
    worker->found.resize(kPairs);
    const unsigned shift = 64 - key_bits;
    const kernels::PairQuery query = {words.data(), count, shift, k_, kMaxRun};
    for (size_t at = 0; at < count && !cancelled();) {
      const size_t from = at, n = kernels::Active().near_pairs(query, &at, worker->found.data(), kPairs);
      for (size_t i = 0; i < n; ++i) emit(words[worker->found[i].first], words[worker->found[i].second]);
      if (at != from || at == count) continue;
      size_t end = at + 1;
      while (end < count && (words[end] ^ words[at]) >> shift == 0) ++end;
      JoinRun(words.data() + at, end - at, key_bits, k_, emit);
      at = end;
    }
  }

  const std::vector<Words>& fingerprints_;
  const uint64_t count_;
  const unsigned k_, threads_;
  const PairSink& sink_;
  const JoinPlan plan_;
  WorkMeter meter_;
  std::vector<Worker> workers_;
  size_t window_ = kFirstWindow;  // Parts joined together: fewer where they give many pairs.
};

}  // namespace

Status SelfJoin(const std::vector<Words>& fingerprints, unsigned k, unsigned threads, const PairSink& sink,
                const WorkControl& control) {
  if (CountOf(fingerprints) < 2) return Status();
  try {
    return Join(fingerprints, k, threads, sink, control).Run();
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  }
}

}  // namespace neardup
