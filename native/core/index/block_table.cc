#include "core/index/block_table.h"

#include <algorithm>

namespace neardup {

BlockTable::BlockTable(const BlockPlan& plan, const uint64_t* fingerprints, size_t count)
    : radii_(plan.radii) {
  const unsigned width = static_cast<unsigned>(plan.bits.size());
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = plan.bits[i];
    mask_ |= uint64_t{1} << bit;
    for (unsigned value = 0; value < 256; value++) {
      if ((value >> (bit % 8)) & 1) gathered_[bit / 8][value] |= 1u << (width - 1 - i);
    }
  }
  ListFlips(width);
  // directory_[b + 1] runs from the start of bucket b to its end, which is where bucket b + 1 starts.
  directory_.resize((size_t{1} << width) + 2);
  for (size_t i = 0; i < count; i++) directory_[KeyOf(fingerprints[i]) + 2]++;
  for (size_t b = 2; b < directory_.size(); b++) directory_[b] += directory_[b - 1];
  fingerprints_.resize(count);
  rows_.resize(count);
  for (size_t i = 0; i < count; i++) {
    const uint32_t at = directory_[KeyOf(fingerprints[i]) + 1]++;
    fingerprints_[at] = fingerprints[i];
    rows_[at] = static_cast<uint32_t>(i);
  }
}

void BlockTable::ListFlips(unsigned bits) {
  flips_.push_back(0);
  size_t from = 0;
  const int radius = *std::max_element(radii_.begin(), radii_.end());
  for (int r = 0; r <= radius; r++) {
    const size_t end = flips_.size();
    flip_ends_[static_cast<size_t>(r)] = static_cast<uint32_t>(end);
    if (r == radius) break;
    // Each mask of r ones is extended above its highest one, so that no mask comes twice.
    for (; from < end; from++) {
      const uint32_t mask = flips_[from];
      for (unsigned bit = 0; bit < bits; bit++) {
        if (mask >> bit == 0) flips_.push_back(mask | 1u << bit);
      }
    }
  }
}

size_t BlockTable::bytes() const {
  return sizeof(*this) + 4 * (flips_.capacity() + directory_.capacity() + rows_.capacity()) +
         8 * fingerprints_.capacity();
}

}  // namespace neardup
