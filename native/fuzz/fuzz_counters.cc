// CountOnes and SumWeights of every kernel set against the scalar set. Input: a byte that places the arrays,
// a byte that shifts the weights, then hashes and weights in turn.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/counters.h"
#include "test/kernel_sets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t offset = data[0] % 8;  // elements
  const unsigned right = data[1] % 64;
  const size_t n = (size - 2) / 16;
  // Exactly as long as needed, so that the sanitizer sees any read beyond the end.
  std::vector<uint64_t> hash_array(offset + n), weight_array(offset + n);
  uint64_t* hashes = hash_array.data() + offset;
  uint64_t* weights = weight_array.data() + offset;
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(hashes + i, data + 2 + 16 * i, 8);
    std::memcpy(weights + i, data + 2 + 16 * i + 8, 8);
    weights[i] >>= right;
  }

  uint64_t counts[64] = {1}, sums[64] = {2};
  neardup::kernels::scalar::CountOnes(hashes, n, counts);
  neardup::kernels::scalar::SumWeights(hashes, weights, n, sums);
  for (const neardup::kernels::Kernels& set : neardup::test::KernelSets()) {
    uint64_t set_counts[64] = {1}, set_sums[64] = {2};
    set.count_ones(hashes, n, set_counts);
    set.sum_weights(hashes, weights, n, set_sums);
    if (std::memcmp(counts, set_counts, sizeof counts) != 0) std::abort();
    if (std::memcmp(sums, set_sums, sizeof sums) != 0) std::abort();
  }
  return 0;
}
