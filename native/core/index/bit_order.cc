#include "core/index/bit_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace neardup {

namespace {

constexpr size_t kSample = 8192;
constexpr double kEven = 0.9;  // Bits of this entropy and more are as good as even.

}  // namespace

BitOrder::BitOrder(const BitList& order) : tables_(16) {
  for (size_t i = 0; i < 64; ++i) {
    const size_t from = order[i], to = 63 - i;
    for (size_t value = 0; value < 256; ++value) {
      tables_[from / 8][value] |= (value >> (from % 8) & 1) << to;
      tables_[8 + to / 8][value] |= (value >> (to % 8) & 1) << from;
    }
  }
}

std::array<double, 64> BitEntropies(const uint64_t* fingerprints, size_t count) {
  const size_t sample = std::min(count, kSample);
  std::array<size_t, 64> ones{};
  for (size_t i = 0; i < sample; ++i) {
    const uint64_t fingerprint = fingerprints[i * (count / sample)];
    for (size_t bit = 0; bit < 64; ++bit) ones[bit] += fingerprint >> bit & 1;
  }
  std::array<double, 64> entropies{};
  for (size_t bit = 0; bit < 64 && sample > 0; ++bit) {
    const double p = static_cast<double>(ones[bit]) / static_cast<double>(sample);
    entropies[bit] = -std::log2(p * p + (1 - p) * (1 - p));
  }
  return entropies;
}

bool ArrangeByEntropy(const std::array<double, 64>& entropies, const std::vector<unsigned>& widths,
                      BitList* order) {
  if (*std::min_element(entropies.begin(), entropies.end()) >= kEven) return false;
  std::array<uint8_t, 64> bits{};
  std::iota(bits.begin(), bits.end(), uint8_t{0});
  std::stable_sort(bits.begin(), bits.end(),
                   [&](uint8_t a, uint8_t b) { return entropies[a] > entropies[b]; });
  // The next bit goes to the block that has the least entropy for its width.
  std::vector<std::vector<uint8_t>> blocks(widths.size());
  std::vector<double> sums(widths.size());
  for (const uint8_t bit : bits) {
    size_t best = widths.size();
    for (size_t b = 0; b < widths.size(); ++b) {
      if (blocks[b].size() == widths[b]) continue;
      if (best == widths.size() || sums[b] * widths[best] < sums[best] * widths[b]) best = b;
    }
    blocks[best].push_back(bit);
    sums[best] += entropies[bit];
  }
  size_t at = 0;
  for (const auto& block : blocks) {
    for (const uint8_t bit : block) (*order)[at++] = bit;
  }
  return true;
}

}  // namespace neardup
