#include "core/index/secondary_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardup {

namespace {

// Whether some of a line's lanes may be equal: never false when they are, seldom true when not.
bool MayRepeat(const uint32_t* lanes, size_t count) {
  uint64_t seen[16] = {};
  uint64_t repeated = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t hash = lanes[i] * 0x9e3779b1u >> 22;
    const uint64_t bit = uint64_t{1} << (hash & 63);
    repeated |= seen[hash >> 6] & bit;
    seen[hash >> 6] |= bit;
  }
  return repeated != 0;
}

constexpr size_t kFewLanes = 64;

// Drops repeated lanes; returns how many are left.
size_t MakeSet(uint32_t* lanes, size_t count) {
  if (count <= kFewLanes && !MayRepeat(lanes, count)) return count;
  std::sort(lanes, lanes + count);
  return static_cast<size_t>(std::unique(lanes, lanes + count) - lanes);
}

}  // namespace

Status SecondaryBuilder::Start(const std::vector<uint64_t>& counts) {
  if (Status s = Buffer::AllocateArray(counts.size(), sizeof(Table::Superblock), &table_.directory_); !s.ok())
    return s;
  for (size_t s = 0; s < counts.size(); ++s) {
    bool thin;
    table_.directory_.as<Table::Superblock>()[s].lines = table_.LinesFor(counts[s], 0, &thin);
    table_.stats_.entries += counts[s];
  }
  overflow_.resize(counts.size());
  stats_.resize(counts.size());
  return table_.PlaceLines();
}

void SecondaryBuilder::Fill(size_t superblock, const Item* items, size_t count) {
  const auto [first_line, line_count] = table_.directory_.as<Table::Superblock>()[superblock];
  uint8_t* lines = table_.lines_.data() + (uint64_t{first_line} << 6);
  // Lanes go straight to their lines; what a line cannot take waits as [line | place in the order].
  std::vector<uint64_t> waiting;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = (items[i] >> 32) * line_count >> table_.superblock_shift_;
    uint8_t* line = lines + (number << 6);
    const auto lane = static_cast<uint32_t>(items[i]);
    if (line[63] < kSecondaryCapacity) {
      std::memcpy(line + 4 * line[63]++, &lane, 4);
    } else {
      waiting.push_back(number << 32 | i);
    }
  }
  std::sort(waiting.begin(), waiting.end());
  size_t next = 0;
  std::vector<uint32_t> all;
  for (uint64_t number = 0; number < line_count; ++number) {
    uint8_t* line = lines + (number << 6);
    uint32_t lanes[kSecondaryCapacity];
    std::memcpy(lanes, line, sizeof(lanes));
    if (next == waiting.size() || waiting[next] >> 32 != number) {
      const size_t used = line[63], distinct = MakeSet(lanes, used);
      if (distinct == used) continue;
      line[63] = static_cast<uint8_t>(distinct);
      std::memset(lanes + distinct, 0, 4 * (kSecondaryCapacity - distinct));
      std::memcpy(line, lanes, sizeof(lanes));
      continue;
    }
    all.assign(lanes, lanes + kSecondaryCapacity);
    for (; next < waiting.size() && waiting[next] >> 32 == number; ++next)
      all.push_back(static_cast<uint32_t>(items[waiting[next] & 0xffffffff]));
    FillLongLine(all.data(), all.size(), line, superblock);
  }
}

// A line of more lanes than it can take, unless some are equal.
void SecondaryBuilder::FillLongLine(uint32_t* lanes, size_t count, uint8_t* line, size_t superblock) {
  count = MakeSet(lanes, count);
  const size_t home = table_.FillHeader(line, count);
  std::memset(line, 0, 4 * kSecondaryCapacity);
  std::memcpy(line, lanes, 4 * home);
  if (home == count) return;
  const uint64_t rest = count - home, cap = table_.LengthCap();
  std::vector<uint32_t>& overflow = overflow_[superblock];
  const auto offset = static_cast<uint32_t>(overflow.size());
  std::memcpy(line + 4 * (kSecondaryCapacity - 1), &offset, 4);
  line[60] = static_cast<uint8_t>(std::min(rest, cap));
  if (rest >= cap) {
    overflow.push_back(static_cast<uint32_t>(rest));
    overflow.push_back(static_cast<uint32_t>(rest >> 32));
  }
  overflow.insert(overflow.end(), lanes + home, lanes + count);
  ++stats_[superblock].overflowing_lines;
  stats_[superblock].longest_run = std::max(stats_[superblock].longest_run, rest);
}

Status SecondaryBuilder::Finish(Table* table) {
  std::vector<uint64_t> items;
  for (const auto& overflow : overflow_) items.push_back(overflow.size());
  if (Status s = table_.PlaceOverflow(items); !s.ok()) return s;
  for (size_t s = 0; s < overflow_.size(); ++s) {
    std::copy(overflow_[s].begin(), overflow_[s].end(),
              table_.overflow_.as<uint32_t>() + table_.overflow_base_.as<uint64_t>()[s]);
    overflow_[s] = {};
    table_.stats_.overflowing_lines += stats_[s].overflowing_lines;
    table_.stats_.longest_run = std::max(table_.stats_.longest_run, stats_[s].longest_run);
  }
  *table = std::move(table_);
  return Status();
}

}  // namespace neardup
