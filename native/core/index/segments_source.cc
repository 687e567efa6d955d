#include "core/index/segments_source.h"

#include <algorithm>
#include <utility>

namespace neardup {

namespace {

constexpr uint64_t kPartEntries = uint64_t{1} << 16;  // About, in a part.

bool SameRanges(const TablePlan& a, const TablePlan& b) {
  return a.codes == b.codes &&
         std::equal(a.key.begin(), a.key.end(), b.key.begin(), b.key.end(),
                    [](BitRange x, BitRange y) { return x.low == y.low && x.width == y.width; });
}

}  // namespace

SegmentsSource::SegmentsSource(std::vector<PlannedPart> segments) : segments_(std::move(segments)) {
  for (size_t i = 0; i < segments_.size(); ++i) {
    const PlannedSegment& segment = *segments_[i].segment;
    count_ += segment.size() - std::min(segment.size(), segments_[i].removed.count());
    id_bound_ = std::max(id_bound_, segment.ids().bound());
    const size_t parts = segment.parts();
    const auto step =
        static_cast<size_t>(std::clamp<uint64_t>(kPartEntries * parts / (segment.size() + 1), 1, parts + 1));
    for (size_t first = 0; first < parts; first += step)
      parts_.push_back({i, first, std::min(parts, first + step)});
  }
}

void SegmentsSource::Read(size_t part, const Visit& visit) {
  const auto [index, first, last] = parts_[part];
  const Removed& removed = segments_[index].removed;
  segments_[index].segment->ReadEntries(
      first, last, [&](uint64_t slot) { return removed.Has(slot); }, visit);
}

void SegmentsSource::Range(size_t part, const BitList& order, const TablePlan& table, uint64_t* least,
                           uint64_t* greatest) const {
  const auto [index, first, last] = parts_[part];
  const PlannedSegment& segment = *segments_[index].segment;
  if (segment.plan().order != order || !SameRanges(segment.plan().tables[0], table))
    return EntrySource::Range(part, order, table, least, greatest);
  const Table& primary = segment.tables()[0];
  *least = primary.FirstWord(first);
  *greatest = primary.FirstWord(last) - 1;
}

}  // namespace neardup
