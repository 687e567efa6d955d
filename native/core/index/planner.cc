#include "core/index/planner.h"

#include <algorithm>
#include <cmath>

#include "core/index/designs.h"
#include "core/index/table.h"
#include "core/index/table_model.h"

namespace neardup {

namespace {

double IdBytes(uint64_t count, unsigned id_bits) { return static_cast<double>(count) * (id_bits + 1) / 8; }

// The chance that 32 unrelated bits differ in at most k: how often a lane is near by accident.
double AccidentChance(unsigned k) {
  double sum = 0, choices = 1;
  for (unsigned bits = 0; bits <= k && bits <= 32; ++bits) {
    sum += choices;
    choices = choices * (32 - bits) / (bits + 1);
  }
  return std::ldexp(sum, -32);
}

// Nanoseconds of a query in one table; `line` is what reading a line takes.
double TableTime(const MachineCosts& costs, const TableModel& model, double line, unsigned k) {
  const double run = costs.run + line + model.run_items * (costs.compare + line / 16);  // 16 lanes of a line.
  return costs.table + model.probes * (line + costs.probe + model.continued * run) +
         model.candidates * AccidentChance(k) * costs.suspect;
}

// Predicts an option's numbers for its plan.
void Predict(const PlanRequest& request, PlanOption* option) {
  const auto n = static_cast<double>(request.count);
  const MachineCosts& costs = request.costs;
  option->bytes = PredictBytes(option->plan, request.count, request.id_bits);
  const double line = costs.memory_line - (costs.memory_line - costs.cached_line) *
                                              std::min(1.0, costs.cache_bytes / std::max(1.0, option->bytes));
  option->probes = option->nanoseconds = 0;
  option->key_bits = 64;
  for (const TablePlan& table : option->plan.tables) {
    const TableModel model = ModelTable(table, &table == &option->plan.tables[0], option->plan.load, n);
    option->probes += model.probes;
    option->nanoseconds += TableTime(costs, model, line, request.max_distance);
    option->key_bits = std::min(option->key_bits, table.key_bits());
  }
  option->candidates = std::ldexp(n, -static_cast<int>(option->key_bits));
}

// A design at one load, each table numbered for the fastest query.
PlanOption AtLoad(const PlanRequest& request, const Design& design, double load) {
  const auto n = static_cast<double>(request.count);
  const MachineCosts& costs = request.costs;
  PlanOption option;
  option.name = design.name;
  option.plan.max_distance = request.max_distance;
  option.plan.load = load;
  for (const DesignTable& table : design.tables) {
    const bool primary = option.plan.tables.empty();
    // Tables of the same shape are numbered alike.
    const TablePlan* before = option.plan.tables.size() > 1 ? &option.plan.tables.back() : nullptr;
    TablePlan chosen;
    chosen.key = table.key;
    chosen.radius = table.radius;
    if (before != nullptr && before->radius == table.radius && before->key_bits() == chosen.key_bits()) {
      chosen.codes = before->codes;
      chosen.bucket_bits = before->bucket_bits;
    } else {
      double best_time = 1e300;
      for (const TablePlan& candidate : Numberings(table, primary, load, n)) {
        const TableModel model = ModelTable(candidate, primary, load, n);
        // Memory breaks ties.
        const double time =
            TableTime(costs, model, costs.memory_line, request.max_distance) + 2 * model.bytes / (n + 1);
        if (time >= best_time) continue;
        best_time = time;
        chosen = candidate;
      }
    }
    option.plan.tables.push_back(chosen);
  }
  Predict(request, &option);
  option.fits = request.memory == 0 || option.bytes <= request.memory;
  return option;
}

// The fastest load within the memory; where none fits, the smallest.
PlanOption Tune(const PlanRequest& request, const Design& design) {
  PlanOption best;
  for (double load = 0.4; load < 0.96; load += 0.05) {
    PlanOption option = AtLoad(request, design, load);
    const bool better = option.fits != best.fits ? option.fits
                        : option.fits            ? option.nanoseconds < best.nanoseconds
                                                 : option.bytes < best.bytes;
    if (best.plan.tables.empty() || better) best = std::move(option);
  }
  return best;
}

// Drops the designs that are neither among the fastest nor among the smallest.
void KeepPromising(const PlanRequest& request, std::vector<Design>* designs) {
  constexpr size_t kFastest = 24, kSmallest = 8;
  constexpr double kLoad = 0.75;
  struct Rating {
    double nanoseconds, bytes;
    size_t design;
  };
  std::vector<Rating> ratings;
  for (size_t i = 0; i < designs->size(); ++i) {
    const PlanOption option = AtLoad(request, (*designs)[i], kLoad);
    ratings.push_back({option.nanoseconds, option.bytes, i});
  }
  std::vector<bool> kept(designs->size());
  std::stable_sort(ratings.begin(), ratings.end(), [](auto& a, auto& b) { return a.bytes < b.bytes; });
  for (size_t i = 0; i < ratings.size() && i < kSmallest; ++i) kept[ratings[i].design] = true;
  // The fastest overall, and the fastest that fit.
  std::stable_sort(ratings.begin(), ratings.end(),
                   [](auto& a, auto& b) { return a.nanoseconds < b.nanoseconds; });
  size_t fitting = 0;
  for (size_t i = 0; i < ratings.size(); ++i) {
    const bool fits = request.memory == 0 || ratings[i].bytes <= request.memory;
    if (i < kFastest || (fits && fitting++ < kFastest)) kept[ratings[i].design] = true;
  }
  size_t at = 0;
  for (size_t i = 0; i < designs->size(); ++i) {
    if (!kept[i]) continue;
    if (at != i) (*designs)[at] = std::move((*designs)[i]);
    ++at;
  }
  designs->resize(at);
}

}  // namespace

double PredictBytes(const Plan& plan, uint64_t distinct, unsigned id_bits) {
  double bytes = IdBytes(distinct, id_bits);
  for (const TablePlan& table : plan.tables) {
    bytes += ModelTable(table, &table == &plan.tables[0], plan.load, static_cast<double>(distinct)).bytes;
  }
  return bytes;
}

std::vector<PlanOption> ListPlans(const PlanRequest& request) {
  std::vector<PlanOption> options;
  std::vector<Design> designs = ListDesigns(request.max_distance, static_cast<double>(request.count));
  KeepPromising(request, &designs);
  for (const Design& design : designs) {
    PlanOption option = Tune(request, design);
    std::string why;
    if (IsBuildable(option.plan, &why)) options.push_back(std::move(option));
  }
  PlanOption scan;
  scan.name = "scan";
  scan.scan = true;
  scan.plan.max_distance = request.max_distance;
  scan.bytes = static_cast<double>(request.count) * 8 + IdBytes(request.count, request.id_bits);
  scan.candidates = static_cast<double>(request.count);
  scan.nanoseconds = static_cast<double>(request.count) * request.costs.compare;
  scan.fits = request.memory == 0 || scan.bytes <= request.memory;
  options.push_back(scan);
  std::stable_sort(options.begin(), options.end(), [](const PlanOption& a, const PlanOption& b) {
    return a.fits != b.fits ? a.fits : a.nanoseconds < b.nanoseconds;
  });
  return options;
}

std::vector<PlanOption> PublishedPlans(const PlanRequest& request) {
  std::vector<PlanOption> options;
  for (const Design& design : PublishedDesigns()) options.push_back(Tune(request, design));
  return options;
}

}  // namespace neardup
