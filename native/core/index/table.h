// One permuted table of a segment: sorted words in cache lines, found without a directory of buckets.
//
// The bucket numbers are cut into superblocks of equal width; each has as many lines as its entries need, so
// that dense and empty regions are both served, and within it a bucket's line is found by proportion. A line
// therefore holds a short range of buckets, and a probe reads one line. What a full line cannot take goes on
// in an overflow run, sorted, however long.
//
// Line of the primary table (64 bytes): `capacity` lanes of 32 bits, then for each the tail: the other bits
// of the word down from the lowest `range_bits` bits of the bucket number; last, the header byte. Line of a
// secondary table: 15 lanes, three bytes unused, the header byte. An entry of a secondary table is its lane
// alone: the lane tells the primary key, and the primary table has the rest. Header: kLineContinues | lanes
// in use. In a line that continues, the last lane is the start of the overflow run in the superblock's, and
// its length, capped, is the last tail (primary) or byte 60 (secondary); a capped length is stored in full at
// the head of the run.
//
// All sections are flat, position-independent and immutable once built (primary_builder.h,
// secondary_builder.h) or mapped from a file (core/storage/segment_opener.h); reading is thread-safe.
// Directory and overflow base of a mapped table have been checked; whatever the other sections hold, nothing
// outside of them is read.
#ifndef NEARDUP_CORE_INDEX_TABLE_H_
#define NEARDUP_CORE_INDEX_TABLE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/memory.h"
#include "core/base/packed_array.h"
#include "core/base/status.h"
#include "core/index/word_map.h"
#include "kernels/lanes.h"

namespace neardup {

using kernels::kLineContinues;

// Lanes of a secondary line.
constexpr unsigned kSecondaryCapacity = 15;

// How full the tables are and where: for planning and for reports.
struct TableStats {
  uint64_t lines = 0;
  uint64_t entries = 0;
  uint64_t overflowing_lines = 0;
  uint64_t overflow_entries = 0;
  uint64_t longest_run = 0;
};

class Table {
 public:
  // An empty one, to be built. `last`: as for WordMap. `count`: entries, about.
  Table(const TablePlan& plan, bool primary, uint64_t last, double load, uint64_t count);
  Table() = default;

  const WordMap& map() const { return map_; }
  unsigned capacity() const { return capacity_; }
  uint64_t bytes() const;
  const TableStats& stats() const { return stats_; }

  const uint8_t* LineOf(uint32_t bucket) const {
    const Superblock& s = directory_.as<Superblock>()[bucket >> superblock_shift_];
    const uint64_t within = bucket & ((1u << superblock_shift_) - 1);
    return lines_.data() + ((s.first_line + (within * s.lines >> superblock_shift_)) << 6);
  }

  // An overflow run; its words (primary) or lanes (secondary) are 8 or 4 bytes each.
  struct Run {
    const uint8_t* data;
    uint64_t count;  // kCapped: stored at data, before the items.
  };
  static constexpr uint64_t kCapped = ~uint64_t{0};
  // The run of a line that continues, for a bucket of that line. Reads the line and a small array only, but
  // for superblocks too thin for lines of their own, where the run is searched.
  Run Continuation(const uint8_t* line, uint32_t bucket) const;
  // Reads the length of a capped run, which is no more than there are items from there on, whatever is
  // stored.
  void Resolve(Run* run) const {
    if (run->count != kCapped) return;
    std::memcpy(&run->count, run->data, 8);  // There is room for two items more than there are.
    run->data += 8;
    const auto before = static_cast<uint64_t>(run->data - overflow_.data()) / ItemSize();
    run->count = before < overflow_items_ ? std::min(run->count, overflow_items_ - before) : 0;
  }

  // Primary only. The word in a slot of a line, if it belongs to this bucket.
  bool WordAt(const uint8_t* line, unsigned slot, uint32_t bucket, uint64_t* word) const {
    uint32_t lane;
    std::memcpy(&lane, line + 4 * slot, 4);
    const uint64_t low = TailAt(line, slot) << 32 | lane;
    const unsigned below = 64 - map_.bucket_bits();
    if ((((low >> below) ^ bucket) & ((1u << range_bits_) - 1)) != 0) return false;
    *word = static_cast<uint64_t>(bucket) << below | (low & ((uint64_t{1} << below) - 1));
    return true;
  }
  // Row numbers: entries in lines by line and slot, then the overflow.
  const uint8_t* RankOf(const uint8_t* line) const {
    return ranks_.data() + LineNumber(line) / kRankLines * kRankBytes;
  }
  uint64_t RowAt(const uint8_t* line, unsigned slot) const {
    const uint8_t* rank = RankOf(line);
    uint64_t base;
    std::memcpy(&base, rank, 8);
    return base + rank[8 + LineNumber(line) % kRankLines] + slot;
  }
  uint64_t RowOfOverflow(const uint64_t* word) const {
    return home_rows_ + static_cast<uint64_t>(word - overflow_.as<uint64_t>());
  }
  // Rows below this are in lines.
  uint64_t home_row_count() const { return home_rows_; }
  // The first row of a superblock's lines, and of its overflow; both follow the order of words.
  uint64_t FirstRow(size_t superblock) const {
    const uint32_t line = directory_.as<Superblock>()[superblock].first_line;
    return line < kFirstLine ? 0 : RowAt(lines_.data() + (static_cast<uint64_t>(line) << 6), 0);
  }
  uint64_t FirstOverflowRow(size_t superblock) const {
    return home_rows_ + overflow_base_.as<uint64_t>()[superblock];
  }
  // One more than the greatest row. Rows that hold the length of a run have no entry.
  uint64_t row_count() const { return home_rows_ + overflow_items_; }

  // Calls body(word, row) for each entry, in the order of words within each superblock first..last-1.
  template <typename Body>
  void ForEach(size_t first_superblock, size_t last_superblock, Body&& body) const;
  size_t superblocks() const { return superblocks_; }
  size_t SuperblockOf(uint64_t word) const { return map_.BucketOf(word) >> superblock_shift_; }
  // The least word of a superblock; of the one after the last, 2^64.
  uint64_t FirstWord(size_t superblock) const { return BucketAt(superblock) << (64 - map_.bucket_bits()); }

  // Directory, lines, overflow, start of each superblock's overflow, ranks.
  std::array<const Buffer*, 5> sections() const {
    return {&directory_, &lines_, &overflow_, &overflow_base_, &ranks_};
  }

 private:
  friend class PrimaryBuilder;
  friend class SecondaryBuilder;
  friend class SegmentImage;
  friend class SegmentOpener;
  friend class TableCheck;
  struct Superblock {
    uint32_t first_line;
    uint32_t lines;
  };
  static constexpr unsigned kRankLines = 16, kRankBytes = 24;
  static constexpr uint32_t kEmptyLine = 0, kThinLine = 1, kFirstLine = 2;
  static constexpr unsigned kThin = 4;  // A superblock that would need this many times the lines gets none.

  // Reads within the line: the next one may not be in the cache.
  uint64_t TailAt(const uint8_t* line, unsigned slot) const {
    const unsigned bit = 32 * capacity_ + slot * tail_bits_;
    const unsigned byte = bit / 8 < 56 ? bit / 8 : 56;
    uint64_t word;
    std::memcpy(&word, line + byte, 8);
    // Slots beyond the capacity, which a damaged header can name, have a tail of no meaning.
    return word >> ((bit - 8 * byte) & 63) & ((uint64_t{1} << tail_bits_) - 1);
  }
  size_t LineNumber(const uint8_t* line) const { return static_cast<size_t>(line - lines_.data()) >> 6; }
  static constexpr unsigned kMaxSuperblockBits = 11;  // The directory stays in the first two caches.
  static constexpr unsigned kMaxRangeBits = 8;
  size_t ItemSize() const { return primary_ ? 8 : 4; }
  uint64_t LengthCap() const { return primary_ ? (uint64_t{1} << tail_bits_) - 1 : 255; }
  // Items that the length of a capped run takes in the overflow.
  uint64_t LengthItems() const { return primary_ ? 1 : 2; }
  uint64_t BucketAt(size_t superblock) const {
    return static_cast<uint64_t>(superblock) << superblock_shift_;
  }

  unsigned CapacityFor(unsigned range_bits) const;
  uint32_t LinesFor(uint64_t entries, unsigned range_bits, bool* thin) const;
  // Writes the head of a line: lanes in use, and where it continues. Returns the lanes that stay.
  size_t FillHeader(uint8_t* line, size_t count) const {
    const bool continues = count > capacity_;
    const size_t home = continues ? capacity_ - 1 : count;
    line[63] = static_cast<uint8_t>(home | (continues ? kLineContinues : 0));
    return home;
  }
  // Allocates the lines, once the directory says how many each superblock has, and says where they are.
  Status PlaceLines();
  // Allocates the overflow, from the items of each superblock.
  Status PlaceOverflow(const std::vector<uint64_t>& items);

  WordMap map_;
  bool primary_ = false;
  double load_ = 1;
  unsigned capacity_ = 1, tail_bits_ = 0, range_bits_ = 1, superblock_shift_ = 0;
  size_t superblocks_ = 0;
  uint64_t home_rows_ = 0, overflow_items_ = 0;
  Buffer directory_;  // Superblock each.
  Buffer lines_;  // 64 bytes each: an empty one, the one that stands for thin superblocks, then the others.
  Buffer overflow_;       // Words or lanes.
  Buffer overflow_base_;  // uint64: the first overflow item of each superblock, and the end.
  Buffer ranks_;          // Primary: row of the first entry of 16 lines, then each line's distance from it.
  TableStats stats_;
};

template <typename Body>
void Table::ForEach(size_t first_superblock, size_t last_superblock, Body&& body) const {
  const unsigned below = 64 - map_.bucket_bits();
  const uint64_t* overflow = overflow_.as<uint64_t>();
  const uint64_t word_mask = (uint64_t{1} << below) - 1;
  const uint64_t range_mask = (uint64_t{1} << range_bits_) - 1;
  for (size_t s = first_superblock; s < last_superblock; ++s) {
    const Superblock& block = directory_.as<Superblock>()[s];
    if (block.first_line == kThinLine) {
      for (uint64_t i = overflow_base_.as<uint64_t>()[s]; i < overflow_base_.as<uint64_t>()[s + 1]; ++i) {
        body(overflow[i], home_rows_ + i);
      }
      continue;
    }
    if (block.first_line == kEmptyLine) continue;
    const uint8_t* line = lines_.data() + (static_cast<uint64_t>(block.first_line) << 6);
    uint64_t row = RowAt(line, 0);
    for (uint32_t l = 0; l < block.lines; ++l, line += 64) {
      const unsigned used = line[63] & 15;
      if (used == 0) continue;
      // The first bucket of the line; the others are told apart by their low bits.
      const uint64_t first =
          BucketAt(s) + ((static_cast<uint64_t>(l) << superblock_shift_) + block.lines - 1) / block.lines;
      for (unsigned slot = 0; slot < used; ++slot) {
        uint32_t lane;
        std::memcpy(&lane, line + 4 * slot, 4);
        const uint64_t low = TailAt(line, slot) << 32 | lane;
        const uint64_t bucket = first + (((low >> below) - first) & range_mask);
        body(bucket << below | (low & word_mask), row++);
      }
      if ((line[63] & kLineContinues) == 0) continue;
      Run run = Continuation(line, static_cast<uint32_t>(first));
      Resolve(&run);
      const uint64_t* words = reinterpret_cast<const uint64_t*>(run.data);
      for (uint64_t i = 0; i < run.count; ++i) body(words[i], RowOfOverflow(words + i));
    }
  }
}

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_TABLE_H_
