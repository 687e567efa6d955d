#include "core/index/matches.h"

#include <algorithm>

namespace neardup {

namespace {

// With a smaller limit, this many matches are held before they are cut.
constexpr uint64_t kLeastHeld = 64;
// Memory for more matches than this is given back before the next query.
constexpr size_t kKept = size_t{1} << 16;

}  // namespace

void Matches::Begin(uint64_t limit) {
  if (found_.capacity() > kKept) std::vector<Match>().swap(found_);
  found_.clear();
  limit_ = limit;
  compact_at_ = limit > kNoLimit / 2 ? kNoLimit : std::max(2 * limit, kLeastHeld);
  bounded_ = false;
}

void Matches::Finish() {
  if (found_.size() > 1) {
    std::sort(found_.begin(), found_.end(), [](const Match& a, const Match& b) {
      return a.id != b.id ? a.id < b.id : a.distance < b.distance;
    });
    found_.erase(std::unique(found_.begin(), found_.end(),
                             [](const Match& a, const Match& b) { return a.id == b.id; }),
                 found_.end());
    std::sort(found_.begin(), found_.end(), Nearer);
  }
  if (found_.size() > limit_) found_.resize(static_cast<size_t>(limit_));
}

void Matches::Compact() {
  Finish();
  if (found_.size() < limit_) return;
  bound_ = found_.back();
  bounded_ = true;
}

}  // namespace neardup
