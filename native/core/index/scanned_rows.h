// Rows of a segment that is not worth tables: distinct fingerprints, ascending, with the values of each. A
// query compares all. Immutable; reading is thread-safe.
#ifndef NEARDUP_CORE_INDEX_SCANNED_ROWS_H_
#define NEARDUP_CORE_INDEX_SCANNED_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/radix_sort.h"
#include "core/base/status.h"
#include "core/index/entry_source.h"

namespace neardup {

class ScannedRows {
 public:
  static Status Build(EntrySource* source, unsigned threads, ScannedRows* out) {
    Buffer buffer;
    std::vector<WordAndValue> unsorted;
    unsorted.reserve(static_cast<size_t>(source->count()));
    for (size_t part = 0; part < source->parts(); ++part) {
      source->Read(part, [&](const uint64_t* fingerprints, const uint64_t* ids, size_t n) {
        for (size_t i = 0; i < n; ++i) unsorted.push_back({fingerprints[i], ids[i]});
      });
    }
    const size_t count = unsorted.size();
    if (Status s = Buffer::AllocateArray(count, sizeof(WordAndValue), &buffer); !s.ok()) return s;
    auto* entries = buffer.as<WordAndValue>();
    const auto entry = [&](size_t i) { return unsorted[i]; };
    if (Status s = RadixSort(entry, count, entries, threads); !s.ok()) return s;
    ScannedRows rows;
    for (size_t i = 0; i < count; ++i) {
      if (i == 0 || entries[i].word != entries[i - 1].word) {
        rows.fingerprints_.push_back(entries[i].word);
        rows.starts_.push_back(i);
      }
      rows.values_.push_back(entries[i].value);
    }
    rows.starts_.push_back(count);
    *out = std::move(rows);
    return Status();
  }

  size_t row_count() const { return fingerprints_.size(); }
  const uint64_t* fingerprints() const { return fingerprints_.data(); }
  uint64_t bytes() const { return 8 * (fingerprints_.capacity() + starts_.capacity() + values_.capacity()); }
  bool Find(uint64_t fingerprint, uint64_t* row) const {
    const auto at = std::lower_bound(fingerprints_.begin(), fingerprints_.end(), fingerprint);
    if (at == fingerprints_.end() || *at != fingerprint) return false;
    *row = static_cast<uint64_t>(at - fingerprints_.begin());
    return true;
  }
  // Calls body(slot, value) for the values of a row, ascending, until it returns false; leaves out the first
  // ones, for which is_before(value).
  template <typename IsBefore, typename Body>
  void ForEachSlot(uint64_t row, IsBefore&& is_before, Body&& body) const {
    const auto begin = values_.begin();
    const auto first = std::partition_point(begin + static_cast<std::ptrdiff_t>(starts_[row]),
                                            begin + static_cast<std::ptrdiff_t>(starts_[row + 1]), is_before);
    for (auto slot = static_cast<uint64_t>(first - begin); slot < starts_[row + 1]; ++slot) {
      if (!body(slot, values_[slot])) return;
    }
  }

 private:
  std::vector<uint64_t> fingerprints_, starts_, values_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SCANNED_ROWS_H_
