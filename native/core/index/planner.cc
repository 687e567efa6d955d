#include "core/index/planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

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

// Compares in single precision: what differs by rounding alone is equal, so both engines rank alike.
bool Less(double a, double b) { return static_cast<float>(a) < static_cast<float>(b); }

bool Fits(const PlanRequest& request, double bytes) {
  return request.memory == 0 || !Less(request.memory, bytes);
}

// How the buckets of a table are numbered, and what that makes of it.
struct Numbering {
  std::vector<CodeKind> codes;
  unsigned bucket_bits = 0;
  TableModel model;
};

// Numbers tables for the fastest query, at one load. Tables of the same shape are numbered alike, once.
class Numberer {
 public:
  Numberer(const PlanRequest& request, double load) : request_(request), load_(load) {}

  double load() const { return load_; }
  const Numbering& Get(const DesignTable& table, bool primary) {
    unsigned bits = 0;
    for (const BitRange& range : table.key) bits += range.width;
    std::optional<Numbering>& known = known_[primary][table.radius][bits];
    if (!known) known = Choose(table, primary);
    return *known;
  }

 private:
  Numbering Choose(const DesignTable& table, bool primary) const {
    const auto n = static_cast<double>(request_.count);
    const MachineCosts& costs = request_.costs;
    Numbering best;
    double best_time = std::numeric_limits<double>::infinity();
    for (const TablePlan& plan : Numberings(table, primary, load_, n)) {
      const TableModel model = ModelTable(plan, primary, load_, n);
      // Memory breaks ties.
      const double time =
          TableTime(costs, model, costs.memory_line, request_.max_distance) + 2 * model.bytes / (n + 1);
      if (!Less(time, best_time)) continue;
      best_time = time;
      best = {plan.codes, plan.bucket_bits, model};
    }
    return best;
  }

  const PlanRequest& request_;
  const double load_;
  std::array<std::array<std::array<std::optional<Numbering>, 33>, 5>, 2>
      known_;  // Primary, radius, key bits.
};

// A design at the numberer's load.
PlanOption AtLoad(const PlanRequest& request, const Design& design, Numberer* numberer) {
  const auto n = static_cast<double>(request.count);
  const MachineCosts& costs = request.costs;
  PlanOption option;
  option.name = design.name;
  option.plan.max_distance = request.max_distance;
  option.plan.load = numberer->load();
  option.key_bits = 64;
  option.bytes = IdBytes(request.count, request.id_bits);
  std::vector<const TableModel*> models;
  for (const DesignTable& table : design.tables) {
    const Numbering& numbering = numberer->Get(table, option.plan.tables.empty());
    option.plan.tables.push_back({table.key, table.radius, numbering.codes, numbering.bucket_bits});
    option.key_bits = std::min(option.key_bits, option.plan.tables.back().key_bits());
    option.bytes += numbering.model.bytes;
    models.push_back(&numbering.model);
  }
  const double cached = std::min(1.0, costs.cache_bytes / std::max(1.0, option.bytes));
  const double line = costs.memory_line - (costs.memory_line - costs.cached_line) * cached;
  for (const TableModel* model : models) {
    option.probes += model->probes;
    option.nanoseconds += TableTime(costs, *model, line, request.max_distance);
  }
  option.candidates = std::ldexp(n, -static_cast<int>(option.key_bits));
  option.fits = Fits(request, option.bytes);
  return option;
}

// The loads that are tried.
std::vector<Numberer> Loads(const PlanRequest& request) {
  std::vector<Numberer> loads;
  for (unsigned percent = 40; percent <= 95; percent += 5) loads.emplace_back(request, percent / 100.0);
  return loads;
}

// The fastest load within the memory; where none fits, the smallest.
PlanOption Tune(const PlanRequest& request, const Design& design, std::vector<Numberer>* loads) {
  PlanOption best;
  for (Numberer& load : *loads) {
    PlanOption option = AtLoad(request, design, &load);
    const bool better = option.fits != best.fits ? option.fits
                        : option.fits            ? Less(option.nanoseconds, best.nanoseconds)
                                                 : Less(option.bytes, best.bytes);
    if (best.plan.tables.empty() || better) best = std::move(option);
  }
  return best;
}

// Those that fit first, by time.
void Rank(std::vector<PlanOption>* options) {
  std::stable_sort(options->begin(), options->end(), [](const PlanOption& a, const PlanOption& b) {
    return a.fits != b.fits ? a.fits : Less(a.nanoseconds, b.nanoseconds);
  });
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
  Numberer numberer(request, kLoad);
  for (size_t i = 0; i < designs->size(); ++i) {
    const PlanOption option = AtLoad(request, (*designs)[i], &numberer);
    ratings.push_back({option.nanoseconds, option.bytes, i});
  }
  std::vector<bool> kept(designs->size());
  std::stable_sort(ratings.begin(), ratings.end(), [](auto& a, auto& b) { return Less(a.bytes, b.bytes); });
  for (size_t i = 0; i < ratings.size() && i < kSmallest; ++i) kept[ratings[i].design] = true;
  // The fastest overall, and the fastest that fit.
  std::stable_sort(ratings.begin(), ratings.end(),
                   [](auto& a, auto& b) { return Less(a.nanoseconds, b.nanoseconds); });
  size_t fitting = 0;
  for (size_t i = 0; i < ratings.size(); ++i) {
    if (i < kFastest || (Fits(request, ratings[i].bytes) && fitting++ < kFastest))
      kept[ratings[i].design] = true;
  }
  size_t at = 0;
  for (size_t i = 0; i < designs->size(); ++i) {
    if (!kept[i]) continue;
    if (at != i) (*designs)[at] = std::move((*designs)[i]);
    ++at;
  }
  designs->resize(at);
}

bool HaveSameKeys(const Plan& a, const Plan& b) {
  return std::equal(a.tables.begin(), a.tables.end(), b.tables.begin(), b.tables.end(),
                    [](const TablePlan& x, const TablePlan& y) {
                      return x.radius == y.radius && x.key_mask() == y.key_mask();
                    });
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
  std::vector<Numberer> loads = Loads(request);
  for (const Design& design : designs) {
    PlanOption option = Tune(request, design, &loads);
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
  scan.fits = Fits(request, scan.bytes);
  options.push_back(scan);
  Rank(&options);
  return options;
}

std::vector<PlanOption> PublishedPlans(const PlanRequest& request) {
  std::vector<PlanOption> options;
  std::vector<Numberer> loads = Loads(request);
  for (const Design& design : PublishedDesigns()) {
    options.push_back(Tune(request, design, &loads));
    options.back().published = true;
  }
  return options;
}

std::vector<PlanOption> ComparePlans(const PlanRequest& request) {
  std::vector<PlanOption> options;
  const auto add = [&](std::vector<PlanOption> listed) {
    for (PlanOption& option : listed) {
      const auto same = [&](const PlanOption& other) { return HaveSameKeys(option.plan, other.plan); };
      if (std::none_of(options.begin(), options.end(), same)) options.push_back(std::move(option));
    }
  };
  // First, so that they keep their names.
  if (request.max_distance == 3) add(PublishedPlans(request));
  add(ListPlans(request));
  Rank(&options);
  return options;
}

}  // namespace neardup
