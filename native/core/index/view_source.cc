#include "core/index/view_source.h"

#include <vector>

namespace neardup {

namespace {

std::vector<PlannedPart> InTables(const View& view) {
  std::vector<PlannedPart> parts;
  for (const SegmentPart& part : view.segments) {
    if (part.segment->planned() != nullptr) parts.push_back({part.segment->planned(), part.removed});
  }
  return parts;
}

EntryList Others(const View& view) {
  View others;
  others.heads = view.heads;
  for (const SegmentPart& part : view.segments) {
    if (part.segment->planned() == nullptr) others.segments.push_back(part);
  }
  EntryList entries;
  entries.Reserve(static_cast<size_t>(others.size()));
  others.ForEachEntry([&](const Entry& entry) { entries.Push(entry); });
  return entries;
}

}  // namespace

ViewSource::ViewSource(const View& view)
    : in_tables_(InTables(view)),
      copied_(Others(view)),
      others_(copied_.view().fingerprints, copied_.view().ids, copied_.size()) {}

void ViewSource::Read(size_t part, const Visit& visit) {
  if (part < in_tables_.parts()) return in_tables_.Read(part, visit);
  others_.Read(part - in_tables_.parts(), visit);
}

void ViewSource::Range(size_t part, const BitList& order, const TablePlan& table, uint64_t* least,
                       uint64_t* greatest) const {
  if (part < in_tables_.parts()) return in_tables_.Range(part, order, table, least, greatest);
  others_.Range(part - in_tables_.parts(), order, table, least, greatest);
}

}  // namespace neardup
