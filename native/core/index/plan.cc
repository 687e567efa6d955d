#include "core/index/plan.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace neardup {

namespace {

uint64_t MaskOf(BitRange range) {
  return (range.width >= 64 ? ~uint64_t{0} : (uint64_t{1} << range.width) - 1) << range.low;
}

constexpr unsigned kMaxSteps = 1u << 20;  // Of a search for an error pattern that escapes.

// Bits that lie in the same keys: alike for what a plan catches.
struct Cell {
  uint64_t tables;
  unsigned width;
  unsigned errors;
};

// Whether `left` more errors can be placed so that every table has more than its radius in its key. Each step
// takes a table that still catches the pattern and tries an error in each cell of its key. True when all of
// *steps are used up.
bool Escapes(const Plan& plan, unsigned left, std::vector<Cell>* cells, unsigned* steps) {
  if (*steps == 0) return true;
  --*steps;
  for (size_t t = 0; t < plan.tables.size(); ++t) {
    unsigned in_key = 0;
    for (const Cell& cell : *cells) in_key += (cell.tables >> t & 1) != 0 ? cell.errors : 0;
    if (in_key > plan.tables[t].radius) continue;
    if (left == 0) return false;
    for (Cell& cell : *cells) {
      if ((cell.tables >> t & 1) == 0 || cell.errors == cell.width) continue;
      ++cell.errors;
      const bool escapes = Escapes(plan, left - 1, cells, steps);
      --cell.errors;
      if (escapes) return true;
    }
    return false;
  }
  return true;
}

}  // namespace

unsigned TablePlan::key_bits() const {
  unsigned bits = 0;
  for (BitRange range : key) bits += range.width;
  return bits;
}

uint64_t TablePlan::key_mask() const {
  uint64_t mask = 0;
  for (BitRange range : key) mask |= MaskOf(range);
  return mask;
}

double TablePlan::mean_probes() const {
  double probes = 0, choices = 1;
  unsigned plain = bucket_bits;
  for (CodeKind kind : codes) {
    probes += BlockCode::Get(kind).mean_neighbours();
    plain -= BlockCode::Get(kind).information();
  }
  for (unsigned flips = 0; flips <= radius && flips <= plain; ++flips) {
    probes += choices;
    choices = choices * (plain - flips) / (flips + 1);
  }
  return probes;
}

unsigned TablePlan::max_probes() const {
  double probes = mean_probes();
  for (CodeKind kind : codes)
    probes += BlockCode::Get(kind).length() - BlockCode::Get(kind).mean_neighbours();
  return static_cast<unsigned>(probes + 0.5);
}

bool IsValid(const Plan& plan, unsigned distance) {
  if (plan.tables.empty() || plan.tables.size() > 64) return false;
  std::map<uint64_t, unsigned> widths;
  for (unsigned bit = 0; bit < 64; ++bit) {
    uint64_t tables = 0;
    for (size_t t = 0; t < plan.tables.size(); ++t) tables |= (plan.tables[t].key_mask() >> bit & 1) << t;
    ++widths[tables];
  }
  std::vector<Cell> cells;
  for (const auto& [tables, width] : widths) cells.push_back({tables, width, 0});
  unsigned steps = kMaxSteps;
  return !Escapes(plan, std::min(distance, 64u), &cells, &steps);
}

void FitToData(const uint64_t* fingerprints, size_t count, Plan* plan, uint64_t entries) {
  // The blocks between the edges of all keys, from the top.
  uint64_t edges = 1;  // Bit i: a block starts there and ends below it.
  for (const TablePlan& table : plan->tables) {
    for (BitRange range : table.key) {
      edges |= uint64_t{1} << range.low;
      if (range.low + range.width < 64) edges |= uint64_t{1} << (range.low + range.width);
    }
  }
  std::vector<unsigned> widths;
  unsigned end = 64;
  for (unsigned bit = 64; bit-- > 0;) {
    if ((edges >> bit & 1) == 0) continue;
    widths.push_back(end - bit);
    end = bit;
  }
  plan->order = {};
  if (!ArrangeByEntropy(BitEntropies(fingerprints, count), widths, &plan->order)) return;
  // A code spends telling bits on syndromes; on skewed data plain flips of the most telling bits read less.
  const double lines = static_cast<double>(entries == 0 ? count : entries) / (plan->load * 11) + 1;
  for (TablePlan& table : plan->tables) {
    table.codes.clear();
    const auto needed = static_cast<unsigned>(std::ceil(std::log2(lines))) + 2;
    table.bucket_bits = std::min(table.key_bits(), std::max(table.bucket_bits, needed));
  }
}

bool IsBuildable(const Plan& plan, std::string* why) {
  const auto no = [&](const char* text) { return *why = text, false; };
  if (plan.tables.empty() || plan.tables.size() > 32) return no("a plan has 1 to 32 tables");
  if (!(plan.load > 0 && plan.load <= 1)) return no("the load must be over 0 and at most 1");
  uint64_t ordered = 0;
  for (uint8_t bit : plan.order) ordered |= uint64_t{1} << (bit & 63);
  if (plan.order != BitList{} && ordered != ~uint64_t{0})
    return no("the order of the bits is no permutation");
  const uint64_t primary = plan.tables[0].key_mask();
  for (const TablePlan& table : plan.tables) {
    uint64_t mask = 0;
    for (BitRange range : table.key) {
      if (range.width == 0 || range.low + range.width > 64) return no("a key range leaves the fingerprint");
      if ((mask & MaskOf(range)) != 0) return no("the ranges of a key overlap");
      mask |= MaskOf(range);
    }
    const unsigned bits = table.key_bits();
    if (bits == 0 || bits > 32) return no("a key has 1 to 32 bits");
    unsigned length = 0, information = 0;
    for (CodeKind kind : table.codes) {
      length += BlockCode::Get(kind).length();
      information += BlockCode::Get(kind).information();
    }
    if (length > bits) return no("the codes need more bits than the key has");
    if (!table.codes.empty() && table.radius != 1) return no("codes serve radius 1");
    if (table.bucket_bits < std::max(1u, information) || table.bucket_bits > information + bits - length) {
      return no("the bucket bits do not fit the key");
    }
    if (table.radius > 4) return no("a flip radius is at most 4");
    // A match found in a secondary table must tell the primary key: from its lane, or from an exact key.
    if ((primary & mask) != 0 && &table != &plan.tables[0] && table.radius != 0) {
      return no("a key that shares bits with the primary key must have radius 0");
    }
  }
  return true;
}

}  // namespace neardup
