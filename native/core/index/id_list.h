// The ids of a segment by row, packed to the width of the greatest. A row with one id is one packed number,
// so that one read of memory gives the id; a row with more points to a list of them. Immutable after Build,
// thread-safe.
#ifndef NEARDUP_CORE_INDEX_ID_LIST_H_
#define NEARDUP_CORE_INDEX_ID_LIST_H_

#include <cstdint>

#include "core/base/memory.h"
#include "core/base/packed_array.h"
#include "core/base/radix_sort.h"
#include "core/base/status.h"
#include "core/index/table.h"
#include "kernels/prefetch.h"

namespace neardup {

class IdList {
 public:
  // The ids of a primary table's rows. `entries` are the table's words, ascending, each with an id, or
  // several times with one each, ascending.
  static Status Build(const Table& primary, const WordAndValue* entries, size_t count, uint64_t max_id,
                      unsigned threads, IdList* out);

  // Calls body(id) for each id of the row, in ascending order.
  template <typename Body>
  void ForEach(uint64_t row, Body&& body) const {
    const uint64_t value = PackedGet(rows_.data(), row, width_);
    if (lists_.size() == 0) return body(value);
    if ((value & 1) == 0) return body(value >> 1);
    const uint64_t at = value >> 1, count = PackedGet(lists_.data(), at, width_);
    for (uint64_t i = 1; i <= count; ++i) body(PackedGet(lists_.data(), at + i, width_));
  }
  // Calls body(slot, id) for each id of the row, in ascending order, until it returns false; leaves out the
  // first ones, for which is_before(id). Every id of the list has its slot: that of its row where it is
  // alone.
  template <typename IsBefore, typename Body>
  void ForEachSlot(uint64_t row, IsBefore&& is_before, Body&& body) const {
    const uint64_t value = PackedGet(rows_.data(), row, width_);
    if (lists_.size() == 0 || (value & 1) == 0) {
      const uint64_t id = lists_.size() == 0 ? value : value >> 1;
      if (!is_before(id)) body(row, id);
      return;
    }
    const uint64_t at = value >> 1, end = at + 1 + PackedGet(lists_.data(), at, width_);
    uint64_t low = at + 1;
    for (uint64_t high = end; low < high;) {
      const uint64_t middle = low + (high - low) / 2;
      if (is_before(PackedGet(lists_.data(), middle, width_))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; low < end; ++low) {
      if (!body(row_count_ + low, PackedGet(lists_.data(), low, width_))) return;
    }
  }
  // Slots are below this.
  uint64_t slot_count() const { return row_count_ + item_count_; }
  // The least id of the row.
  uint64_t First(uint64_t row) const {
    const uint64_t value = PackedGet(rows_.data(), row, width_);
    if (lists_.size() == 0) return value;
    return (value & 1) == 0 ? value >> 1 : PackedGet(lists_.data(), (value >> 1) + 1, width_);
  }
  void Prefetch(uint64_t row) const { kernels::Prefetch(rows_.data() + (row * width_ >> 3)); }
  uint64_t bytes() const { return rows_.size() + lists_.size(); }

 private:
  struct Filler;
  unsigned width_ = 1;
  uint64_t row_count_ = 0, item_count_ = 0;
  Buffer rows_;   // Packed: the id; where some row has more than one, twice that, or 1 + twice a position in
                  // lists_.
  Buffer lists_;  // Packed: lists, each a count and the ids. Empty when every row has one.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_ID_LIST_H_
