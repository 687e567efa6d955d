#include "kernels/weight_digits.h"

#include "kernels/target.h"

namespace neardup::kernels {

void SumByDigits(SumDigits sum_digits, const uint64_t* hashes, const uint64_t* weights, size_t n,
                 uint64_t sums[64]) {
  constexpr uint32_t kMask = (1u << kDigitBits) - 1;
  uint32_t digits[kDigitBlock + kDigitPadding];
  while (n > 0) {
    const size_t block = n < kDigitBlock ? n : kDigitBlock;
    uint64_t bits = 0;  // that any weight has
    for (size_t j = 0; j < block; ++j) bits |= weights[j];
    unsigned shift = 0;
    while (bits != 0 && ((bits >> shift) & 0xff) == 0) shift += 8;
    for (; shift < 64 && (bits >> shift) != 0; shift += kDigitBits) {
      for (size_t j = 0; j < block; ++j) digits[j] = static_cast<uint32_t>(weights[j] >> shift) & kMask;
      for (size_t j = 0; j < kDigitPadding; ++j) digits[block + j] = 0;
      sum_digits(hashes, digits, block, shift, sums);
    }
    hashes += block;
    weights += block;
    n -= block;
  }
}

}  // namespace neardup::kernels
