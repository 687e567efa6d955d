// The entries of a view without columns, to build a segment from.
#ifndef NEARDUP_CORE_INDEX_VIEW_SOURCE_H_
#define NEARDUP_CORE_INDEX_VIEW_SOURCE_H_

#include "core/index/segments_source.h"
#include "core/index/view.h"

namespace neardup {

// The view must outlive it. Entries that are in no tables are copied.
class ViewSource : public EntrySource {
 public:
  explicit ViewSource(const View& view);
  uint64_t count() const override { return in_tables_.count() + others_.count(); }
  uint64_t id_bound() const override { return std::max(in_tables_.id_bound(), others_.id_bound()); }
  size_t parts() const override { return in_tables_.parts() + others_.parts(); }
  void Read(size_t part, const Visit& visit) override;
  void Range(size_t part, const BitList& order, const TablePlan& table, uint64_t* least,
             uint64_t* greatest) const override;

 private:
  SegmentsSource in_tables_;
  const EntryList copied_;
  ArraySource others_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_VIEW_SOURCE_H_
