#include "core/index/entry_source.h"

namespace neardup {

void EntrySource::Range(size_t, const BitList&, const TablePlan&, uint64_t* least, uint64_t* greatest) const {
  *least = 0;
  *greatest = ~uint64_t{0};
}

ArraySource::ArraySource(const uint64_t* fingerprints, const uint64_t* ids, size_t count)
    : fingerprints_(fingerprints), ids_(ids), count_(count), id_bound_(0) {
  for (size_t i = 0; i < count; ++i) id_bound_ = std::max(id_bound_, ids[i]);
}

}  // namespace neardup
