// Chooses how a segment is laid out: lists the designs that are exact for k, predicts for each its memory and
// the time of a query, and ranks the ones that fit the memory by time.
//
// The designs split the 64 bits into blocks with radii r_i, sum of (r_i + 1) = k + 1: k errors leave a block
// with at most r_i. A block is looked up by its bits with r_i flips, or is itself split into s parts, of
// which s - r_i are exact: C(s, r_i) tables with radius 0. The published multi-block tables are the case of
// one block with radius k; two levels of k + 1 exact blocks are listed too. Pure functions; a listing costs
// milliseconds.
#ifndef NEARDUP_CORE_INDEX_PLANNER_H_
#define NEARDUP_CORE_INDEX_PLANNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/index/plan.h"

namespace neardup {

// What a machine takes for the steps of a query, in nanoseconds. The defaults were measured on a Zen 3
// server.
struct MachineCosts {
  double cached_line = 5;   // Reading a line that the last level cache holds.
  double memory_line = 11;  // Reading one that it does not, many at a time, on huge pages.
  double cache_bytes = 24e6;
  double probe = 6;      // Computing a probe and comparing its line.
  double table = 8;      // A query's word in one table.
  double run = 14;       // Going on in an overflow run, beside reading it.
  double compare = 0.3;  // One fingerprint of a scan, or of a long run.
  double suspect = 50;   // Following up an entry whose lane alone is within k bits.
};

struct PlanRequest {
  uint64_t count = 0;
  unsigned max_distance = 3;
  double memory = 0;      // Bytes for everything; 0: no bound.
  unsigned id_bits = 32;  // Bits of the greatest id.
  MachineCosts costs;
};

struct PlanOption {
  std::string name;   // Such as "2 tables, radius 1" or "8 tables".
  bool scan = false;  // No tables: every fingerprint is compared.
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

// The published designs for k = 3 (4 x 16, 10 x 25, 16 x 28, 20 x 31 bits), as options for any count.
std::vector<PlanOption> PublishedPlans(const PlanRequest& request);

// Predicted size of a segment on this plan. `distinct` fingerprints, uniformly spread, with an id each.
double PredictBytes(const Plan& plan, uint64_t distinct, unsigned id_bits);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PLANNER_H_
