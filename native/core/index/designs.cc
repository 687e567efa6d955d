#include "core/index/designs.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/index/table.h"

namespace neardup {

namespace {

constexpr size_t kMaxTables = 32;
constexpr unsigned kMinKey = 8, kMaxKey = 32, kMaxFlips = 4;

// Cuts `range` into `parts` pieces of nearly equal width, from the top.
std::vector<BitRange> Cut(BitRange range, unsigned parts) {
  std::vector<BitRange> pieces;
  unsigned top = range.low + range.width;
  for (unsigned i = 0; i < parts; ++i) {
    const unsigned width = range.width / parts + (i < range.width % parts);
    top -= width;
    pieces.push_back({static_cast<uint8_t>(top), static_cast<uint8_t>(width)});
  }
  return pieces;
}

// Calls visit(chosen) for each choice of `count` of the pieces.
void Choose(const std::vector<BitRange>& pieces, size_t count, size_t from, std::vector<BitRange>* chosen,
            const std::function<void(const std::vector<BitRange>&)>& visit) {
  if (chosen->size() == count) return visit(*chosen);
  for (size_t i = from; i < pieces.size(); ++i) {
    chosen->push_back(pieces[i]);
    Choose(pieces, count, i + 1, chosen, visit);
    chosen->pop_back();
  }
}

// A block: looked up with `radius` flips, or (parts > radius) by the exact choices of parts - radius of its
// parts.
struct Block {
  unsigned radius;
  unsigned parts;  // 0: flips.
  double KeyShare() const { return parts == 0 ? 1 : static_cast<double>(parts - radius) / parts; }
};

double Binomial(unsigned n, unsigned k) {
  double result = 1;
  for (unsigned i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

// Widths: exact keys get the bits that number the lines, if there is room; what is left goes to flipped
// blocks, whose codes can use it.
bool Widths(const std::vector<Block>& blocks, double need, std::vector<unsigned>* widths) {
  double exact = 0, flips = 0;
  for (const Block& b : blocks) (b.radius == 0 || b.parts != 0 ? exact : flips) += 1 / b.KeyShare();
  const double equal = 64 / (exact + flips);
  const double key = flips == 0 ? equal
                                : std::clamp(std::max(need, (64 - flips * kMaxKey) / std::max(exact, 1.0)),
                                             std::min(8.0, equal), equal);
  const double flipped = flips == 0 ? 0 : (64 - exact * key) / flips;
  unsigned used = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const bool is_exact = blocks[i].radius == 0 || blocks[i].parts != 0;
    const double wanted = is_exact ? key / blocks[i].KeyShare() : flipped;
    unsigned width = static_cast<unsigned>(std::lround(wanted));
    if (i + 1 == blocks.size()) width = 64 - std::min(64u, used);
    used += width;
    if (used > 64 || width == 0) return false;
    widths->push_back(width);
  }
  return used == 64;
}

bool Make(const std::vector<Block>& blocks, double need, Design* design) {
  std::vector<unsigned> widths;
  if (!Widths(blocks, need, &widths)) return false;
  unsigned top = 64;
  for (size_t i = 0; i < blocks.size(); ++i) {
    top -= widths[i];
    const BitRange range = {static_cast<uint8_t>(top), static_cast<uint8_t>(widths[i])};
    if (blocks[i].parts == 0) {
      design->tables.push_back({{range}, blocks[i].radius});
    } else {
      std::vector<BitRange> chosen;
      Choose(Cut(range, blocks[i].parts), blocks[i].parts - blocks[i].radius, 0, &chosen,
             [&](const std::vector<BitRange>& key) {
               design->tables.push_back({key, 0});
             });
    }
  }
  for (DesignTable& table : design->tables) {
    // Fewer bits of a key have no more errors: a long key is cut to what a table can number. Without a whole
    // part it would be another table's key.
    unsigned bits = 0;
    for (BitRange& range : table.key) {
      const unsigned width = std::min<unsigned>(range.width, kMaxKey - bits);
      range.low = static_cast<uint8_t>(range.low + range.width - width);
      range.width = static_cast<uint8_t>(width);
      bits += width;
    }
    if (table.key.back().width == 0 || bits < kMinKey) return false;
  }
  return design->tables.size() <= kMaxTables;
}

std::string Describe(const Block& block) {
  if (block.parts != 0)
    return std::to_string(block.parts - block.radius) + " of " + std::to_string(block.parts) + " parts";
  if (block.radius == 0) return "exact";
  return std::to_string(block.radius) + (block.radius == 1 ? " flip" : " flips");
}

std::string CountTables(size_t tables) {
  return std::to_string(tables) + (tables == 1 ? " table: " : " tables: ");
}

std::string Name(const std::vector<Block>& blocks, size_t tables) {
  std::string name = CountTables(tables);
  for (size_t i = 0, end = 0; i < blocks.size(); i = end) {
    while (end < blocks.size() && Describe(blocks[end]) == Describe(blocks[i])) ++end;
    if (i > 0) name += " + ";
    if (end - i > 1) name += std::to_string(end - i) + " x ";
    name += Describe(blocks[i]);
  }
  return name;
}

Design TwoLevels(unsigned distance) {
  Design design;
  const unsigned parts = distance + 1;
  const std::vector<BitRange> blocks = Cut({0, 64}, parts);
  for (const BitRange& block : blocks) {
    // The other bits, in as many parts, each at most two ranges around the block.
    const unsigned rest = 64 - block.width;
    unsigned at = 0;
    for (unsigned part = 0; part < parts; ++part) {
      const unsigned width = rest / parts + (part < rest % parts), end = at + width;
      std::vector<BitRange> key = {block};
      const unsigned below = block.low;
      if (at < below)
        key.push_back({static_cast<uint8_t>(at), static_cast<uint8_t>(std::min(end, below) - at)});
      if (end > below) {
        const unsigned from = std::max(at, below) + block.width;
        key.push_back({static_cast<uint8_t>(from), static_cast<uint8_t>(end + block.width - from)});
      }
      design.tables.push_back({key, 0});
      at = end;
    }
  }
  design.name = CountTables(design.tables.size()) + "two levels";
  return design;
}

}  // namespace

std::vector<Design> ListDesigns(unsigned distance, double entries) {
  std::vector<Design> designs;
  const double need = std::log2(std::max(2.0, entries / 9));
  std::vector<Block> blocks;
  // Radii in ascending order, so that the primary table is one with the fewest probes.
  const std::function<void(unsigned, Block, double)> extend = [&](unsigned left, Block last, double tables) {
    double least = 0;  // Bits that keys of kMinKey bits take.
    for (const Block& block : blocks) least += kMinKey / block.KeyShare();
    if (tables > kMaxTables || least > 64 + 1e-9) return;
    if (left == 0) {
      Design design;
      if (Make(blocks, need, &design)) {
        design.name = Name(blocks, design.tables.size());
        designs.push_back(std::move(design));
      }
      return;
    }
    for (unsigned radius = last.radius; radius + 1 <= left; ++radius) {
      if (radius + 1 < left && left - (radius + 1) < radius + 1)
        continue;  // The next radius would be smaller.
      for (unsigned parts = radius == last.radius ? last.parts : 0; parts <= 12; ++parts) {
        if (parts != 0 && (radius == 0 || parts <= radius || Binomial(parts, radius) > kMaxTables)) continue;
        if (parts == 0 && radius > kMaxFlips) continue;
        blocks.push_back({radius, parts});
        extend(left - (radius + 1), {radius, parts}, tables + (parts == 0 ? 1 : Binomial(parts, radius)));
        blocks.pop_back();
      }
    }
  };
  extend(distance + 1, {0, 0}, 0);
  // For smaller distances the keys would be longer than a table can number, for larger ones the tables too
  // many.
  if (distance == 3 || distance == 4) designs.push_back(TwoLevels(distance));
  return designs;
}

std::vector<Design> PublishedDesigns() {
  std::vector<Design> designs;
  for (unsigned parts : {4u, 5u, 6u}) {
    Design design;
    const std::vector<Block> blocks = {{3, parts}};
    Make(blocks, 0, &design);
    design.name = Name(blocks, design.tables.size());
    designs.push_back(std::move(design));
  }
  designs.push_back(TwoLevels(3));
  return designs;
}

std::vector<TablePlan> Numberings(const DesignTable& table, bool primary, double load, double entries) {
  std::vector<std::vector<CodeKind>> sets = {{}};
  if (table.radius == 1) {
    const CodeKind h7 = CodeKind::kHamming7, h15 = CodeKind::kHamming15, h31 = CodeKind::kHamming31,
                   g23 = CodeKind::kGolay23;
    sets = {{},         {h7},  {h7, h7}, {h7, h7, h7}, {h15}, {h15, h7}, {h15, h7, h7},
            {h15, h15}, {h31}, {g23},    {g23, h7}};
  }
  const unsigned capacity = primary ? 11 : kSecondaryCapacity;
  const int need = static_cast<int>(std::ceil(std::log2(std::max(2.0, entries / (load * capacity)))));
  std::vector<TablePlan> plans;
  for (const auto& codes : sets) {
    TablePlan plan;
    plan.key = table.key;
    plan.radius = table.radius;
    plan.codes = codes;
    unsigned length = 0, information = 0;
    for (CodeKind kind : codes) {
      length += BlockCode::Get(kind).length();
      information += BlockCode::Get(kind).information();
    }
    if (length > plan.key_bits()) continue;
    const int least = std::max(1, static_cast<int>(information)),
              most = static_cast<int>(information + plan.key_bits() - length);
    // The primary table tells at most 2^8 buckets of a line apart.
    if (primary && least > need + 6) continue;
    for (int bits = std::max(least, std::min(need - 1, most)); bits <= std::min(most, need + 4); ++bits) {
      plan.bucket_bits = static_cast<unsigned>(bits);
      plans.push_back(plan);
    }
    if (plans.empty()) {
      plan.bucket_bits = static_cast<unsigned>(std::min(least, most));
      plans.push_back(plan);
    }
  }
  return plans;
}

}  // namespace neardup
