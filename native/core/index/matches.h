// Gathers the matches of one query. An id may be offered more than once: its smallest distance counts. With a
// limit, no more than about twice the limit are held, whatever number is offered. Not thread-safe.
#ifndef NEARDUP_CORE_INDEX_MATCHES_H_
#define NEARDUP_CORE_INDEX_MATCHES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/entry.h"

namespace neardup {

constexpr uint64_t kNoLimit = ~uint64_t{0};

class Matches {
 public:
  // Starts a query whose first `limit` (at least 1) matches are wanted.
  void Begin(uint64_t limit) {
    if (found_.capacity() > kKept) std::vector<Match>().swap(found_);
    found_.clear();
    limit_ = limit;
    compact_at_ = limit > kNoLimit / 2 ? kNoLimit : std::max(2 * limit, kLeastHeld);
    bounded_ = false;
  }

  // Offers one match. False: neither it nor any larger id at this distance can be among the first `limit`.
  bool Offer(unsigned distance, uint64_t id) {
    const Match match = {id, distance};
    if (bounded_ && !Nearer(match, bound_)) return false;
    if (found_.size() >= compact_at_) Compact();
    found_.push_back(match);
    return true;
  }

  // Sorts by distance, then id; keeps each id once, at its smallest distance; cuts at the limit.
  void Finish() {
    if (found_.size() > 1) Sort();
  }

  const std::vector<Match>& found() const { return found_; }

 private:
  // With a smaller limit, this many matches are held before they are cut.
  static constexpr uint64_t kLeastHeld = 64;
  // Memory for more matches than this is given back before the next query.
  static constexpr size_t kKept = size_t{1} << 16;

  void Sort();
  void Compact();

  std::vector<Match> found_;
  uint64_t limit_ = kNoLimit;
  uint64_t compact_at_ = kNoLimit;
  // Offers from here on cannot be among the first `limit_`.
  Match bound_ = {0, 0};
  bool bounded_ = false;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_MATCHES_H_
