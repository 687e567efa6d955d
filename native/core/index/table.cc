#include "core/index/table.h"

#include <algorithm>

namespace neardup {

namespace {

constexpr unsigned kLinesPerSuperblock = 10;  // Binary logarithm of the least mean.

}  // namespace

Table::Table(const TablePlan& plan, bool primary, uint64_t last, double load, uint64_t count)
    : map_(plan, last), primary_(primary), load_(load) {
  const unsigned bucket_bits = map_.bucket_bits();
  const double mean_lines =
      static_cast<double>(count) / (load * (primary ? 504 / (64 - bucket_bits) : kSecondaryCapacity));
  unsigned bits = 0;
  while (bits < std::min(bucket_bits, kMaxSuperblockBits) &&
         mean_lines > (2u << kLinesPerSuperblock) * static_cast<double>(1u << bits))
    ++bits;
  superblock_shift_ = bucket_bits - bits;
  superblocks_ = size_t{1} << bits;
  range_bits_ = 0;
  capacity_ = CapacityFor(0);
}

unsigned Table::CapacityFor(unsigned range_bits) const {
  if (!primary_) return kSecondaryCapacity;
  return std::min(15u, (512 - 8) / (64 - map_.bucket_bits() + range_bits));
}

// Lines for a superblock: enough for its entries at the planned load, and in the primary table enough that
// the buckets of a line differ in their low range_bits bits.
uint32_t Table::LinesFor(uint64_t entries, unsigned range_bits, bool* thin) const {
  *thin = false;
  if (entries == 0) return 0;
  const uint64_t width = uint64_t{1} << superblock_shift_;
  uint64_t lines =
      static_cast<uint64_t>(static_cast<double>(entries) / (load_ * CapacityFor(range_bits))) + 1;
  if (primary_) {
    const uint64_t least = width >> std::min(range_bits, superblock_shift_);
    *thin = least > kThin * lines;
    lines = std::max(lines, least);
  }
  return *thin ? 0 : static_cast<uint32_t>(std::min(lines, width));
}

Status Table::PlaceLines() {
  auto* directory = directory_.as<Superblock>();
  uint64_t lines = kFirstLine;
  for (size_t s = 0; s < superblocks_; ++s) {
    if (directory[s].lines == 0) continue;
    if (lines > UINT32_MAX - directory[s].lines)
      return Status(StatusCode::kOutOfRange, "a segment holds at most 2^32 lines");
    directory[s].first_line = static_cast<uint32_t>(lines);
    lines += directory[s].lines;
  }
  stats_.lines = lines;
  if (Status s = Buffer::AllocateArray(lines, 64, &lines_); !s.ok()) return s;
  lines_.data()[kThinLine * 64 + 63] = kLineContinues;
  return Status();
}

Status Table::PlaceOverflow(const std::vector<uint64_t>& items) {
  if (Status s = Buffer::AllocateArray(superblocks_ + 1, 8, &overflow_base_); !s.ok()) return s;
  auto* base = overflow_base_.as<uint64_t>();
  overflow_items_ = 0;
  for (size_t s = 0; s < superblocks_; ++s) {
    base[s] = overflow_items_;
    overflow_items_ += items[s];
  }
  base[superblocks_] = stats_.overflow_entries = overflow_items_;
  return Buffer::AllocateArray(overflow_items_ + 2, ItemSize(), &overflow_);
}

Table::Run Table::Continuation(const uint8_t* line, uint32_t bucket) const {
  const size_t superblock = bucket >> superblock_shift_;
  const uint64_t base = overflow_base_.as<uint64_t>()[superblock];
  const uint64_t items = overflow_base_.as<uint64_t>()[superblock + 1] - base;
  if (LineNumber(line) == kThinLine) {
    const uint64_t* words = overflow_.as<uint64_t>();
    const unsigned below = 64 - map_.bucket_bits();
    const uint64_t low = static_cast<uint64_t>(bucket) << below;
    const uint64_t* end = words + base + items;
    const uint64_t* from = std::lower_bound(words + base, end, low);
    const uint64_t* to = from;
    while (to < end && *to >> below == bucket) ++to;
    return {reinterpret_cast<const uint8_t*>(from), static_cast<uint64_t>(to - from)};
  }
  uint32_t offset;
  std::memcpy(&offset, line + 4 * (capacity_ - 1), 4);
  const uint64_t length = primary_ ? TailAt(line, capacity_ - 1) : line[60];
  const uint64_t at = std::min<uint64_t>(offset, items);
  return {overflow_.data() + (base + at) * ItemSize(),
          length == LengthCap() ? kCapped : std::min(length, items - at)};
}

uint64_t Table::bytes() const {
  return directory_.size() + lines_.size() + overflow_.size() + overflow_base_.size() + ranks_.size();
}

}  // namespace neardup
