// A column of unsigned integers in as many bits as their range needs. Immutable once made; reading is
// thread-safe.
#ifndef NEARDUP_CORE_INDEX_PACKED_COLUMN_H_
#define NEARDUP_CORE_INDEX_PACKED_COLUMN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/memory.h"
#include "core/base/packed_array.h"
#include "core/base/status.h"

namespace neardup {

class PackedColumn {
 public:
  // Item i is value(i), below 2^57. kOutOfMemory leaves *out as it was.
  template <typename Value>
  static Status Build(size_t count, const Value& value, PackedColumn* out) {
    PackedColumn column;
    uint64_t least = ~uint64_t{0}, most = 0;
    for (size_t i = 0; i < count; ++i) {
      least = std::min<uint64_t>(least, value(i));
      most = std::max<uint64_t>(most, value(i));
    }
    column.least_ = count == 0 ? 0 : least;
    column.width_ = BitWidth(most - column.least_);
    if (Status s = Buffer::Allocate(PackedBytes(count, column.width_), &column.items_); !s.ok()) return s;
    PackedWriter writer(column.items_.data(), 0, column.width_);
    for (size_t i = 0; i < count; ++i) writer.Push(value(i) - column.least_);
    *out = std::move(column);
    return Status();
  }

  uint64_t operator[](size_t i) const { return least_ + PackedGet(items_.data(), i, width_); }
  uint64_t bytes() const { return items_.size(); }

 private:
  friend class SegmentImage;
  friend class SegmentOpener;
  uint64_t least_ = 0;
  unsigned width_ = 1;
  Buffer items_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PACKED_COLUMN_H_
