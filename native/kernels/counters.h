// The 64 counters of a fingerprint: per bit, how many hashes (or how much weight) have that bit set.
// Adds to what `counts` and `sums` hold; the caller keeps the totals below 2^64. O(n). Thread-safe: no state.
#ifndef NEARDUP_KERNELS_COUNTERS_H_
#define NEARDUP_KERNELS_COUNTERS_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

// Adds 1 to counts[i] for each hash with bit i set.
void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]);

// Adds weights[j] to sums[i] for each hashes[j] with bit i set.
void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);

}  // namespace neardup

#endif  // NEARDUP_KERNELS_COUNTERS_H_
