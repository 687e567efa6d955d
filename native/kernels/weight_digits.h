// Weights in pieces that 32-bit lanes can sum: a block of at most kBlock weights is cut into digits of
// kDigitBits bits above the block's common trailing zeros. A digit's sum over a block fits 32 bits, and most
// blocks have one digit: counts, and log weights in steps of 1/65536.
#ifndef NEARDUP_KERNELS_WEIGHT_DIGITS_H_
#define NEARDUP_KERNELS_WEIGHT_DIGITS_H_

#include <cstddef>
#include <cstdint>

namespace neardup::kernels {

constexpr size_t kBlock = 1024;
constexpr unsigned kDigitBits = 22;
static_assert(kBlock * ((uint64_t{1} << kDigitBits) - 1) <= UINT32_MAX, "a block's sum must fit 32 bits");

// The bits that any of the weights has set.
inline uint64_t UnionOf(const uint64_t* weights, size_t n) {
  uint64_t bits = 0;
  for (size_t i = 0; i < n; ++i) bits |= weights[i];
  return bits;
}

// digits[i] = bits shift .. shift + kDigitBits - 1 of weights[i].
inline void ExtractDigit(const uint64_t* weights, size_t n, unsigned shift, uint32_t* digits) {
  constexpr uint32_t kMask = (1u << kDigitBits) - 1;
  for (size_t i = 0; i < n; ++i) digits[i] = static_cast<uint32_t>(weights[i] >> shift) & kMask;
}

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_WEIGHT_DIGITS_H_
