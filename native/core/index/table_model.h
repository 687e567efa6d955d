// What a table will look like for n uniformly spread entries: its lines, overflow and probes, from the
// Poisson law. Agrees with Table::Build within a few percent (tested).
#ifndef NEARDUP_CORE_INDEX_TABLE_MODEL_H_
#define NEARDUP_CORE_INDEX_TABLE_MODEL_H_

#include <cstdint>

#include "core/index/plan.h"

namespace neardup {

struct TableModel {
  double bytes = 0;       // Of lines, overflow and ranks.
  double probes = 1;      // Per query.
  double continued = 0;   // Share of probed lines that continue in an overflow run.
  double run_items = 0;   // Mean length of those runs.
  double candidates = 0;  // Entries compared per query.
};

TableModel ModelTable(const TablePlan& table, bool primary, double load, double entries);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_TABLE_MODEL_H_
