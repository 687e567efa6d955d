#include "core/index/index.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "core/base/bits.h"

namespace neardup {

namespace {

// A segment is at least this many times as large as the next.
constexpr uint64_t kRatio = 2;

}  // namespace

void Index::Add(const Entry* entries, size_t count) {
  // Parts, so that no segment gets more entries than its numbers can count.
  constexpr size_t kPart = static_cast<size_t>(Segment::kMaxEntries / 2);
  for (; count > kPart; entries += kPart, count -= kPart) CompactHead(entries, kPart);
  if (head_.size() + count >= options_.head_entries) {
    CompactHead(entries, count);
  } else {
    head_.insert(head_.end(), entries, entries + count);
  }
}

std::vector<AddOutcome> Index::AddIfNew(const Entry* entries, size_t count, unsigned distance) {
  std::vector<AddOutcome> outcomes(count);
  // All the memory that adding needs is there before the first entry is added.
  if (head_.capacity() < head_.size() + count) {
    head_.reserve(std::max(head_.size() + count, 2 * head_.capacity()));
  }
  for (size_t i = 0; i < count; i++) {
    Find(entries[i].fingerprint, distance, 1);
    const bool added = matches_.found().empty();
    outcomes[i] = {added, added ? Match{0, 0} : matches_.found().front()};
    if (!added) continue;
    head_.push_back(entries[i]);
    if (head_.size() >= head_limit_) TryCompactHead();
  }
  if (head_.capacity() / 4 > std::max<uint64_t>(head_.size(), options_.head_entries)) head_.shrink_to_fit();
  return outcomes;
}

Status Index::Query(const uint64_t* fingerprints, size_t count, unsigned distance, uint64_t limit,
                    QueryResult* result) {
  result->offsets.assign(1, 0);
  result->offsets.reserve(count + 1);
  result->matches.clear();
  for (size_t i = 0; i < count; i++) {
    Find(fingerprints[i], distance, limit);
    const std::vector<Match>& found = matches_.found();
    if (result->matches.size() + found.size() > options_.max_matches) {
      return Status::OutOfMemory("the batch has more than " + std::to_string(options_.max_matches) +
                                 " matches; set a limit or query fewer at once");
    }
    result->matches.insert(result->matches.end(), found.begin(), found.end());
    result->offsets.push_back(result->matches.size());
  }
  return Status();
}

void Index::Find(uint64_t fingerprint, unsigned distance, uint64_t limit) {
  matches_.Begin(limit);
  for (const Entry& entry : head_) {
    const unsigned d = PopCount(entry.fingerprint ^ fingerprint);
    if (d <= distance) matches_.Offer(d, entry.id);
  }
  for (const auto& segment : segments_) segment->Query(fingerprint, distance, &matches_);
  matches_.Finish();
}

void Index::CompactHead(const Entry* more, size_t count) {
  uint64_t total = head_.size() + count;
  size_t kept = segments_.size();
  while (kept > 0 && segments_[kept - 1]->size() < kRatio * total &&
         segments_[kept - 1]->size() + total <= Segment::kMaxEntries) {
    total += segments_[--kept]->size();
  }
  std::vector<Entry> entries;
  entries.reserve(static_cast<size_t>(total));
  for (size_t i = kept; i < segments_.size(); i++) segments_[i]->CopyTo(&entries);
  entries.insert(entries.end(), head_.begin(), head_.end());
  entries.insert(entries.end(), more, more + count);
  std::shared_ptr<const Segment> segment = Segment::Build(std::move(entries), options_.max_distance);
  segments_.reserve(kept + 1);
  // Nothing below allocates.
  segments_.resize(kept);
  segments_.push_back(std::move(segment));
  head_.clear();
  head_limit_ = options_.head_entries;
}

void Index::TryCompactHead() {
  try {
    CompactHead(nullptr, 0);
  } catch (const std::bad_alloc&) {
    head_limit_ = 2 * head_.size();
  }
}

uint64_t Index::size() const {
  uint64_t size = head_.size();
  for (const auto& segment : segments_) size += segment->size();
  return size;
}

size_t Index::bytes() const {
  size_t bytes = sizeof(*this) + head_.capacity() * sizeof(Entry);
  for (const auto& segment : segments_) bytes += segment->bytes();
  return bytes;
}

}  // namespace neardup
