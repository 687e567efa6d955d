#include "core/index/id_list.h"

#include <algorithm>

namespace neardup {

Status IdList::Allocate(uint64_t rows, uint64_t items, uint64_t max_id) {
  row_count_ = rows;
  list_items_ = items;
  width_ = items != 0 ? BitWidth(std::max(max_id, items)) + 1 : BitWidth(max_id);
  if (width_ > kPackedMaxWidth) return Status(StatusCode::kOutOfRange, "ids have at most 56 bits");
  if (Status s = Buffer::Allocate(PackedBytes(rows, width_), &rows_); !s.ok()) return s;
  return items == 0 ? Status() : Buffer::Allocate(PackedBytes(items, width_), &lists_);
}

}  // namespace neardup
