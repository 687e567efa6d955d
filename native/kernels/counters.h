// The majority vote's counters: for each of the 64 bit positions, how many hashes have that bit set, or how
// much they weigh together. Bit i of a hash adds to entry i. Results are added to what the arrays hold, so a
// document may come in pieces. All implementations give the same sums; call them by kernels::Active().
//
// Arrays are aligned as their element type, no more; n = 0 reads nothing. Thread-safe: no state.
#ifndef NEARDUP_KERNELS_COUNTERS_H_
#define NEARDUP_KERNELS_COUNTERS_H_

#include <cstddef>
#include <cstdint>

// CountOnes: counts[i] += number of hashes with bit i set. O(n).
//
// SumWeights: sums[i] += sum of weights[j] over the hashes j with bit i set, exact modulo 2^64. O(n), times
// the number of 22-bit digits that the weights of a block of 1024 span above their common trailing zero
// bytes: one for counts and for log weights in steps of 1/65536, three at most for weights below 2^53.
namespace neardup::kernels::scalar {
void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]);
void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);
}  // namespace neardup::kernels::scalar

namespace neardup::kernels::avx2 {
void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]);
void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);
}  // namespace neardup::kernels::avx2

namespace neardup::kernels::avx512 {
void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]);
void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);
}  // namespace neardup::kernels::avx512

namespace neardup::kernels::neon {
void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]);
void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);
}  // namespace neardup::kernels::neon

#endif  // NEARDUP_KERNELS_COUNTERS_H_
