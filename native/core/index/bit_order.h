// A fixed order of a fingerprint's 64 bits: skewed data is indexed with the bits that tell most in front.
// Keeps distances. Immutable, thread-safe; eight table look-ups each way.
#ifndef NEARDUP_CORE_INDEX_BIT_ORDER_H_
#define NEARDUP_CORE_INDEX_BIT_ORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace neardup {

// order[i] is the fingerprint's bit that becomes bit 63 - i.
using BitList = std::array<uint8_t, 64>;

class BitOrder {
 public:
  // Leaves every bit where it is.
  BitOrder() = default;
  explicit BitOrder(const BitList& order);

  bool is_identity() const { return tables_.empty(); }
  uint64_t Arrange(uint64_t fingerprint) const { return Apply(0, fingerprint); }
  uint64_t Restore(uint64_t arranged) const { return Apply(8, arranged); }

 private:
  uint64_t Apply(size_t first, uint64_t x) const {
    if (is_identity()) return x;
    uint64_t result = 0;
    for (size_t byte = 0; byte < 8; ++byte) result |= tables_[first + byte][x >> (8 * byte) & 255];
    return result;
  }

  // What each value of each byte becomes: eight tables for Arrange, eight for Restore. Empty: the identity.
  std::vector<std::array<uint64_t, 256>> tables_;
};

// How telling each bit is, in a sample of the fingerprints: bits of collision entropy, 0 (constant) to 1.
std::array<double, 64> BitEntropies(const uint64_t* fingerprints, size_t count);

// An order for a plan whose key blocks have these widths, from the top: telling bits are dealt to the blocks
// so that each gets its share, and stand first in them. False, with the order as it is, where all bits tell
// nearly as much.
bool ArrangeByEntropy(const std::array<double, 64>& entropies, const std::vector<unsigned>& widths,
                      BitList* order);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_BIT_ORDER_H_
