#include "core/index/self_join.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/bits.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/radix_sort.h"
#include "core/index/designs.h"
#include "core/index/word_map.h"
#include "kernels/kernels.h"

namespace neardup {

namespace {

constexpr size_t kMaxRun = 96;             // Longer runs are joined by their other bits.
constexpr size_t kPart = size_t{1} << 15;  // Words of a task.
constexpr size_t kSmall = 512;             // So few are compared all with all.

struct JoinTable {
  WordMap map;
  uint64_t key_mask = 0;
  unsigned key_bits = 0;
};

// Keys with radius 0 so that any `k` errors leave one exact, for which sorting and comparing costs least.
std::vector<JoinTable> ChooseTables(size_t count, unsigned k) {
  constexpr double kSort = 14, kCompare = 0.8;  // Nanoseconds.
  double best = 1e300;
  std::vector<JoinTable> tables;
  for (const Design& design : ListDesigns(k, static_cast<double>(count))) {
    double cost = 0;
    for (const DesignTable& table : design.tables) {
      unsigned bits = 0;
      for (BitRange range : table.key) bits += range.width;
      cost += table.radius != 0
                  ? 1e300
                  : kSort + kCompare * std::ldexp(static_cast<double>(count), -static_cast<int>(bits) - 1);
    }
    if (cost >= best) continue;
    best = cost;
    tables.clear();
    for (const DesignTable& table : design.tables) {
      TablePlan plan;
      plan.key = table.key;
      plan.bucket_bits = plan.key_bits();
      tables.push_back({WordMap(plan, 0), plan.key_mask(), plan.key_bits()});
    }
  }
  return tables;
}

// Joins words that agree in `fixed` leading bits, all with all or by k + 1 exact blocks of the other bits.
// Calls emit(a, b). The order of `words` changes.
template <typename Emit>
void JoinRun(uint64_t* words, size_t count, unsigned fixed, unsigned k, const Emit& emit) {
  const unsigned free_bits = 64 - fixed, block = free_bits / (k + 1);
  if (count <= kSmall || block < 4) {
    std::vector<uint32_t> near(count);
    for (size_t i = 0; i + 1 < count; ++i) {
      const size_t found = kernels::Active().within(words + i + 1, count - i - 1, words[i], k, near.data());
      for (size_t j = 0; j < found; ++j) emit(words[i], words[i + 1 + near[j]]);
    }
    return;
  }
  std::vector<uint64_t> scratch(count);
  // Each block in turn is rotated to the front: [block | fixed bits and the blocks before it | the rest].
  const auto rotate = [](uint64_t x, unsigned by) { return by == 0 ? x : x << by | x >> (64 - by); };
  for (unsigned b = 0; b <= k; ++b) {
    const unsigned by = fixed + b * block, width = b == k ? free_bits - k * block : block;
    for (size_t i = 0; i < count; ++i) words[i] = rotate(words[i], by);
    SortPart(words, scratch.data(), count, 64, 64 - width);
    const auto first = [&](uint64_t difference) {
      for (unsigned before = 0; before < b; ++before) {
        if (rotate(difference, before * block + fixed) >> (64 - block) == 0) return false;
      }
      return true;
    };
    const auto report = [&](uint64_t x, uint64_t y) {
      const uint64_t p = rotate(x, (64 - by) & 63), q = rotate(y, (64 - by) & 63);
      if (first(p ^ q)) emit(p, q);
    };
    for (size_t from = 0, end; from < count; from = end) {
      end = from + 1;
      while (end < count && (words[end] ^ words[from]) >> (64 - width) == 0) ++end;
      std::vector<uint32_t> near(end - from);
      for (size_t i = from; i + 1 < end; ++i) {
        const size_t found = kernels::Active().within(words + i + 1, end - i - 1, words[i], k, near.data());
        for (size_t j = 0; j < found; ++j) report(words[i], words[i + 1 + near[j]]);
      }
    }
    for (size_t i = 0; i < count; ++i) words[i] = rotate(words[i], (64 - by) & 63);
  }
}

class Join {
 public:
  Join(const uint64_t* fingerprints, uint64_t* words, size_t count, unsigned k, unsigned threads,
       const PairSink& sink)
      : fingerprints_(fingerprints),
        words_(words),
        count_(count),
        k_(k),
        threads_(threads),
        sink_(sink),
        tables_(ChooseTables(count, k)) {}

  Status Run() {
    for (size_t t = 0; t < tables_.size(); ++t) {
      const WordMap& map = tables_[t].map;
      const auto word = [&](size_t i) { return map.Encode(fingerprints_[i]); };
      if (Status s = RadixSort(word, count_, words_, threads_, tables_[t].key_bits); !s.ok()) return s;
      JoinTableRuns(t);
    }
    return Status();
  }

 private:
  bool SameRun(size_t a, size_t b, unsigned shift) const { return (words_[a] ^ words_[b]) >> shift == 0; }

  // Compares the runs of table t, in windows of parts; each part takes the runs that begin in it.
  void JoinTableRuns(size_t t) {
    const size_t parts = (count_ + kPart - 1) / kPart, window = 64;
    std::vector<std::vector<uint64_t>> pairs(std::min(parts, window));
    for (size_t first = 0; first < parts; first += window) {
      const size_t now = std::min(window, parts - first);
      ParallelFor(threads_, now, [&](size_t p) { JoinPart(t, (first + p) * kPart, &pairs[p]); });
      for (size_t p = 0; p < now; ++p) {
        if (!pairs[p].empty()) sink_(pairs[p].data(), pairs[p].size() / 2);
        pairs[p].clear();
      }
    }
  }

  void JoinPart(size_t t, size_t from, std::vector<uint64_t>* pairs) {
    const unsigned shift = 64 - tables_[t].key_bits;
    size_t end = std::min(count_, from + kPart);
    while (from > 0 && from < end && SameRun(from, from - 1, shift)) ++from;
    if (from == end) return;
    while (end < count_ && SameRun(end, end - 1, shift)) ++end;

    const auto emit = [&](uint64_t a, uint64_t b) {
      const uint64_t x = tables_[t].map.Decode(a), y = tables_[t].map.Decode(b);
      for (size_t before = 0; before < t; ++before) {
        if (((x ^ y) & tables_[before].key_mask) == 0) return;
      }
      pairs->push_back(x);
      pairs->push_back(y);
    };
    constexpr size_t kPairs = kMaxRun * kMaxRun;
    std::vector<kernels::WordPair> found(kPairs);
    const kernels::PairQuery query = {words_ + from, end - from, shift, k_, kMaxRun};
    for (size_t at = 0; at < query.count;) {
      const size_t before = at;
      const size_t n = kernels::Active().near_pairs(query, &at, found.data(), kPairs);
      for (size_t i = 0; i < n; ++i) emit(query.words[found[i].first], query.words[found[i].second]);
      if (at != before || at == query.count) continue;
      size_t run_end = from + at + 1;
      while (run_end < end && SameRun(run_end, from + at, shift)) ++run_end;
      JoinRun(words_ + from + at, run_end - from - at, tables_[t].key_bits, k_, emit);
      at = run_end - from;
    }
  }

  const uint64_t* fingerprints_;
  uint64_t* words_;
  const size_t count_;
  const unsigned k_, threads_;
  const PairSink& sink_;
  const std::vector<JoinTable> tables_;
};

}  // namespace

Status SelfJoin(const uint64_t* fingerprints, size_t count, unsigned k, unsigned threads,
                const PairSink& sink) {
  if (count < 2) return Status();
  Buffer words;
  if (Status s = Buffer::AllocateArray(count, 8, &words); !s.ok()) return s;
  return Join(fingerprints, words.as<uint64_t>(), count, k, threads, sink).Run();
}

}  // namespace neardup
