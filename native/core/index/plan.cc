#include "core/index/plan.h"

#include <algorithm>
#include <map>

namespace neardup {

namespace {

uint64_t MaskOf(BitRange range) {
  return (range.width >= 64 ? ~uint64_t{0} : (uint64_t{1} << range.width) - 1) << range.low;
}

// Spreads `left` errors over cells[at..]; false as soon as a full spread is caught by no table.
bool EveryPatternCaught(const std::vector<std::pair<uint64_t, unsigned>>& cells, const Plan& plan, size_t at,
                        unsigned left, std::vector<unsigned>* in_key) {
  if (at == cells.size() || left == 0) {
    if (left != 0) return true;  // More errors than there are bits: no such pattern.
    for (size_t t = 0; t < plan.tables.size(); ++t) {
      if ((*in_key)[t] <= plan.tables[t].radius) return true;
    }
    return false;
  }
  const auto [tables, width] = cells[at];
  for (unsigned errors = 0; errors <= std::min(left, width); ++errors) {
    for (size_t t = 0; t < plan.tables.size(); ++t) {
      if ((tables >> t & 1) != 0) (*in_key)[t] += errors;
    }
    const bool caught = EveryPatternCaught(cells, plan, at + 1, left - errors, in_key);
    for (size_t t = 0; t < plan.tables.size(); ++t) {
      if ((tables >> t & 1) != 0) (*in_key)[t] -= errors;
    }
    if (!caught) return false;
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

bool IsValid(const Plan& plan, unsigned distance) {
  if (plan.tables.empty() || plan.tables.size() > 64) return false;
  // Bits that lie in the same keys are alike: they form one cell.
  std::map<uint64_t, unsigned> widths;
  for (unsigned bit = 0; bit < 64; ++bit) {
    uint64_t tables = 0;
    for (size_t t = 0; t < plan.tables.size(); ++t) tables |= (plan.tables[t].key_mask() >> bit & 1) << t;
    ++widths[tables];
  }
  std::vector<std::pair<uint64_t, unsigned>> cells(widths.begin(), widths.end());
  std::vector<unsigned> in_key(plan.tables.size());
  // Fewer errors are caught where more are.
  return EveryPatternCaught(cells, plan, 0, std::min(distance, 64u), &in_key);
}

bool IsBuildable(const Plan& plan, std::string* why) {
  const auto no = [&](const char* text) { return *why = text, false; };
  if (plan.tables.empty() || plan.tables.size() > 32) return no("a plan has 1 to 32 tables");
  if (!(plan.load > 0 && plan.load <= 1)) return no("the load must be over 0 and at most 1");
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
