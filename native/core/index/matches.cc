#include "core/index/matches.h"

#include <algorithm>

namespace neardup {

void Matches::Sort() {
  std::sort(found_.begin(), found_.end(), [](const Match& a, const Match& b) {
    return a.id != b.id ? a.id < b.id : a.distance < b.distance;
  });
  found_.erase(
      std::unique(found_.begin(), found_.end(), [](const Match& a, const Match& b) { return a.id == b.id; }),
      found_.end());
  std::sort(found_.begin(), found_.end(), Nearer);
  if (found_.size() > limit_) found_.resize(static_cast<size_t>(limit_));
}

void Matches::Compact() {
  Finish();
  if (found_.size() < limit_) return;
  bound_ = found_.back();
  bounded_ = true;
}

}  // namespace neardup
