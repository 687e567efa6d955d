#include "core/index/join_plan.h"

#include <cmath>

#include "core/base/bits.h"
#include "core/index/designs.h"

namespace neardup {

namespace {

constexpr unsigned kPartBits = 12, kLargePartBits = 14;  // Parts of so many fingerprints fit the caches.
// So many streams to write at once: for small parts, and at most.
constexpr unsigned kFewStreams = 10, kMostStreams = 12;
constexpr double kDeal = 6, kLook = 4, kCompare = 3;  // Nanoseconds of a fingerprint.

// Puts tables together that share at least `bits` bits.
std::vector<JoinGroup> Group(const std::vector<TablePlan>& tables, unsigned bits) {
  std::vector<JoinGroup> groups;
  std::vector<bool> grouped(tables.size());
  for (size_t t = 0; t < tables.size(); ++t) {
    if (grouped[t]) continue;
    JoinGroup group;
    group.common = tables[t].key_mask();
    for (size_t u = t; u < tables.size(); ++u) {
      const uint64_t common = group.common & tables[u].key_mask();
      if (grouped[u] || (u != t && PopCount(common) < bits)) continue;
      grouped[u] = true;
      group.common = common;
      group.tables.push_back(u);
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace

JoinPlan PlanJoin(size_t count, unsigned k) {
  JoinPlan plan;
  while (plan.part_bits < kFewStreams && count >> (plan.part_bits + kPartBits) != 0) ++plan.part_bits;
  while (plan.part_bits < kMostStreams && count >> (plan.part_bits + kLargePartBits) != 0) ++plan.part_bits;
  double best = 1e300;
  for (const Design& design : ListDesigns(k, static_cast<double>(count))) {
    std::vector<TablePlan> tables;
    double cost = 0;
    for (const DesignTable& table : design.tables) {
      TablePlan exact;
      exact.key = table.key;
      exact.bucket_bits = exact.key_bits();
      tables.push_back(exact);
      const int bits = static_cast<int>(exact.key_bits());
      cost +=
          table.radius != 0 ? 1e300 : kLook + kCompare * std::ldexp(static_cast<double>(count), -bits - 1);
    }
    const std::vector<JoinGroup> groups = Group(tables, plan.part_bits + 2);
    cost += kDeal * static_cast<double>(groups.size());
    if (cost >= best) continue;
    best = cost;
    plan.groups = groups;
    plan.tables.clear();
    for (const TablePlan& table : tables)
      plan.tables.push_back({WordMap(table, 0), table.key_mask(), table.key_bits()});
  }
  return plan;
}

}  // namespace neardup
