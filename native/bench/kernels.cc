// The kernels' speed: millions of hashes or codes a second, for every set this processor runs.
//   cmake -S . -B build/bench -DNEARDUP_BENCH=ON && cmake --build build/bench
//   build/bench/kernels_bench [part of an operation's name]
// Each figure is the median of nine runs of about 10 ms. One thread, in processor time, so that what else
// runs on the machine weighs less.
#include "kernels/kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

namespace neardup {

namespace {

constexpr int kRuns = 9;
constexpr double kRunSeconds = 0.010;

// Items a second of `body(call)`, which handles n items; `call` numbers the calls.
template <typename Body>
double Rate(size_t n, const Body& body) {
  const auto seconds = [&](size_t calls) {
    const std::clock_t start = std::clock();
    for (size_t call = 0; call < calls; ++call) body(call);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  size_t calls = 1;
  while (seconds(calls) < kRunSeconds / 2) calls *= 2;
  std::vector<double> times(kRuns);
  for (double& time : times) time = seconds(calls);
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return static_cast<double>(n * calls) / times[kRuns / 2];
}

// What the name of an operation must hold to be measured.
const char* filter = "";

template <typename Body>
void Bench(const char* operation, const char* set, size_t n, const Body& body) {
  if (std::strstr(operation, filter) == nullptr) return;
  std::printf("%-34s %-7s n=%-9zu %8.0f M/s\n", operation, set, n, Rate(n, body) / 1e6);
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
    Bench("count ones", set.name, n,
          [&](size_t call) { set.count_ones(hashes.data() + Start(call, n), n, sums); });
  }
  for (unsigned bits : {20u, 40u, 53u}) {
    const std::vector<uint64_t> weights = Random(kMost, bits);
    char operation[40];
    std::snprintf(operation, sizeof operation, "sum weights of %u bits", bits);
    for (size_t n : {16, 64, 300, 4096, 1'000'000}) {
      Bench(operation, set.name, n, [&](size_t call) {
        set.sum_weights(hashes.data() + Start(call, n), weights.data() + Start(call, n), n, sums);
      });
    }
  }
}

void BenchScans(const kernels::Kernels& set) {
  const std::vector<uint64_t> codes = Random(16 << 20, 64);
  const std::vector<uint64_t> queries = Random(64, 63);
  std::vector<uint8_t> distances(codes.size());
  std::vector<uint32_t> positions(codes.size());
  for (size_t n : {64, 1 << 10, 32 << 10, 1 << 20, 16 << 20}) {
    Bench("distances", set.name, n,
          [&](size_t call) { set.distances(codes.data(), n, queries[call % 64], distances.data()); });
  }
  for (unsigned limit : {3u, 8u, 20u}) {
    char operation[40];
    std::snprintf(operation, sizeof operation, "within %u", limit);
    for (size_t n : {64, 1 << 10, 32 << 10, 1 << 20, 16 << 20}) {
      Bench(operation, set.name, n,
            [&](size_t call) { set.within(codes.data(), n, queries[call % 64], limit, positions.data()); });
    }
  }
  // A batch of queries, block by block.
  constexpr size_t kBlock = 2048;
  const size_t n = codes.size();
  Bench("within 3, 64 queries by blocks", set.name, 64 * n, [&](size_t) {
    for (size_t start = 0; start < n; start += kBlock) {
      for (uint64_t query : queries) {
        set.within(codes.data() + start, kBlock, query, 3, positions.data());
      }
    }
  });
}

}  // namespace

}  // namespace neardup

int main(int argc, char** argv) {
  if (argc > 1) neardup::filter = argv[1];
  for (const neardup::kernels::Kernels* set : neardup::kernels::Available()) {
    neardup::BenchCounters(*set);
    neardup::BenchScans(*set);
  }
}
