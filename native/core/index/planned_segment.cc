#include "core/index/planned_segment.h"

#include <algorithm>

namespace neardup {

uint64_t PlannedSegment::bytes() const {
  uint64_t bytes = ids_.bytes();
  for (const Table& table : tables_) bytes += table.bytes();
  return bytes;
}

bool PlannedSegment::Find(uint64_t fingerprint, uint64_t* row) const {
  if (tables_.empty()) return false;
  const Table& primary = tables_[0];
  const uint64_t wanted = primary.map().Encode(order_.Arrange(fingerprint));
  const uint32_t bucket = primary.map().BucketOf(wanted);
  const uint8_t* line = primary.LineOf(bucket);
  uint64_t word;
  for (unsigned slot = 0; slot < (line[63] & 15u); ++slot) {
    if (!primary.WordAt(line, slot, bucket, &word) || word != wanted) continue;
    *row = primary.RowAt(line, slot);
    return true;
  }
  if ((line[63] & kLineContinues) == 0) return false;
  Table::Run run = primary.Continuation(line, bucket);
  primary.Resolve(&run);
  const auto* words = reinterpret_cast<const uint64_t*>(run.data);
  const uint64_t* at = std::lower_bound(words, words + run.count, wanted);
  if (at == words + run.count || *at != wanted) return false;
  *row = primary.RowOfOverflow(at);
  return true;
}

}  // namespace neardup
