#include "core/index/machine_costs.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory.h"
#include "core/index/word_map.h"
#include "kernels/kernels.h"
#include "kernels/prefetch.h"

namespace neardup {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kPage = 4096;
constexpr size_t kMemoryBytes = size_t{128} << 20;
constexpr size_t kCachedBytes = size_t{4} << 20;
constexpr size_t kNearBytes = size_t{1} << 18;  // Held by the second level cache.
constexpr int kRounds = 5;                      // The fastest counts: others had the machine meanwhile.

// SplitMix64: cheap beside what is measured.
class Random {
 public:
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

 private:
  uint64_t state_ = 1;
};

// What the measured loops make, so that none of it is left out.
volatile uint64_t sink;

// Nanoseconds of one of the `steps` that body() takes, in the fastest round.
template <typename Body>
double Fastest(size_t steps, Body&& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    body();
    const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
    best = std::min(best, taken.count() / static_cast<double>(steps));
  }
  return best;
}

// Reading random lines, asked for a group ahead. `bytes` is a power of two.
double ReadLines(size_t bytes, size_t reads, double otherwise) {
  constexpr size_t kGroup = 64;
  Buffer buffer;
  if (!Buffer::Allocate(bytes, &buffer).ok()) return otherwise;
  for (size_t i = 0; i < bytes; i += kPage) buffer.data()[i] = 1;
  const size_t mask = bytes / kLine - 1;
  Random random;
  return Fastest(reads, [&] {
    const uint8_t* lines[2][kGroup];
    std::fill_n(lines[0], 2 * kGroup, buffer.data());
    uint64_t sum = 0;
    for (size_t i = 0; i < reads; i += kGroup) {
      const size_t now = i / kGroup & 1;
      for (const uint8_t*& line : lines[now]) {
        line = buffer.data() + (random.Next() & mask) * kLine;
        kernels::Prefetch(line);
      }
      for (const uint8_t* line : lines[now ^ 1]) sum += *line;
    }
    sink = sum;
  });
}

// Probes of a key of 32 bits in two codes, and the comparison of the lines they name, which are near.
double Probe(double otherwise) {
  constexpr size_t kQueries = 4096, kBatch = 8;
  const TablePlan table = {{{32, 32}}, 1, {CodeKind::kHamming15, CodeKind::kHamming15}, 22};
  const WordMap map(table, 0);
  Buffer buffer;
  if (!Buffer::Allocate(kNearBytes, &buffer).ok()) return otherwise;
  std::fill_n(buffer.data(), kNearBytes, uint8_t{0x5a});
  // 11 lanes in use, and no run.
  for (size_t i = kLine - 1; i < kNearBytes; i += kLine) buffer.data()[i] = 11;
  const size_t most = kBatch * map.max_probes();
  std::vector<uint32_t> buckets(most), lanes(most), near(most);
  std::vector<const uint8_t*> lines(most);
  Random random;
  const auto steps = static_cast<size_t>(kQueries * table.mean_probes());
  return Fastest(steps, [&] {
    uint64_t sum = 0;
    for (size_t query = 0; query < kQueries; query += kBatch) {
      size_t count = 0;
      for (size_t i = 0; i < kBatch; ++i) {
        const uint64_t word = map.Encode(random.Next());
        const unsigned probes = map.Probes(word, &buckets[count]);
        for (const size_t end = count + probes; count < end; ++count) {
          lines[count] = buffer.data() + buckets[count] % (kNearBytes / kLine) * kLine;
          lanes[count] = static_cast<uint32_t>(word);
        }
      }
      kernels::Active().match_lanes({lines.data(), lanes.data(), count, 3, nullptr, 0}, near.data());
      for (size_t i = 0; i < count; ++i) sum += near[i];
    }
    sink = sum;
  });
}

double Compare(double otherwise) {
  constexpr size_t kCodes = kNearBytes / 8, kScans = 64;
  Buffer codes, positions;
  if (!Buffer::AllocateArray(kCodes, 8, &codes).ok() || !Buffer::AllocateArray(kCodes, 4, &positions).ok())
    return otherwise;
  Random random;
  for (size_t i = 0; i < kCodes; ++i) codes.as<uint64_t>()[i] = random.Next();
  return Fastest(kScans * kCodes, [&] {
    uint64_t found = 0;
    for (size_t scan = 0; scan < kScans; ++scan)
      found +=
          kernels::Active().within(codes.as<uint64_t>(), kCodes, random.Next(), 3, positions.as<uint32_t>());
    sink = found;
  });
}

}  // namespace

MachineCosts MeasureCosts() {
  const MachineCosts defaults;
  MachineCosts costs;
  costs.cached_line = ReadLines(kCachedBytes, size_t{1} << 20, defaults.cached_line);
  // Some of the lines came from the cache.
  const double cached = costs.cache_bytes / kMemoryBytes;
  const double read = ReadLines(kMemoryBytes, size_t{1} << 20, defaults.memory_line);
  costs.memory_line = std::max(costs.cached_line, (read - cached * costs.cached_line) / (1 - cached));
  costs.probe = Probe(defaults.probe);
  costs.compare = Compare(defaults.compare);
  const double pace = costs.probe / defaults.probe;
  costs.table = defaults.table * pace;
  costs.run = defaults.run * pace;
  costs.suspect = defaults.suspect * pace;
  return costs;
}

}  // namespace neardup
