// Chooses how a segment is laid out: lists the designs that are exact for k, predicts for each its memory and
// the time of a query, and ranks the ones that fit the memory by time.
//
// The designs split the 64 bits into blocks with radii r_i, sum of (r_i + 1) = k + 1: k errors leave a block
// with at most r_i. A block is looked up by its bits with r_i flips, or is itself split into s parts, of
// which s - r_i are exact: C(s, r_i) tables with radius 0. The published multi-block tables are the case of
// one block with radius k; two levels of k + 1 exact blocks are listed too. Pure functions; a listing costs
// milliseconds, for k = 16 some 100. Twin: lib/ts/index/planner.ts.
#ifndef NEARDUP_CORE_INDEX_PLANNER_H_
#define NEARDUP_CORE_INDEX_PLANNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/index/machine_costs.h"
#include "core/index/plan.h"

namespace neardup {

struct PlanRequest {
  uint64_t count = 0;
  unsigned max_distance = 3;
  double memory = 0;      // Bytes for everything; 0: no bound.
  unsigned id_bits = 32;  // Bits of the greatest id.
  MachineCosts costs;
};

struct PlanOption {
  std::string name;        // Such as "2 tables: 2 x 1 flip" or "10 tables: 2 of 5 parts"; see designs.h.
  bool scan = false;       // No tables: every fingerprint is compared.
  bool published = false;  // A design of Manku, Jain and Das Sarma (2007).
  Plan plan;
  unsigned key_bits = 0;   // Of the shortest key.
  double bytes = 0;        // In all.
  double probes = 0;       // Buckets read per query.
  double candidates = 0;   // Mean entries that share the shortest key: what one probe of it must compare.
  double nanoseconds = 0;  // Predicted, per query in batches.
  bool fits = true;
};

// The designs worth looking at, the fastest and the smallest; those that fit first, by predicted time. Never
// empty: a scan is always possible.
std::vector<PlanOption> ListPlans(const PlanRequest& request);

// The published designs for k = 3 (4 x 16, 10 x 25, 20 x 31 bits, 16 x 28 in two levels), as options for any
// count.
std::vector<PlanOption> PublishedPlans(const PlanRequest& request);

// For a reader to choose from: what ListPlans lists and, for distance 3, the published designs; each set of
// keys once, in the order of ListPlans.
std::vector<PlanOption> ComparePlans(const PlanRequest& request);

// Predicted size of a segment on this plan. `distinct` fingerprints, uniformly spread, with an id each.
double PredictBytes(const Plan& plan, uint64_t distinct, unsigned id_bits);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PLANNER_H_
