// Loads a collection of any size through the bulk loader, checks planted pairs, and measures: load, bytes,
// peak memory, queries. Usage: bulk_bench COUNT BYTES_PER_ENTRY [THREADS]. Fingerprints are computed from
// their ids, so that nothing beside the loader holds them.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/index/bulk_loader.h"
#include "core/index/planner.h"

using namespace neardup;

namespace {

constexpr unsigned kDistance = 3;

double Clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double Wall() { return Clock(CLOCK_MONOTONIC); }
double Cpu() { return Clock(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t Mix(uint64_t z) {  // SplitMix64
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t Flip(uint64_t x, unsigned bits, uint64_t seed) {
  for (unsigned i = 0; i < bits; ++i) x ^= uint64_t{1} << (Mix(seed + i) & 63);
  return x;
}

// Of every hundred, the last is planted within 0 to 3 bits of an earlier one.
uint64_t OriginalOf(uint64_t id) { return Mix(~id) % id / 100 * 100; }
uint64_t Fingerprint(uint64_t id) {
  if (id % 100 != 99) return Mix(id << 1);
  return Flip(Mix(OriginalOf(id) << 1), static_cast<unsigned>(Mix(id << 2) & 3), id << 3);
}

double PeakGiB() {
  FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  double peak = 0;
  while (file != nullptr && std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, "VmHWM:", 6) == 0) peak = std::atof(line + 6) / (1 << 20);
  }
  if (file != nullptr) std::fclose(file);
  return peak;
}

}  // namespace

int main(int argc, char** argv) {
  const auto n = static_cast<uint64_t>(argc > 1 ? std::atof(argv[1]) : 1e6);
  const double bytes = argc > 2 ? std::atof(argv[2]) : 20;
  const unsigned threads = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;

  BulkLoader loader;
  double wall = 0, cpu = 0;
  constexpr size_t kBatch = 100000;
  std::vector<uint64_t> fingerprints(kBatch), ids(kBatch);
  for (uint64_t from = 0; from < n; from += kBatch) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kBatch, n - from));
    for (size_t i = 0; i < count; ++i) fingerprints[i] = Fingerprint(ids[i] = from + i);
    const double wall_start = Wall(), cpu_start = Cpu();
    if (Status s = loader.Add(fingerprints.data(), ids.data(), count); !s.ok())
      return std::puts(s.message().c_str()), 1;
    wall += Wall() - wall_start;
    cpu += Cpu() - cpu_start;
  }
  std::printf("n=%lu: collected in %.2f s, peak %.2f GiB\n", n, wall, PeakGiB());
  std::fflush(stdout);

  PlanRequest request;
  request.max_distance = kDistance;
  request.memory = bytes * static_cast<double>(n);
  PlannedSegment segment;
  BuildOptions options;
  options.threads = threads;
  const double wall_start = Wall(), cpu_start = Cpu();
  const Plan plan = loader.ChoosePlan(request);
  if (Status s = loader.Finish(plan, options, &segment); !s.ok()) return std::puts(s.message().c_str()), 1;
  wall += Wall() - wall_start;
  cpu += Cpu() - cpu_start;
  std::printf(
      "%zu tables, load %.2f: %.2f bytes per entry; %u threads: %.2f s, %.2f M/s (CPU %.2f s); peak %.2f "
      "GiB\n",
      plan.tables.size(), plan.load, static_cast<double>(segment.bytes()) / static_cast<double>(n), threads,
      wall, static_cast<double>(n) / wall / 1e6, cpu, PeakGiB());
  std::fflush(stdout);

  // Every planted pair of a sample is found; then queries, half stored ones with 0 to 3 flips, half random.
  constexpr size_t kQueries = 200000, kPerBatch = 1000;
  QueryScratch scratch;
  std::vector<RowMatch> matches;
  size_t checked = 0, missing = 0;
  for (uint64_t id = 99; id < n; id += std::max<uint64_t>(100, n / 100000 / 100 * 100)) {
    matches.clear();
    const uint64_t query = Fingerprint(id);
    segment.QueryBatch(&query, 1, kDistance, SIZE_MAX, &scratch, &matches);
    size_t found = 0;
    for (const RowMatch& match : matches) {
      segment.ids().ForEach(match.row,
                            [&](uint64_t other) { found += other == id || other == OriginalOf(id); });
    }
    ++checked;
    missing += found != 2;
  }
  std::printf("planted pairs: %zu looked for, %zu not found\n", checked, missing);

  std::vector<uint64_t> queries(kQueries);
  for (size_t i = 0; i < kQueries; ++i) {
    const uint64_t random = Mix(i + (uint64_t{1} << 60));
    queries[i] = i % 2 == 0 ? random : Flip(Fingerprint(random % n), random >> 62, random);
  }
  std::vector<double> times;
  uint64_t found = 0, id_sum = 0;
  scratch.counters = {};
  const double queries_start = Cpu();
  for (int round = 0; round < 3; ++round) {
    for (size_t at = 0; at < kQueries; at += kPerBatch) {
      const double start = Wall();
      matches.clear();
      segment.QueryBatch(queries.data() + at, kPerBatch, kDistance, SIZE_MAX, &scratch, &matches);
      for (const RowMatch& match : matches) id_sum += segment.ids().First(match.row);
      times.push_back(Wall() - start);
      found += matches.size();
    }
  }
  const double query_cpu = Cpu() - queries_start, asked = static_cast<double>(times.size() * kPerBatch);
  std::sort(times.begin(), times.end());
  double total = 0;
  for (const double time : times) total += time;
  std::printf(
      "queries: %.3f M/s (CPU %.0f ns each; %.1f lines, %.1f runs, %.2f resolved); a batch of 1000: p50 %.2f "
      "ms, p99 %.2f ms; %.2f found each (sum %lx)\n",
      asked / total / 1e6, query_cpu / asked * 1e9, static_cast<double>(scratch.counters.probes) / asked,
      static_cast<double>(scratch.counters.runs) / asked,
      static_cast<double>(scratch.counters.resolved) / asked, times[times.size() / 2] * 1e3,
      times[times.size() * 99 / 100] * 1e3, static_cast<double>(found) / asked, id_sum);
  return missing != 0;
}
