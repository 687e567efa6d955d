// An immutable set of entries that answers exactly which are within k bits of a fingerprint: by the tables of
// a plan, or by comparing all where that is as fast. Each distinct fingerprint is a row, with one slot for
// each of its entries. Reading is thread-safe. The sections of a segment may be views into a mapped
// file (core/storage/segment_opener.h): then answers come from bytes that are not checked until
// EnsureVerified.
#ifndef NEARDUP_CORE_INDEX_SEGMENT_H_
#define NEARDUP_CORE_INDEX_SEGMENT_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/index/bulk_loader.h"
#include "core/index/entry.h"
#include "core/index/entry_source.h"
#include "core/index/packed_column.h"
#include "core/index/planned_segment.h"
#include "core/index/scanned_rows.h"
#include "core/index/segment_planner.h"
#include "core/storage/segment_file.h"

namespace neardup {

class Segment {
 public:
  // `held` are the entries of the whole index. The result does not depend on the options. kOutOfMemory, or
  // std::bad_alloc, where memory is refused; kAborted after a cancellation.
  static Status Build(const EntryColumns& entries, ColumnSet columns, const SegmentPlanner& planner,
                      uint64_t held, const BuildOptions& options, std::shared_ptr<const Segment>* out);
  // As above of entries without columns, which need not be in memory together.
  static Status Build(EntrySource* entries, const SegmentPlanner& planner, uint64_t held,
                      const BuildOptions& options, std::shared_ptr<const Segment>* out);
  // As above of what was loaded; gives the loader's memory back on the way.
  static Status Build(BulkLoader* loader, const SegmentPlanner& planner, uint64_t held,
                      const BuildOptions& options, std::shared_ptr<const Segment>* out);

  uint64_t size() const { return size_; }
  uint64_t fingerprint_count() const {
    return is_scanned_ ? scanned_.row_count() : planned_.fingerprint_count();
  }
  // Memory of its own; and bytes of the file that it reads instead.
  uint64_t bytes() const;
  uint64_t mapped_bytes() const { return file_ == nullptr ? 0 : file_->length(); }
  // The file that it is mapped from; null: it is in memory.
  const std::shared_ptr<const SegmentFile>& file() const { return file_; }
  // Before the whole is trusted: checks what is mapped, once. kCorrupt, naming file and section; kAborted
  // after a cancellation.
  Status EnsureVerified(const std::atomic<bool>* cancel = nullptr) const {
    return file_ == nullptr ? Status() : file_->EnsureVerified(cancel);
  }
  // Whether that has failed.
  bool is_corrupt() const { return file_ != nullptr && file_->is_corrupt(); }
  ColumnSet columns() const { return columns_; }
  // Slots are below this; some are unused.
  uint64_t slot_count() const { return is_scanned_ ? size_ : planned_.slot_count(); }
  // 0 where all entries are compared.
  size_t table_count() const { return is_scanned_ ? 0 : planned_.tables().size(); }
  // Whether a query within this distance compares all entries.
  bool Scans(unsigned distance) const { return is_scanned_ || distance > planned_.plan().max_distance; }
  // The most entries that a probe of a table compares; 0 where there are none.
  uint64_t longest_bucket() const;

  // Appends the rows within `distance` of each query, by query, distance, fingerprint. Any distance works;
  // over that of the plan, all entries are compared. Ends early when there are more than max_rows; returns
  // how many queries were answered, at least one.
  size_t Query(const uint64_t* queries, size_t count, unsigned distance, size_t max_rows,
               QueryScratch* scratch, std::vector<RowMatch>* rows) const;

  bool Find(uint64_t fingerprint, uint64_t* row) const {
    return is_scanned_ ? scanned_.Find(fingerprint, row) : planned_.Find(fingerprint, row);
  }

  // Calls body(slot, value) for each entry of a row, by ascending id, until it returns false. The value is
  // the id; in a segment with columns, the entry's number, for EntryOf.
  template <typename Body>
  void ForEachOfRow(uint64_t row, Body&& body) const {
    ForEachSlot(
        row, [](uint64_t) { return false; }, body);
  }
  // As above for the entries of one id.
  template <typename Body>
  void ForEachOfRow(uint64_t row, uint64_t id, Body&& body) const {
    const auto id_of = [&](uint64_t value) {
      return has_columns() ? ids_[std::min(value, size_ - 1)] : value;
    };
    ForEachSlot(
        row, [&](uint64_t value) { return id_of(value) < id; },
        [&](uint64_t slot, uint64_t value) { return id_of(value) == id && body(slot, value); });
  }
  bool has_columns() const { return columns_.any(); }
  // The tables; null where all entries are compared.
  const PlannedSegment* planned() const { return is_scanned_ ? nullptr : &planned_; }
  Entry EntryOf(uint64_t fingerprint, uint64_t value) const {
    Entry entry;
    entry.fingerprint = fingerprint;
    entry.id = value;
    if (!has_columns()) return entry;
    value = std::min(value, size_ - 1);  // A damaged file can name a number that there is not.
    entry.id = ids_[value];
    if (columns_.time) entry.time = times_[value];
    if (columns_.tag) entry.tag = tags_.as<uint32_t>()[value];
    if (columns_.second) entry.second = seconds_.as<uint64_t>()[value];
    return entry;
  }

  // Calls body(fingerprint, row) for each row, in a fixed order.
  template <typename Body>
  void ForEachRow(Body&& body) const {
    if (!is_scanned_) return planned_.ForEachFingerprint(body);
    for (size_t row = 0; row < scanned_.row_count(); ++row) body(scanned_.fingerprints()[row], uint64_t{row});
  }
  // Calls body(entry, slot) for each entry, in a fixed order.
  template <typename Body>
  void ForEachEntry(Body&& body) const {
    ForEachRow([&](uint64_t fingerprint, uint64_t row) {
      ForEachOfRow(row, [&](uint64_t slot, uint64_t value) {
        body(EntryOf(fingerprint, value), slot);
        return true;
      });
    });
  }

 private:
  friend class SegmentImage;
  friend class SegmentOpener;
  friend class SegmentCheck;
  template <typename IsBefore, typename Body>
  void ForEachSlot(uint64_t row, const IsBefore& is_before, const Body& body) const {
    if (is_scanned_) return scanned_.ForEachSlot(row, is_before, body);
    planned_.ForEachSlot(row, is_before, body);
  }
  Status BuildRows(EntrySource* entries, const SegmentPlanner& planner, uint64_t held, const uint64_t* sample,
                   size_t sample_count, const BuildOptions& options);
  Status BuildColumns(const EntryColumns& entries, const uint64_t* numbers);
  void Scan(const uint64_t* queries, size_t count, unsigned distance, std::vector<RowMatch>* rows) const;

  uint64_t size_ = 0;
  bool is_scanned_ = false;
  PlannedSegment planned_;
  ScannedRows scanned_;
  ColumnSet columns_;
  // By number of the entry. Entries are numbered by ascending id.
  PackedColumn ids_, times_;
  Buffer tags_, seconds_;
  std::shared_ptr<const SegmentFile> file_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SEGMENT_H_
