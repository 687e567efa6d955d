#include "core/index/table_model.h"

#include <algorithm>
#include <cmath>

#include "core/index/table.h"

namespace neardup {

namespace {

// Of a Poisson variable X with this mean: the chance of X > capacity, and the expectation of
// X - (capacity - 1) where X > capacity (one lane of a line that continues holds the pointer).
void Overflow(double mean, unsigned capacity, double* chance, double* items) {
  double p = std::exp(-mean), at_most = 0, sum = 0;
  for (unsigned x = 0; x <= capacity; ++x) {
    at_most += p;
    sum += x * p;
    p *= mean / (x + 1);
  }
  *chance = std::max(0.0, 1 - at_most);
  *items = std::max(0.0, mean - sum - *chance * (capacity - 1));
}

}  // namespace

TableModel ModelTable(const TablePlan& table, bool primary, double load, double entries) {
  TableModel model;
  const double buckets = std::ldexp(1.0, static_cast<int>(table.bucket_bits));
  unsigned capacity = kSecondaryCapacity;
  double lines = std::min(buckets, entries / (load * capacity) + 1);
  if (primary) {
    // The range bits that Table::Build finds best: as few as the buckets of a line need.
    double best = 1e300;
    for (unsigned range = 0; range <= 8 && range <= table.bucket_bits; ++range) {
      const unsigned c = std::min(15u, 504 / (64 - table.bucket_bits + range));
      const double wanted = entries / (load * c) + 1, least = std::ldexp(buckets, -static_cast<int>(range));
      const double l = std::min(buckets, std::max(wanted, least));
      const double cost = least > 4 * wanted ? 32 * entries : 64 * l;
      if (cost >= best) continue;
      best = cost;
      lines = l;
      capacity = c;
    }
  }
  // A line has the whole number of buckets below or above the mean.
  const double per_line = buckets / lines, fewer = std::floor(per_line), more_share = per_line - fewer;
  double chance[2], items[2];
  Overflow(entries / buckets * fewer, capacity, &chance[0], &items[0]);
  Overflow(entries / buckets * (fewer + 1), capacity, &chance[1], &items[1]);
  const double overflow = items[0] * (1 - more_share) + items[1] * more_share;
  const double continuing = chance[0] * (1 - more_share) + chance[1] * more_share;
  // A probe takes a bucket, so lines with more buckets are read more often.
  const double more_read = more_share * (fewer + 1) / per_line;
  model.continued = chance[0] * (1 - more_read) + chance[1] * more_read;
  model.run_items = continuing > 0 ? overflow / continuing : 0;
  model.bytes = lines * (64 + (primary ? 1.5 : 0)) + overflow * lines * (primary ? 8 : 4);
  model.probes = table.mean_probes();
  model.candidates = model.probes * (std::min(entries / lines, static_cast<double>(capacity)) +
                                     model.continued * model.run_items);
  return model;
}

}  // namespace neardup
