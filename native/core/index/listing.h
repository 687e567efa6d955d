// All entries of a view in the order of (fingerprint, id, time, tag, second), copies included. Takes 16 bytes
// an entry, 20 to 48 where there are columns, and as much again while it is made. Immutable once made;
// reading is thread-safe.
#ifndef NEARDUP_CORE_INDEX_LISTING_H_
#define NEARDUP_CORE_INDEX_LISTING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/job_control.h"
#include "core/base/memory.h"
#include "core/base/radix_sort.h"
#include "core/base/status.h"
#include "core/index/view.h"

namespace neardup {

class Listing {
 public:
  // kAborted after a cancellation; kCorrupt for a damaged file; kOutOfMemory, or std::bad_alloc, where memory
  // is refused.
  static Status Build(const View& view, ColumnSet columns, unsigned threads, JobControl* control,
                      Listing* out);

  // One of entries without columns that are in order. kOutOfMemory when memory is refused.
  static Status Join(const std::vector<std::vector<WordAndValue>>& parts, Listing* out);

  size_t size() const { return size_; }
  uint64_t FingerprintAt(size_t i) const { return items()[i].word; }
  Entry operator[](size_t i) const {
    if (columns_.any()) return entries_.view()[items()[i].value];
    Entry entry;
    entry.fingerprint = items()[i].word;
    entry.id = items()[i].value;
    return entry;
  }
  // The first entry, from `from` on, whose fingerprint is not below this one.
  size_t LowerBound(uint64_t fingerprint, size_t from) const;

 private:
  const WordAndValue* items() const { return sorted_.as<WordAndValue>(); }

  ColumnSet columns_;
  size_t size_ = 0;
  Buffer sorted_;      // Fingerprint and id; where there are columns, and place in entries_.
  EntryList entries_;  // As they came; only where there are columns.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_LISTING_H_
