#include "core/index/view_fingerprints.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "core/base/parallel.h"

namespace neardup {

namespace {

constexpr size_t kLeastWords = size_t{1} << 12,
                 kBlockWords = size_t{1} << 18;               // Of a block: at first, later.
constexpr uint64_t kStretch = kBlockWords - kBlockWords / 8;  // Entries of a stretch, about.
constexpr size_t kLookedUp = 4096;                            // Fingerprints of a task,
constexpr size_t kTogether = 32;                              // and so many at a time.

// Appends the fingerprint of each of these entries, which stand together where they are equal, once.
void AppendDistinct(const uint64_t* from, size_t count, WordList* fingerprints,
                    std::vector<uint64_t>* repeated) {
  for (size_t i = 0; i < count; ++i) {
    if (fingerprints->empty() || fingerprints->back() != from[i]) {
      fingerprints->Append(from + i, 1);
    } else if (repeated->empty() || repeated->back() != from[i]) {
      repeated->push_back(from[i]);
    }
  }
}

}  // namespace

void WordList::Append(const uint64_t* words, size_t count) {
  while (count > 0) {
    if (blocks_.empty() || used_ == blocks_.back().size() / 8) {
      Buffer block;
      const size_t size = blocks_.empty() ? kLeastWords : kBlockWords;
      if (!Buffer::AllocateArray(size, 8, &block).ok()) throw std::bad_alloc();
      blocks_.push_back(std::move(block));
      used_ = 0;
    }
    const size_t n = std::min(count, blocks_.back().size() / 8 - used_);
    std::copy(words, words + n, blocks_.back().as<uint64_t>() + used_);
    used_ += n;
    words += n;
    count -= n;
  }
}

void WordList::AddTo(std::vector<Words>* spans) const {
  for (const Buffer& block : blocks_) {
    const size_t count = &block == &blocks_.back() ? used_ : block.size() / 8;
    spans->push_back({block.as<uint64_t>(), count});
  }
}

void ViewFingerprints::ReadStretch(Stretch* stretch) {
  const Removed& removed = stretch->part->removed;
  const PlannedSegment& segment = *stretch->part->segment->planned();
  if (removed.count() != 0) {
    segment.ReadEntries(
        stretch->first, stretch->last, [&](uint64_t slot) { return removed.Has(slot); },
        [&](const uint64_t* from, const uint64_t*, size_t n) {
          AppendDistinct(from, n, &stretch->fingerprints, &stretch->repeated);
        });
    return;
  }
  segment.ReadRows(stretch->first, stretch->last, [&](const uint64_t* from, const uint64_t* rows, size_t n) {
    stretch->fingerprints.Append(from, n);
    for (size_t i = 0; i < n; ++i) {
      if (segment.ids().HasSeveral(rows[i])) stretch->repeated.push_back(from[i]);
    }
  });
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
  WordList fingerprints;
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
  for (const WordList& each : read.held_) each.AddTo(&read.all_);
  *out = std::move(read);
  return Status();
}

void ViewFingerprints::LookUp(const uint64_t* fingerprints, size_t count,
                              std::vector<WordAndValue>* entries) const {
  const size_t before = entries->size();
  for (const SegmentPart* part : in_tables_) {
    const PlannedSegment& segment = *part->segment->planned();
    std::array<uint64_t, kTogether> rows;
    std::array<bool, kTogether> found;
    for (size_t i = 0; i < count; ++i) segment.PrefetchFind(fingerprints[i]);
    for (size_t i = 0; i < count; ++i) {
      found[i] = segment.Find(fingerprints[i], &rows[i]);
      if (found[i]) segment.ids().Prefetch(rows[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      if (!found[i]) continue;
      part->segment->ForEachOfRow(rows[i], [&](uint64_t slot, uint64_t value) {
        if (!part->removed.Has(slot))
          entries->push_back({fingerprints[i], part->segment->EntryOf(fingerprints[i], value).id});
        return true;
      });
    }
  }
  for (size_t i = 0, at = 0; i < count; ++i) {
    at = others_.LowerBound(fingerprints[i], at);
    for (; at < others_.size() && others_.FingerprintAt(at) == fingerprints[i]; ++at)
      entries->push_back({fingerprints[i], others_[at].id});
  }
  std::sort(entries->begin() + static_cast<std::ptrdiff_t>(before), entries->end(),
            [](const WordAndValue& a, const WordAndValue& b) {
              return a.word != b.word ? a.word < b.word : a.value < b.value;
            });
}

Status ViewFingerprints::ListEntries(const uint64_t* fingerprints, size_t count, unsigned threads,
                                     JobControl* control, Listing* out) const {
  std::vector<std::vector<WordAndValue>> found((count + kLookedUp - 1) / kLookedUp);
  ParallelFor(threads, found.size(), [&](size_t task) {
    if (control->cancelled) return;
    const size_t end = std::min(count, (task + 1) * kLookedUp);
    for (size_t from = task * kLookedUp; from < end; from += kTogether)
      LookUp(fingerprints + from, std::min(kTogether, end - from), &found[task]);
  });
  if (control->cancelled) return Status::Aborted();
  return Listing::Join(found, out);
}

}  // namespace neardup
