#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/index/block_table.h"

namespace neardup {

namespace {

// Up to this many fingerprints are scanned.
constexpr size_t kScanRows = 512;
// More tables cost 12 bytes a fingerprint each; beyond four they rarely save time.
constexpr unsigned kMaxTables = 4;
// Time of a probe, when the time of verifying one candidate is 1.
constexpr double kProbeCost = 24;
constexpr size_t kSampleRows = 1024;
// Bits that differ in fewer pairs than this tell nothing apart.
constexpr double kLeastDifference = 0.002;

using Rates = std::array<double, 64>;
using Costs = std::array<double, kMaxDistance + 1>;

// For each bit, how likely two fingerprints of the sample differ in it.
Rates Differences(const uint64_t* fingerprints, size_t count) {
  const size_t sample = std::min(count, kSampleRows);
  Rates rates{};
  for (size_t i = 0; i < sample; i++) {
    const uint64_t fingerprint = fingerprints[static_cast<size_t>(static_cast<double>(i) * count / sample)];
    for (unsigned bit = 0; bit < 64; bit++) rates[bit] += static_cast<double>((fingerprint >> bit) & 1);
  }
  for (double& rate : rates) rate = 2 * (rate / sample) * (1 - rate / sample);
  return rates;
}

// Deals the bits (most telling first) to `tables` keys, there and back, so that all tell about as much.
std::vector<BlockPlan> Deal(const std::vector<unsigned>& bits, unsigned tables, size_t width) {
  std::vector<BlockPlan> plans(tables);
  for (size_t i = 0; i < bits.size(); i++) {
    const size_t turn = i % (2 * tables);
    std::vector<unsigned>& key = plans[turn < tables ? turn : 2 * tables - 1 - turn].bits;
    if (key.size() < width) key.push_back(bits[i]);
  }
  return plans;
}

// costs[r]: what raising a table's radius from r - 1 to r costs, in candidates verified.
Costs StepCosts(const std::vector<unsigned>& key, size_t count, const Rates& differ, unsigned max_distance) {
  // chance[r]: how likely two fingerprints differ in exactly r bits of the key, bits taken as independent.
  Costs chance{};
  chance[0] = 1;
  for (unsigned bit : key) {
    for (unsigned r = max_distance; r > 0; r--) {
      chance[r] = chance[r] * (1 - differ[bit]) + chance[r - 1] * differ[bit];
    }
    chance[0] *= 1 - differ[bit];
  }
  Costs costs{};
  for (unsigned r = 0; r <= max_distance; r++) {
    costs[r] = kProbeCost * FlipCount(static_cast<unsigned>(key.size()), r) + count * chance[r];
  }
  return costs;
}

// Sets the radii for each distance by raising the cheapest one at a time; returns the cost at the largest.
double ChooseRadii(size_t count, const Rates& differ, unsigned max_distance, std::vector<BlockPlan>* plans) {
  std::vector<Costs> costs;
  for (const BlockPlan& plan : *plans) costs.push_back(StepCosts(plan.bits, count, differ, max_distance));
  std::vector<int> radii(plans->size(), -1);
  double cost = 0;
  for (unsigned distance = 0; distance <= max_distance; distance++) {
    size_t best = 0;
    const auto step = [&](size_t t) { return costs[t][static_cast<size_t>(radii[t] + 1)]; };
    for (size_t t = 1; t < radii.size(); t++) {
      if (step(t) < step(best)) best = t;
    }
    cost += step(best);
    radii[best]++;
    for (size_t t = 0; t < radii.size(); t++) (*plans)[t].radii[distance] = radii[t];
  }
  return cost;
}

}  // namespace

double FlipCount(unsigned bits, unsigned flips) {
  if (flips > bits) return 0;
  double count = 1;
  for (unsigned i = 0; i < flips; i++) count = count * (static_cast<double>(bits) - i) / (i + 1);
  return count;
}

std::vector<BlockPlan> PlanBlocks(const uint64_t* fingerprints, size_t count, unsigned max_distance) {
  if (count <= kScanRows) return {};
  const Rates differ = Differences(fingerprints, count);
  std::vector<unsigned> bits;
  for (unsigned bit = 0; bit < 64; bit++) {
    if (differ[bit] >= kLeastDifference) bits.push_back(bit);
  }
  std::stable_sort(bits.begin(), bits.end(), [&](unsigned a, unsigned b) { return differ[a] > differ[b]; });
  // Buckets of two to four entries at the least: a wider key would only make the directory larger.
  const size_t width = std::min<size_t>(28, static_cast<size_t>(std::log2(static_cast<double>(count))) - 1);
  std::vector<BlockPlan> best;
  double least = static_cast<double>(count);
  for (unsigned tables = 1; tables <= std::min(kMaxTables, max_distance + 1); tables++) {
    std::vector<BlockPlan> plans = Deal(bits, tables, width);
    const double cost = ChooseRadii(count, differ, max_distance, &plans);
    if (cost < least) {
      least = cost;
      best = std::move(plans);
    }
  }
  best.erase(std::remove_if(best.begin(), best.end(),
                            [&](const BlockPlan& plan) { return plan.radii[max_distance] < 0; }),
             best.end());
  return best;
}

}  // namespace neardup
