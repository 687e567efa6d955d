// Sums of 64-bit weights by 32-bit lanes: weights are taken in blocks and cut into digits of 22 bits above
// the block's common trailing zero bytes, so that the sum of a digit over a block fits 32 bits. Most blocks
// have one digit: counts, and log weights in steps of 1/65536.
#ifndef NEARDUP_KERNELS_WEIGHT_DIGITS_H_
#define NEARDUP_KERNELS_WEIGHT_DIGITS_H_

#include <cstddef>
#include <cstdint>

namespace neardup::kernels {

// Hashes of a block, bits of a digit, and how many zero digits stand behind a block's last.
constexpr size_t kDigitBlock = 1024;
constexpr unsigned kDigitBits = 22;
constexpr size_t kDigitPadding = 8;
static_assert(kDigitBlock * ((uint64_t{1} << kDigitBits) - 1) <= UINT32_MAX, "sums must fit 32 bits");

// sums[i] += (sum of digits[j] over the n <= kDigitBlock hashes j with bit i set) << shift. It may read
// kDigitPadding digits behind the last: zeros.
using SumDigits = void (*)(const uint64_t* hashes, const uint32_t* digits, size_t n, unsigned shift,
                           uint64_t sums[64]);

// SumWeights (counters.h) by any instruction set's SumDigits.
void SumByDigits(SumDigits sum_digits, const uint64_t* hashes, const uint64_t* weights, size_t n,
                 uint64_t sums[64]);

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_WEIGHT_DIGITS_H_
