#include "core/index/id_list.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"

namespace neardup {

Status IdList::Build(const uint64_t* firsts, uint64_t rows, const std::function<uint64_t(uint64_t)>& count_of,
                     const std::function<uint64_t(uint64_t)>& id_at, uint64_t max_id, unsigned threads,
                     IdList* out) {
  constexpr uint64_t kChunk = uint64_t{1} << 16;  // Rows.
  const uint64_t chunks = (rows + kChunk - 1) / kChunk;
  const auto count_at = [&](uint64_t row) { return firsts[row] == kNone ? 1 : count_of(firsts[row]); };

  // Items of lists before each chunk of rows.
  std::vector<uint64_t> starts(chunks + 1);
  ParallelFor(threads, chunks, [&](size_t c) {
    for (uint64_t row = c * kChunk; row < std::min(rows, (c + 1) * kChunk); ++row) {
      const uint64_t count = count_at(row);
      if (count > 1) starts[c] += count + 1;
    }
  });
  uint64_t items = 0;
  for (uint64_t& start : starts) {
    const uint64_t here = start;
    start = items;
    items += here;
  }

  IdList list;
  const bool has_lists = items != 0;
  list.width_ = has_lists ? BitWidth(std::max(max_id, items)) + 1 : BitWidth(max_id);
  if (list.width_ > kPackedMaxWidth) return Status(StatusCode::kOutOfRange, "ids have at most 56 bits");
  if (Status s = Buffer::Allocate(PackedBytes(rows, list.width_), &list.rows_); !s.ok()) return s;
  if (has_lists) {
    if (Status s = Buffer::Allocate(PackedBytes(items, list.width_), &list.lists_); !s.ok()) return s;
  }
  ParallelFor(threads, chunks, [&](size_t c) {
    PackedWriter row_values(list.rows_.data(), c * kChunk, list.width_);
    PackedWriter lists(list.lists_.data(), starts[c], list.width_);
    uint64_t at = starts[c];
    for (uint64_t row = c * kChunk; row < std::min(rows, (c + 1) * kChunk); ++row) {
      const uint64_t count = count_at(row);
      if (count == 1) {
        const uint64_t id = firsts[row] == kNone ? 0 : id_at(firsts[row]);
        row_values.Push(has_lists ? id << 1 : id);
        continue;
      }
      row_values.Push(at << 1 | 1);
      lists.Push(count);
      for (uint64_t i = 0; i < count; ++i) lists.Push(id_at(firsts[row] + i));
      at += count + 1;
    }
  });
  *out = std::move(list);
  return Status();
}

}  // namespace neardup
