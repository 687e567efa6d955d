// Measures a segment: bulk load (BUILDS times, the best counts), bytes, queries, self-join (JOIN=1), against
// the floor of as many independent random reads of cache lines over as many bytes. Usage: index_bench COUNT
// PLAN [BITS LOAD ROUNDS]; prints one line per measurement. A plan is one of MakePlan, "auto" (BITS is the
// bytes per entry), "compact" or "fast".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "core/base/bits.h"
#include "core/base/memory.h"
#include "core/index/planned_segment.h"
#include "core/index/planner.h"
#include "core/index/segment_planner.h"
#include "core/index/self_join.h"

using namespace neardup;

namespace {

// THREADS: of the bulk load and the self-join. The time of the process with one, on the wall with more.
const unsigned kThreads =
    std::getenv("THREADS") ? static_cast<unsigned>(std::atoi(std::getenv("THREADS"))) : 1;

double Now() {
  timespec t;
  clock_gettime(kThreads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Random {
  uint64_t state;
  uint64_t Next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * n) >> 64);
  }
};

uint64_t Flip(uint64_t x, unsigned bits, Random* random) {
  for (unsigned i = 0; i < bits; ++i) x ^= uint64_t{1} << random->Below(64);
  return x;
}

// Key ranges from the top of the fingerprint: widths, then which of them make the key.
TablePlan MakeTable(const std::vector<unsigned>& widths, const std::vector<unsigned>& chosen, unsigned radius,
                    std::vector<CodeKind> codes, unsigned bucket_bits) {
  TablePlan table;
  for (unsigned c : chosen) {
    unsigned above = 0;
    for (unsigned i = 0; i <= c; ++i) above += widths[i];
    table.key.push_back({static_cast<uint8_t>(64 - above), static_cast<uint8_t>(widths[c])});
  }
  table.radius = radius;
  table.codes = std::move(codes);
  unsigned most = table.key_bits();
  for (CodeKind kind : table.codes) most -= BlockCode::Get(kind).check();
  table.bucket_bits = std::min(bucket_bits, most);
  return table;
}

Plan MakePlan(const std::string& name, unsigned bits, double load) {
  const CodeKind h15 = CodeKind::kHamming15, h31 = CodeKind::kHamming31, golay = CodeKind::kGolay23;
  Plan plan;
  plan.max_distance = 3;
  plan.load = load;
  auto halves = [&](std::vector<CodeKind> codes) {
    for (unsigned h = 0; h < 2; ++h) plan.tables.push_back(MakeTable({32, 32}, {h}, 1, codes, bits));
  };
  if (name == "2") halves({});
  if (name == "2h15") halves({h15, h15});
  if (name == "2h31") halves({h31});
  if (name == "2g") halves({golay});
  if (name == "3")
    for (unsigned t = 0; t < 3; ++t)
      plan.tables.push_back(MakeTable({20, 20, 24}, {t}, t == 2,
                                      t == 2 ? std::vector<CodeKind>{h15} : std::vector<CodeKind>{}, bits));
  if (name == "3g")
    for (unsigned t = 0; t < 3; ++t)
      plan.tables.push_back(MakeTable({17, 17, 30}, {t}, t == 2,
                                      t == 2 ? std::vector<CodeKind>{golay} : std::vector<CodeKind>{}, bits));
  if (name == "4")
    for (unsigned t = 0; t < 4; ++t) plan.tables.push_back(MakeTable({16, 16, 16, 16}, {t}, 0, {}, bits));
  if (name == "6" || name == "8") {
    const bool six = name == "6";
    std::vector<unsigned> widths =
        six ? std::vector<unsigned>{11, 11, 10, 11, 11, 10} : std::vector<unsigned>(8, 8);
    const unsigned s = six ? 3 : 4;
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned without = s; without-- > 0;) {
        std::vector<unsigned> chosen;
        for (unsigned i = 0; i < s; ++i)
          if (i != without) chosen.push_back(half * s + i);
        plan.tables.push_back(MakeTable(widths, chosen, 0, {}, bits));
      }
  }
  return plan;
}

// Nanoseconds per read of a random line out of `bytes`, prefetched.
double FloorPerLine(uint64_t bytes) {
  Buffer buffer;
  if (!Buffer::Allocate(bytes, &buffer).ok()) return 0;
  for (uint64_t i = 0; i < bytes; i += 4096) buffer.data()[i] = 1;
  const uint64_t lines = bytes / 64;
  constexpr size_t kGroup = 64, kTotal = size_t{1} << 23;
  const uint8_t* at[2][kGroup] = {};
  uint64_t sum = 0;
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    Random random{static_cast<uint64_t>(round)};
    const double start = Now();
    for (size_t i = 0; i < kTotal; i += kGroup) {
      auto& now = at[i / kGroup & 1];
      for (auto& line : now) __builtin_prefetch(line = buffer.data() + random.Below(lines) * 64);
      for (auto& line : at[~i / kGroup & 1]) sum += line == nullptr ? 0 : *line;
    }
    best = std::min(best, (Now() - start) / kTotal * 1e9);
  }
  if (sum == 42) std::puts("");
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t n = static_cast<size_t>(argc > 1 ? std::atof(argv[1]) : 1e6);
  const std::string name = argc > 2 ? argv[2] : "2h15";
  const unsigned bits = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 24;
  const double load = argc > 4 ? std::atof(argv[4]) : 0.8;
  const unsigned k = std::getenv("K") ? std::atoi(std::getenv("K")) : 3;
  const int rounds = argc > 5 ? std::atoi(argv[5]) : 5;
  Random random{1};
  Buffer codes_buffer, ids_buffer;
  if (!Buffer::AllocateArray(n, 8, &codes_buffer).ok() || !Buffer::AllocateArray(n, 8, &ids_buffer).ok())
    return 1;
  uint64_t* codes = codes_buffer.as<uint64_t>();
  uint64_t* ids = ids_buffer.as<uint64_t>();
  // Uniform with 1 % near-duplicates, or skewed: biased bits, a constant top, equal codes, templates.
  const char* data = std::getenv("DATA") ? std::getenv("DATA") : "uniform";
  std::vector<uint64_t> templates(1000), odds(64);
  for (uint64_t& t : templates) t = random.Next();
  for (uint64_t& odd : odds) odd = 5 + random.Below(91);
  for (size_t i = 0; i < n; ++i) {
    codes[i] = random.Next();
    ids[i] = i;
    if (data[0] == 'b') {
      codes[i] = 0;
      for (unsigned bit = 0; bit < 64; ++bit) codes[i] |= uint64_t{random.Below(100) < odds[bit]} << bit;
    }
    if (data[0] == 'c') codes[i] = codes[i] >> 16 | uint64_t{0xabcd} << 48;
    if (data[0] == 'i' && i % 10 < 3) codes[i] = 0x0123456789abcdef;
    if (data[0] == 't' && i % 2 == 0)
      codes[i] = Flip(templates[random.Below(1000)], static_cast<unsigned>(random.Below(7)), &random);
    if (i % 100 == 99)
      codes[i] = Flip(codes[random.Below(i)], static_cast<unsigned>(random.Below(4)), &random);
  }
  const size_t q = 200000;
  std::vector<uint64_t> queries(q);
  for (size_t i = 0; i < q; ++i)
    queries[i] = std::getenv("RANDOM_ONLY") == nullptr && i % 2
                     ? Flip(codes[random.Below(n)], static_cast<unsigned>(random.Below(4)), &random)
                     : random.Next();

  Plan plan = MakePlan(name, bits, load);
  if (name == "auto") {  // The bytes per entry follow.
    PlanRequest request;
    request.count = n;
    request.max_distance = k;
    request.memory = bits * static_cast<double>(n);
    request.id_bits = BitWidth(n);
    const auto options = ListPlans(request);
    for (size_t i = 0; i < options.size() && i < 8; ++i) {
      const PlanOption& o = options[i];
      std::printf("   option %s: %.2f B, load %.2f, key %u, bucket bits %u, %.1f probes, %.0f ns%s\n",
                  o.name.c_str(), o.bytes / static_cast<double>(n), o.plan.load, o.key_bits,
                  o.scan ? 0 : o.plan.tables.back().bucket_bits, o.probes, o.nanoseconds,
                  o.fits ? "" : " (does not fit)");
    }
    plan = options[0].plan;
  }
  if (name == "compact" || name == "fast") {
    plan = SegmentPlanner(k, name == "fast" ? kFastBytes : 0).Choose(n, n, BitWidth(n), codes, n).plan;
  }
  FitToData(codes, n, &plan);
  if (!IsValid(plan, k)) return std::puts("plan not valid"), 1;
  PlannedSegment segment;
  // The first build also makes the host back the memory (slow on a virtual machine); the second shows the
  // work.
  double start = 0, load_seconds = 1e9;
  Status status;
  const int builds = std::getenv("BUILDS") != nullptr ? std::atoi(std::getenv("BUILDS")) : 2;
  for (int round = 0; round < builds && status.ok(); ++round) {
    segment = PlannedSegment();
    start = Now();
    status = PlannedSegment::Build(plan, codes, ids, n, kThreads, &segment);
    load_seconds = std::min(load_seconds, Now() - start);
  }
  if (!status.ok()) return std::puts(status.message().c_str()), 1;
  std::printf("n=%zu plan=%s bits=%u load=%.2f: %.2f B/entry, bulk %.2f M/s\n", n, name.c_str(), bits, load,
              static_cast<double>(segment.bytes()) / static_cast<double>(n), n / load_seconds / 1e6);
  for (const Table& t : segment.tables()) {
    const TableStats& s = t.stats();
    std::printf(
        "   cap %u lines %.2fM (%.2f B) overflowing %.1f%% overflow %.2f B longest %lu probes %.1f bytes "
        "%.2f\n",
        t.capacity(), s.lines / 1e6, 64.0 * s.lines / n, 100.0 * s.overflowing_lines / s.lines,
        (&t == &segment.tables()[0] ? 8.0 : 4.0) * s.overflow_entries / n, s.longest_run,
        segment.plan().tables[&t - segment.tables().data()].mean_probes(), double(t.bytes()) / n);
  }
  QueryScratch scratch;
  std::vector<RowMatch> matches;
  double best = 1e9;
  uint64_t found = 0, id_sum = 0;
  QueryScratch::Counters counters;
  for (int round = 0; round < rounds; ++round) {
    scratch.counters = {};
    found = 0;
    start = Now();
    for (size_t i = 0; i < q; i += 1000) {
      matches.clear();
      segment.QueryBatch(queries.data() + i, 1000, k, SIZE_MAX, &scratch, &matches);
      for (const RowMatch& m : matches) {
        id_sum += segment.ids().First(m.row);
        ++found;
      }
    }
    best = std::min(best, (Now() - start) / static_cast<double>(q));
    counters = scratch.counters;
  }
  const double lines = static_cast<double>(counters.probes + counters.runs + 3 * found + counters.resolved) /
                       static_cast<double>(q);
  const double floor = FloorPerLine(segment.bytes());
  std::printf(
      "   k=%u: %.3f M queries/s (%.0f ns), %.2f probes %.2f runs %.2f resolved %.2f found; %.1f lines, "
      "floor %.1f ns/line = %.0f ns, ratio %.2f (sum %lx)\n",
      k, 1e-6 / best, best * 1e9, double(counters.probes) / q, double(counters.runs) / q,
      double(counters.resolved) / q, double(found) / q, lines, floor, lines * floor,
      best * 1e9 / (lines * floor), id_sum);
  if (std::getenv("JOIN") != nullptr) {
    Buffer work;
    if (!Buffer::AllocateArray(n, 8, &work).ok()) return 1;
    size_t distinct = 0;
    segment.ForEachFingerprint(
        [&](uint64_t fingerprint, uint64_t) { work.as<uint64_t>()[distinct++] = fingerprint; });
    uint64_t pairs = 0;
    for (int round = 0; round < 2; ++round) {
      pairs = 0;
      start = Now();
      if (!SelfJoin({{work.as<uint64_t>(), distinct}}, k, kThreads, [&](const uint64_t*, size_t count) {
             pairs += count;
           }).ok())
        return 1;
      std::printf("   self-join: %.3f s, %lu pairs\n", Now() - start, pairs);
    }
  }
  // Check against a scan.
  size_t wrong = 0;
  const size_t checks = n > 20000000 ? 20 : 200;
  for (size_t i = 0; i < checks; ++i) {
    matches.clear();
    segment.QueryBatch(&queries[i], 1, k, SIZE_MAX, &scratch, &matches);
    std::vector<uint64_t> got, expected;
    for (const RowMatch& m : matches) {
      segment.ids().ForEach(m.row, [&](uint64_t id) { got.push_back(id); });
    }
    for (size_t j = 0; j < n; ++j)
      if (PopCount(codes[j] ^ queries[i]) <= k) expected.push_back(ids[j]);
    std::sort(got.begin(), got.end());
    wrong += got != expected;
  }
  std::printf("   scan check: %zu of %zu differ\n", wrong, checks);
  return wrong != 0;
}
