// The ids of a segment by row, packed to the width of the greatest. A row with one id is one packed number,
// so that one read of memory gives the id; a row with more points to a list of them. Immutable once built
// (primary_builder.h) or mapped, thread-safe. Rows that there are not, and lists that leave their section, as
// damaged files can name, have no ids.
#ifndef NEARDUP_CORE_INDEX_ID_LIST_H_
#define NEARDUP_CORE_INDEX_ID_LIST_H_

#include <array>
#include <cstdint>

#include "core/base/memory.h"
#include "core/base/packed_array.h"
#include "core/base/status.h"
#include "kernels/prefetch.h"

namespace neardup {

class IdList {
 public:
  // Calls body(id) for each id of the row, in ascending order.
  template <typename Body>
  void ForEach(uint64_t row, Body&& body) const {
    ForEachPlace(
        row, [](uint64_t) { return false; }, [&](uint64_t, uint64_t id) { return body(id), true; });
  }
  // As above, until body returns false, and without the first ids, for which is_before(id); body(place, id)
  // also learns where the id is: kInRow, or its place in the lists.
  template <typename IsBefore, typename Body>
  void ForEachPlace(uint64_t row, IsBefore&& is_before, Body&& body) const {
    if (row >= row_count_) return;
    const uint64_t value = PackedGet(rows_.data(), row, width_);
    if (list_items_ == 0 || (value & 1) == 0) {
      const uint64_t id = list_items_ == 0 ? value : value >> 1;
      if (!is_before(id)) body(kInRow, id);
      return;
    }
    uint64_t place, end;
    if (!ListAt(value >> 1, &place, &end)) return;
    for (uint64_t high = end; place < high;) {
      const uint64_t middle = place + (high - place) / 2;
      if (is_before(PackedGet(lists_.data(), middle, width_))) {
        place = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; place < end; ++place) {
      if (!body(place, PackedGet(lists_.data(), place, width_))) return;
    }
  }
  static constexpr uint64_t kInRow = ~uint64_t{0};
  uint64_t row_count() const { return row_count_; }
  // Places in the lists.
  uint64_t list_items() const { return list_items_; }
  // No id is greater.
  uint64_t bound() const { return (uint64_t{1} << (list_items_ == 0 ? width_ : width_ - 1)) - 1; }
  // Rows, lists.
  std::array<const Buffer*, 2> sections() const { return {&rows_, &lists_}; }

  // Whether the row has more than one id.
  bool HasSeveral(uint64_t row) const {
    return lists_.size() != 0 && (PackedGet(rows_.data(), row, width_) & 1) != 0;
  }
  // The least id of the row.
  uint64_t First(uint64_t row) const {
    uint64_t first = 0;
    ForEachPlace(
        row, [](uint64_t) { return false; }, [&](uint64_t, uint64_t id) { return first = id, false; });
    return first;
  }
  void Prefetch(uint64_t row) const {
    if (row < row_count_) kernels::Prefetch(rows_.data() + (row * width_ >> 3));
  }
  uint64_t bytes() const { return rows_.size() + lists_.size(); }

 private:
  friend class PrimaryBuilder;
  friend class SegmentImage;
  friend class SegmentOpener;
  friend class SegmentCheck;
  // For `rows` rows and lists of `items` items. kOutOfRange when ids are too great.
  Status Allocate(uint64_t rows, uint64_t items, uint64_t max_id);
  // The places of the ids of a list; false where it leaves the section.
  bool ListAt(uint64_t list, uint64_t* first, uint64_t* end) const {
    if (list >= list_items_) return false;
    const uint64_t count = PackedGet(lists_.data(), list, width_);
    *first = list + 1;
    *end = *first + count;
    return count < list_items_ - list;
  }

  unsigned width_ = 1;
  uint64_t row_count_ = 0, list_items_ = 0;
  Buffer rows_;   // Packed: the id; where some row has more than one, twice that, or 1 + twice a position in
                  // lists_.
  Buffer lists_;  // Packed: lists, each a count and the ids. Empty when every row has one.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_ID_LIST_H_
