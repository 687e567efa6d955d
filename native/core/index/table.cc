#include "core/index/table.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace neardup {

namespace {

constexpr unsigned kLinesPerSuperblock = 10;  // Binary logarithm of the least mean.
constexpr unsigned kMaxSuperblockBits = 11;   // The directory stays in the first two caches.
constexpr unsigned kMaxRangeBits = 8;
constexpr uint64_t kThinCost = 32;  // Bytes of lines that we would rather spend than search for an entry.

}  // namespace

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

// The number of bucket bits kept in a tail: more of them cost capacity, fewer cost lines where entries are
// thin.
void Table::ChooseRange(const std::vector<uint64_t>& starts) {
  uint64_t best = ~uint64_t{0};
  const unsigned most = std::min({kMaxRangeBits, superblock_shift_, map_.bucket_bits()});
  for (unsigned bits = 0; bits <= most; ++bits) {
    uint64_t cost = 0;
    for (size_t s = 0; s < superblocks_; ++s) {
      bool thin;
      const uint64_t entries = starts[s + 1] - starts[s];
      cost += 64 * uint64_t{LinesFor(entries, bits, &thin)};
      if (thin) cost += kThinCost * entries;
    }
    if (cost < best) {
      best = cost;
      range_bits_ = bits;
    }
  }
  capacity_ = CapacityFor(range_bits_);
  tail_bits_ = 64 - map_.bucket_bits() + range_bits_ - 32;
}

// Calls visit(line number within the superblock, first word, words) for the lines that have entries.
template <typename Visit>
void Table::ForEachLine(const uint64_t* words, uint64_t from, uint64_t to, uint32_t lines, size_t superblock,
                        Visit&& visit) const {
  const uint64_t base = BucketAt(superblock);
  const auto line_of = [&](uint64_t word) {
    return (map_.BucketOf(word) - base) * lines >> superblock_shift_;
  };
  while (from < to) {
    const uint64_t line = line_of(words[from]);
    uint64_t end = from + 1;
    while (end < to && line_of(words[end]) == line) ++end;
    visit(line, from, end - from);
    from = end;
  }
}

void Table::FillLine(const uint64_t* words, size_t count, uint8_t* line, uint64_t overflow_base,
                     uint64_t* overflow_at) {
  const bool continues = count > capacity_;
  const size_t home = continues ? capacity_ - 1 : count;
  line[63] = static_cast<uint8_t>(home | (continues ? kLineContinues : 0));
  const uint64_t start = *overflow_at - overflow_base;
  const uint64_t rest = count - home;
  const uint64_t length = std::min<uint64_t>(rest, LengthCap());
  for (size_t i = 0; i < home; ++i) {
    const uint32_t lane = static_cast<uint32_t>(words[i]);
    std::memcpy(line + 4 * i, &lane, 4);
  }
  if (primary_) {
    uint64_t packed[9] = {};
    {
      PackedWriter tails(reinterpret_cast<uint8_t*>(packed), 0, tail_bits_);
      for (size_t i = 0; i < home; ++i) tails.Push(words[i] >> 32 & ((uint64_t{1} << tail_bits_) - 1));
      if (continues) tails.Push(length);
    }
    std::memcpy(line + 4 * capacity_, packed, (capacity_ * tail_bits_ + 7) / 8);
  } else if (continues) {
    line[60] = static_cast<uint8_t>(length);
  }
  if (!continues) return;
  const uint32_t offset = static_cast<uint32_t>(start);
  std::memcpy(line + 4 * (capacity_ - 1), &offset, 4);
  uint8_t* run = overflow_.data() + *overflow_at * ItemSize();
  if (length == LengthCap()) {
    std::memcpy(run, &rest, 8);
    *overflow_at += LengthItems();
    run += 8;
  }
  for (size_t i = home; i < count; ++i) std::memcpy(run + (i - home) * ItemSize(), &words[i], ItemSize());
  *overflow_at += rest;
}

Status Table::Build(const TablePlan& plan, bool primary, uint64_t last, double load, const uint64_t* words,
                    size_t count, unsigned threads, Table* out) {
  Table table;
  table.map_ = WordMap(plan, last);
  table.primary_ = primary;
  table.load_ = load;
  const unsigned bucket_bits = table.map_.bucket_bits();
  const double mean_lines =
      static_cast<double>(count) / (load * (primary ? 504 / (64 - bucket_bits) : kSecondaryCapacity));
  unsigned superblock_bits = 0;
  while (superblock_bits < std::min(bucket_bits, kMaxSuperblockBits) &&
         mean_lines > (2u << kLinesPerSuperblock) * static_cast<double>(1u << superblock_bits))
    ++superblock_bits;
  table.superblock_shift_ = bucket_bits - superblock_bits;
  table.superblocks_ = size_t{1} << superblock_bits;

  std::vector<uint64_t> starts(table.superblocks_ + 1);
  for (size_t s = 0; s < table.superblocks_; ++s) {
    const uint64_t low = table.BucketAt(s) << (64 - bucket_bits);
    starts[s] = static_cast<uint64_t>(std::lower_bound(words, words + count, low) - words);
  }
  starts[table.superblocks_] = count;
  table.range_bits_ = 0;
  table.capacity_ = table.CapacityFor(0);
  if (primary) table.ChooseRange(starts);

  if (Status s = Buffer::AllocateArray(table.superblocks_, sizeof(Superblock), &table.directory_); !s.ok())
    return s;
  if (Status s = Buffer::AllocateArray(table.superblocks_ + 1, 8, &table.overflow_base_); !s.ok()) return s;
  auto* directory = table.directory_.as<Superblock>();
  auto* overflow_base = table.overflow_base_.as<uint64_t>();
  std::vector<uint64_t> home(table.superblocks_ + 1);
  std::vector<TableStats> stats(table.superblocks_);

  // First the sizes of everything, then the filling, each superblock on its own.
  ParallelFor(threads, table.superblocks_, [&](size_t s) {
    bool thin;
    directory[s].lines = table.LinesFor(starts[s + 1] - starts[s], table.range_bits_, &thin);
    uint64_t overflow = thin ? starts[s + 1] - starts[s] : 0;
    stats[s].longest_run = overflow;
    if (thin) directory[s].first_line = kThinLine;
    if (directory[s].lines != 0) {
      table.ForEachLine(words, starts[s], starts[s + 1], directory[s].lines, s,
                        [&](uint64_t, uint64_t, uint64_t n) {
                          if (n <= table.capacity_) {
                            home[s] += n;
                            return;
                          }
                          const uint64_t rest = n - (table.capacity_ - 1);
                          home[s] += table.capacity_ - 1;
                          overflow += rest + (rest >= table.LengthCap() ? table.LengthItems() : 0);
                          ++stats[s].overflowing_lines;
                          stats[s].longest_run = std::max(stats[s].longest_run, rest);
                        });
    }
    overflow_base[s] = overflow;
  });
  uint64_t lines = kFirstLine, overflow = 0, rows = 0;
  for (size_t s = 0; s < table.superblocks_; ++s) {
    if (directory[s].lines != 0) {
      if (lines > UINT32_MAX - directory[s].lines)
        return Status(StatusCode::kOutOfRange, "a segment holds at most 2^32 lines");
      directory[s].first_line = static_cast<uint32_t>(lines);
    }
    lines += directory[s].lines;
    table.stats_.overflowing_lines += stats[s].overflowing_lines;
    table.stats_.longest_run = std::max(table.stats_.longest_run, stats[s].longest_run);
    const uint64_t here = overflow_base[s];
    overflow_base[s] = overflow;
    overflow += here;
    const uint64_t rows_here = home[s];
    home[s] = rows;
    rows += rows_here;
  }
  overflow_base[table.superblocks_] = overflow;
  table.line_count_ = table.stats_.lines = lines;
  table.home_rows_ = rows;
  table.overflow_items_ = table.stats_.overflow_entries = overflow;
  table.stats_.entries = count;

  if (Status s = Buffer::AllocateArray(lines, 64, &table.lines_); !s.ok()) return s;
  if (Status s = Buffer::AllocateArray(overflow + 2, table.ItemSize(), &table.overflow_); !s.ok()) return s;
  if (primary) {
    if (Status s = Buffer::AllocateArray(lines / kRankLines + 1, kRankBytes, &table.ranks_); !s.ok())
      return s;
  }
  table.lines_.data()[kThinLine * 64 + 63] = kLineContinues;

  ParallelFor(threads, table.superblocks_, [&](size_t s) {
    uint64_t at = overflow_base[s];
    if (directory[s].lines == 0) {
      for (uint64_t i = starts[s]; i < starts[s + 1]; ++i)
        std::memcpy(table.overflow_.data() + at++ * table.ItemSize(), &words[i], table.ItemSize());
      return;
    }
    uint64_t set[64];
    std::vector<uint64_t> large;
    table.ForEachLine(
        words, starts[s], starts[s + 1], directory[s].lines, s, [&](uint64_t l, uint64_t from, uint64_t n) {
          const uint64_t* line_words = words + from;
          if (!primary) {
            // A line is a set of lanes.
            uint64_t* lanes = set;
            if (n > 64) {
              large.resize(n);
              lanes = large.data();
            }
            for (uint64_t i = 0; i < n; ++i) lanes[i] = static_cast<uint32_t>(words[from + i]);
            std::sort(lanes, lanes + n);
            n = static_cast<uint64_t>(std::unique(lanes, lanes + n) - lanes);
            line_words = lanes;
          }
          table.FillLine(line_words, n, table.lines_.data() + ((directory[s].first_line + l) << 6),
                         overflow_base[s], &at);
        });
  });

  if (primary) {
    uint64_t row = 0, base = 0;
    for (uint64_t l = 0; l < lines; ++l) {
      uint8_t* rank = table.ranks_.data() + l / kRankLines * kRankBytes;
      if (l % kRankLines == 0) {
        base = row;
        std::memcpy(rank, &base, 8);
      }
      rank[8 + l % kRankLines] = static_cast<uint8_t>(row - base);
      row += table.lines_.data()[l * 64 + 63] & 15;
    }
  }
  *out = std::move(table);
  return Status();
}

Table::Run Table::Continuation(const uint8_t* line, uint32_t bucket) const {
  const size_t superblock = bucket >> superblock_shift_;
  const uint64_t base = overflow_base_.as<uint64_t>()[superblock];
  if (LineNumber(line) == kThinLine) {
    const uint64_t* words = overflow_.as<uint64_t>();
    const unsigned below = 64 - map_.bucket_bits();
    const uint64_t low = static_cast<uint64_t>(bucket) << below;
    const uint64_t* end = words + overflow_base_.as<uint64_t>()[superblock + 1];
    const uint64_t* from = std::lower_bound(words + base, end, low);
    const uint64_t* to = from;
    while (to < end && *to >> below == bucket) ++to;
    return {reinterpret_cast<const uint8_t*>(from), static_cast<uint64_t>(to - from)};
  }
  uint32_t offset;
  std::memcpy(&offset, line + 4 * (capacity_ - 1), 4);
  const uint64_t length = primary_ ? TailAt(line, capacity_ - 1) : line[60];
  return {overflow_.data() + (base + offset) * ItemSize(), length == LengthCap() ? kCapped : length};
}

uint64_t Table::bytes() const {
  return directory_.size() + lines_.size() + overflow_.size() + overflow_base_.size() + ranks_.size();
}

}  // namespace neardup
