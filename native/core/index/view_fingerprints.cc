#include "core/index/view_fingerprints.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

namespace neardup {

namespace {

constexpr uint64_t kStretch = uint64_t{1} << 17;  // Entries of a stretch, about.
constexpr size_t kLookedUp = 4096;                // Fingerprints of a task.

// Appends the fingerprint of each of these entries, which stand together where they are equal, once.
void AppendDistinct(const uint64_t* from, size_t count, std::vector<uint64_t>* fingerprints,
                    std::vector<uint64_t>* repeated) {
  for (size_t i = 0; i < count; ++i) {
    if (fingerprints->empty() || fingerprints->back() != from[i]) {
      fingerprints->push_back(from[i]);
    } else if (repeated->empty() || repeated->back() != from[i]) {
      repeated->push_back(from[i]);
    }
  }
}

}  // namespace

void ViewFingerprints::ReadStretch(Stretch* stretch) {
  const Removed& removed = stretch->part->removed;
  const PlannedSegment& segment = *stretch->part->segment->planned();
  const auto read = [&](const auto& leave_out) {
    segment.ReadEntries(stretch->first, stretch->last, leave_out,
                        [&](const uint64_t* fingerprints, const uint64_t*, size_t n) {
                          AppendDistinct(fingerprints, n, &stretch->fingerprints, &stretch->repeated);
                        });
  };
  stretch->fingerprints.reserve(static_cast<size_t>(kStretch + kStretch / 8));
  if (removed.count() == 0) return read([](uint64_t) { return false; });
  read([&](uint64_t slot) { return removed.Has(slot); });
}

Status ViewFingerprints::Read(const View& view, unsigned threads, JobControl* control,
                              ViewFingerprints* out) {
  ViewFingerprints read;
  View others;
  others.heads = view.heads;
  std::vector<Stretch> stretches;
  for (const SegmentPart& part : view.segments) {
    const PlannedSegment* planned = part.segment->planned();
    if (planned == nullptr) {
      others.segments.push_back(part);
      continue;
    }
    read.in_tables_.push_back(&part);
    const size_t parts = planned->parts();
    const auto step =
        static_cast<size_t>(std::clamp<uint64_t>(kStretch * parts / (planned->size() + 1), 1, parts + 1));
    for (size_t first = 0; first < parts; first += step)
      stretches.push_back({&part, first, std::min(parts, first + step), {}, {}});
  }
  if (Status s = Listing::Build(others, ColumnSet(), threads, control, &read.others_); !s.ok()) return s;
  std::vector<uint64_t> fingerprints;
  for (size_t i = 0; i < read.others_.size(); ++i) {
    const uint64_t fingerprint = read.others_.FingerprintAt(i);
    AppendDistinct(&fingerprint, 1, &fingerprints, &read.repeated_);
  }
  read.held_.push_back(std::move(fingerprints));
  ParallelFor(threads, stretches.size(), [&](size_t i) {
    if (!control->cancelled) ReadStretch(&stretches[i]);
  });
  if (control->cancelled) return Status::Aborted();
  for (Stretch& stretch : stretches) {
    read.repeated_.insert(read.repeated_.end(), stretch.repeated.begin(), stretch.repeated.end());
    read.held_.push_back(std::move(stretch.fingerprints));
  }
  for (const auto& each : read.held_) read.all_.push_back({each.data(), each.size()});
  *out = std::move(read);
  return Status();
}

Status ViewFingerprints::ListEntries(const uint64_t* fingerprints, size_t count, unsigned threads,
                                     JobControl* control, Listing* out) const {
  std::vector<std::vector<WordAndValue>> found((count + kLookedUp - 1) / kLookedUp);
  ParallelFor(threads, found.size(), [&](size_t task) {
    if (control->cancelled) return;
    std::vector<WordAndValue>& mine = found[task];
    size_t other = 0;
    for (size_t i = task * kLookedUp; i < std::min(count, (task + 1) * kLookedUp); ++i) {
      const uint64_t fingerprint = fingerprints[i];
      const size_t before = mine.size();
      for (const SegmentPart* part : in_tables_) {
        uint64_t row;
        if (!part->segment->Find(fingerprint, &row)) continue;
        part->segment->ForEachOfRow(row, [&](uint64_t slot, uint64_t value) {
          if (!part->removed.Has(slot))
            mine.push_back({fingerprint, part->segment->EntryOf(fingerprint, value).id});
          return true;
        });
      }
      other = others_.LowerBound(fingerprint, other);
      for (; other < others_.size() && others_.FingerprintAt(other) == fingerprint; ++other)
        mine.push_back({fingerprint, others_[other].id});
      if (mine.size() - before < 2) continue;
      std::sort(mine.begin() + static_cast<std::ptrdiff_t>(before), mine.end(),
                [](const WordAndValue& a, const WordAndValue& b) { return a.value < b.value; });
    }
  });
  if (control->cancelled) return Status::Aborted();
  return Listing::Join(found, out);
}

}  // namespace neardup
