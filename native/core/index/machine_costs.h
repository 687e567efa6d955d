// What a machine takes for the steps of a query, for the planner. The defaults were measured on a Zen 3
// server; MeasureCosts measures those of this machine.
#ifndef NEARDUP_CORE_INDEX_MACHINE_COSTS_H_
#define NEARDUP_CORE_INDEX_MACHINE_COSTS_H_

namespace neardup {

// Nanoseconds, but for cache_bytes.
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

// Measures cached_line, memory_line (on huge pages where the system gives them), probe and compare, by the
// kernels in use; takes about 0.3 s of one thread and 128 MiB. table, run and suspect are computing and
// mispredicted branches, and are scaled as probe is. cache_bytes is the default: what a shared cache leaves
// to one process does not show. A step whose memory is refused keeps its default.
MachineCosts MeasureCosts();

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_MACHINE_COSTS_H_
