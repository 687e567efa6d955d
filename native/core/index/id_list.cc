#include "core/index/id_list.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"

namespace neardup {

namespace {

// Writes rows in ascending order; those in between that have no entry read as 0.
class RowWriter {
 public:
  RowWriter(uint8_t* data, uint64_t row, unsigned width) : writer_(data, row, width), next_(row) {}
  void Write(uint64_t row, uint64_t value) {
    for (; next_ < row; ++next_) writer_.Push(0);
    writer_.Push(value);
    ++next_;
  }

 private:
  PackedWriter writer_;
  uint64_t next_;
};

}  // namespace

Status IdList::Build(const Table& primary, const WordAndValue* entries, size_t count, uint64_t max_id,
                     unsigned threads, IdList* out) {
  // Calls body(row, first entry, entries) for the rows of a superblock, in the order of their words.
  const auto for_each = [&](size_t superblock, auto&& body) {
    const WordAndValue* at = nullptr;
    primary.ForEach(superblock, superblock + 1, [&](uint64_t word, uint64_t row) {
      if (at == nullptr) {
        at = std::lower_bound(entries, entries + count, word, [](auto& e, uint64_t w) { return e.word < w; });
      }
      const WordAndValue* end = at + 1;
      while (end < entries + count && end->word == word) ++end;
      body(row, at, static_cast<uint64_t>(end - at));
      at = end;
    });
  };

  // Items of lists before each superblock.
  std::vector<uint64_t> starts(primary.superblocks() + 1);
  if (primary.stats().entries != count) {
    ParallelFor(threads, primary.superblocks(), [&](size_t s) {
      for_each(s, [&](uint64_t, const WordAndValue*, uint64_t n) { starts[s] += n > 1 ? n + 1 : 0; });
    });
  }
  uint64_t items = 0;
  for (uint64_t& start : starts) {
    const uint64_t here = start;
    start = items;
    items += here;
  }

  IdList list;
  const bool has_lists = items != 0;
  list.row_count_ = primary.row_count();
  list.item_count_ = items;
  list.width_ = has_lists ? BitWidth(std::max(max_id, items)) + 1 : BitWidth(max_id);
  if (list.width_ > kPackedMaxWidth) return Status(StatusCode::kOutOfRange, "ids have at most 56 bits");
  if (Status s = Buffer::Allocate(PackedBytes(primary.row_count(), list.width_), &list.rows_); !s.ok())
    return s;
  if (has_lists) {
    if (Status s = Buffer::Allocate(PackedBytes(items, list.width_), &list.lists_); !s.ok()) return s;
  }
  ParallelFor(threads, primary.superblocks(), [&](size_t s) {
    RowWriter home(list.rows_.data(), primary.FirstRow(s), list.width_);
    RowWriter overflow(list.rows_.data(), primary.FirstOverflowRow(s), list.width_);
    PackedWriter lists(list.lists_.data(), starts[s], list.width_);
    uint64_t at = starts[s];
    for_each(s, [&](uint64_t row, const WordAndValue* first, uint64_t n) {
      RowWriter& writer = row < primary.home_row_count() ? home : overflow;
      if (n == 1) {
        writer.Write(row, has_lists ? first->value << 1 : first->value);
        return;
      }
      writer.Write(row, at << 1 | 1);
      lists.Push(n);
      for (uint64_t i = 0; i < n; ++i) lists.Push(first[i].value);
      at += n + 1;
    });
  });
  *out = std::move(list);
  return Status();
}

}  // namespace neardup
