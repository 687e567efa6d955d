#include "core/index/segment.h"

#include <algorithm>

namespace neardup {

std::shared_ptr<const Segment> Segment::Build(std::vector<Entry> entries, unsigned max_distance) {
  auto segment = std::make_shared<Segment>();
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.fingerprint != b.fingerprint ? a.fingerprint < b.fingerprint : a.id < b.id;
  });
  size_t rows = 0;
  for (size_t i = 0; i < entries.size(); i++) {
    rows += i == 0 || entries[i].fingerprint != entries[i - 1].fingerprint;
  }
  segment->fingerprints_.reserve(rows);
  segment->starts_.reserve(rows + 1);
  segment->ids_.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (segment->fingerprints_.empty() || segment->fingerprints_.back() != entry.fingerprint) {
      segment->fingerprints_.push_back(entry.fingerprint);
      segment->starts_.push_back(static_cast<uint32_t>(segment->ids_.size()));
    }
    segment->ids_.push_back(entry.id);
  }
  segment->starts_.push_back(static_cast<uint32_t>(segment->ids_.size()));
  std::vector<Entry>().swap(entries);
  const std::vector<BlockPlan> plans = PlanBlocks(segment->fingerprints_.data(), rows, max_distance);
  segment->tables_.reserve(plans.size());
  for (const BlockPlan& plan : plans) {
    segment->tables_.emplace_back(plan, segment->fingerprints_.data(), rows);
  }
  return segment;
}

void Segment::Query(uint64_t fingerprint, unsigned distance, Matches* matches) const {
  if (tables_.empty()) {
    for (size_t row = 0; row < fingerprints_.size(); row++) {
      const unsigned d = PopCount(fingerprints_[row] ^ fingerprint);
      if (d <= distance) OfferRow(static_cast<uint32_t>(row), d, matches);
    }
  }
  for (size_t t = 0; t < tables_.size(); t++) {
    const int radius = tables_[t].radius(distance);
    if (radius < 0) continue;
    const auto offer = [&](uint32_t row, uint64_t difference) {
      for (size_t before = 0; before < t; before++) {
        if (tables_[before].Finds(difference, distance)) return;
      }
      OfferRow(row, PopCount(difference), matches);
    };
    tables_[t].Probe(fingerprint, static_cast<unsigned>(radius), distance, offer);
  }
}

void Segment::OfferRow(uint32_t row, unsigned distance, Matches* matches) const {
  for (uint32_t i = starts_[row]; i < starts_[row + 1]; i++) {
    if (!matches->Offer(distance, ids_[i])) return;
  }
}

void Segment::CopyTo(std::vector<Entry>* entries) const {
  for (size_t row = 0; row < fingerprints_.size(); row++) {
    for (uint32_t i = starts_[row]; i < starts_[row + 1]; i++)
      entries->push_back({fingerprints_[row], ids_[i]});
  }
}

size_t Segment::bytes() const {
  size_t bytes = sizeof(*this) + 8 * (fingerprints_.capacity() + ids_.capacity()) + 4 * starts_.capacity();
  for (const BlockTable& table : tables_) bytes += table.bytes();
  return bytes;
}

}  // namespace neardup
