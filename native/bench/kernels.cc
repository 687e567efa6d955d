// The kernels' speed: millions of hashes or codes a second, for every set this processor runs.
//   cmake -S . -B build/bench -DNEARDUP_BENCH=ON && cmake --build build/bench && build/bench/kernels_bench
// Each figure is the median of nine runs of about 10 ms. One thread.
#include "kernels/kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

namespace neardup {

namespace {

constexpr int kRuns = 9;
constexpr double kRunSeconds = 0.010;

// Items a second of `body(call)`, which handles n items; `call` numbers the calls.
template <typename Body>
double Rate(size_t n, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](size_t calls) {
    const auto start = Clock::now();
    for (size_t call = 0; call < calls; ++call) body(call);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  size_t calls = 1;
  while (seconds(calls) < kRunSeconds / 2) calls *= 2;
  std::vector<double> times(kRuns);
  for (double& time : times) time = seconds(calls);
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return static_cast<double>(n * calls) / times[kRuns / 2];
}

void Print(const char* operation, const char* set, size_t n, double rate) {
  std::printf("%-34s %-7s n=%-9zu %8.0f M/s\n", operation, set, n, rate / 1e6);
}

std::vector<uint64_t> Random(size_t n, unsigned bits) {
  std::mt19937_64 random(bits);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = random() >> (64 - bits);
  return values;
}

// Where the documents of n hashes stand: one after the other in 32 kB, as a batch leaves them in the cache.
size_t Start(size_t call, size_t n) { return n < 2048 ? call * n % 2048 : 0; }

void BenchCounters(const kernels::Kernels& set) {
  constexpr size_t kMost = 1'000'000;
  const std::vector<uint64_t> hashes = Random(kMost, 64);
  uint64_t sums[64] = {};
  for (size_t n : {16, 64, 300, 4096, 1'000'000}) {
    Print("count ones", set.name, n,
          Rate(n, [&](size_t call) { set.count_ones(hashes.data() + Start(call, n), n, sums); }));
  }
  for (unsigned bits : {20u, 40u, 53u}) {
    const std::vector<uint64_t> weights = Random(kMost, bits);
    char operation[40];
    std::snprintf(operation, sizeof operation, "sum weights of %u bits", bits);
    for (size_t n : {16, 64, 300, 4096, 1'000'000}) {
      Print(operation, set.name, n, Rate(n, [&](size_t call) {
              set.sum_weights(hashes.data() + Start(call, n), weights.data() + Start(call, n), n, sums);
            }));
    }
  }
}

void BenchScans(const kernels::Kernels& set) {
  const std::vector<uint64_t> codes = Random(16 << 20, 64);
  const std::vector<uint64_t> queries = Random(64, 63);
  std::vector<uint8_t> distances(codes.size());
  std::vector<uint32_t> positions(codes.size());
  for (size_t n : {64, 1 << 10, 32 << 10, 1 << 20, 16 << 20}) {
    Print("distances", set.name, n, Rate(n, [&](size_t call) {
            set.distances(codes.data(), n, queries[call % 64], distances.data());
          }));
  }
  for (unsigned limit : {3u, 8u, 20u}) {
    char operation[40];
    std::snprintf(operation, sizeof operation, "within %u", limit);
    for (size_t n : {64, 1 << 10, 32 << 10, 1 << 20, 16 << 20}) {
      Print(operation, set.name, n, Rate(n, [&](size_t call) {
              set.within(codes.data(), n, queries[call % 64], limit, positions.data());
            }));
    }
  }
  // A batch of queries, block by block.
  constexpr size_t kBlock = 2048;
  const size_t n = codes.size();
  Print("within 3, 64 queries by blocks", set.name, n, Rate(64 * n, [&](size_t) {
          for (size_t start = 0; start < n; start += kBlock) {
            for (uint64_t query : queries) {
              set.within(codes.data() + start, kBlock, query, 3, positions.data());
            }
          }
        }));
}

}  // namespace

}  // namespace neardup

int main() {
  for (const neardup::kernels::Kernels* set : neardup::kernels::Available()) {
    neardup::BenchCounters(*set);
    neardup::BenchScans(*set);
  }
}
