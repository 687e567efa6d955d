#include "core/index/pair_reader.h"

#include <algorithm>

#include "core/base/bits.h"
#include "core/index/self_join.h"
#include "core/index/view_fingerprints.h"

namespace neardup {

namespace {

constexpr size_t kQueries = 8192;                 // Entries looked up together, at most,
constexpr uint64_t kMatches = uint64_t{1} << 22;  // and with so many matches: fewer where there are more.
constexpr size_t kKeptPairs = size_t{1} << 16;    // Room for more is given back.
constexpr unsigned kSortedDistance = 4;           // Up to this, sorting is faster than asking.
constexpr size_t kListedShare = 8;  // From one in so many fingerprints in pairs on, all are listed.

}  // namespace

Status PairReader::Next(size_t most, JobControl* control, std::vector<Pair>* pairs) {
  pairs->clear();
  if (!prepared_) {
    if (Status s = Prepare(control); !s.ok()) return s;
  }
  if (given_ == ready_.size()) {
    if (ready_.capacity() > kKeptPairs) std::vector<Pair>().swap(ready_);
    ready_.clear();
    given_ = 0;
  }
  while (ready_.empty() && at_ < listing_.size()) {
    Status status = sorted_ ? ReadFromSorted(most, control) : ReadByQueries(control);
    if (!status.ok()) return status;
  }
  const size_t end = given_ + std::min(most, ready_.size() - given_);
  pairs->assign(ready_.begin() + static_cast<std::ptrdiff_t>(given_),
                ready_.begin() + static_cast<std::ptrdiff_t>(end));
  given_ = end;
  return Status();
}

Status PairReader::Prepare(JobControl* control) {
  for (const View* view : {&view_, &other_}) {
    if (Status s = view->EnsureVerified(&control->cancelled); !s.ok()) return s;
  }
  const bool plain = !is_join_ && !options_.by_tag && !options_.by_second && options_.search.since == 0 &&
                     options_.search.distance <= kSortedDistance;
  if (plain) {
    if (Status s = SortPairs(control); !s.ok()) return s;
  }
  if (sorted_) {
    view_ = {};
  } else if (Status s = Listing::Build(view_, options_.columns, options_.threads, control, &listing_);
             !s.ok()) {
    return s;
  }
  prepared_ = true;
  return Status();
}

Status PairReader::SortPairs(JobControl* control) {
  ViewFingerprints fingerprints;
  if (Status s = ViewFingerprints::Read(view_, options_.threads, control, &fingerprints); !s.ok()) return s;
  JobControl join;
  std::vector<WordAndValue> found;
  const auto sink = [&](const uint64_t* pairs, size_t n) {
    if (found.size() + n > options_.max_sorted_pairs || control->cancelled) join.cancelled = true;
    if (join.cancelled) return;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t a = pairs[2 * i], b = pairs[2 * i + 1];
      found.push_back({std::min(a, b), std::max(a, b)});
    }
  };
  Status status = SelfJoin(fingerprints.all(), options_.search.distance, options_.threads, sink, join.work());
  if (control->cancelled) return Status::Aborted();
  if (join.cancelled) return Status();
  if (!status.ok()) return status;
  if (Status s = ListInPairs(fingerprints, found, control); !s.ok()) return s;

  // Of each pair of fingerprints one, however many segments they are in; equal ones need no list.
  Buffer sorted;
  if (Status s = Buffer::AllocateArray(found.size(), sizeof(WordAndValue), &sorted); !s.ok()) return s;
  auto* items = sorted.as<WordAndValue>();
  const auto item = [&](size_t i) { return found[i]; };
  if (Status s = RadixSort(item, found.size(), items, options_.threads); !s.ok()) return s;
  size_t kept = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (items[i].word == items[i].value) continue;
    if (i > 0 && items[i].word == items[i - 1].word && items[i].value == items[i - 1].value) continue;
    found[kept++] = items[i];
  }
  found.resize(kept);
  fingerprint_pairs_ = std::move(found);
  sorted_ = true;
  return Status();
}

Status PairReader::ListInPairs(const ViewFingerprints& fingerprints, const std::vector<WordAndValue>& pairs,
                               JobControl* control) {
  const std::vector<uint64_t>& repeated = fingerprints.repeated();
  const size_t count = 2 * pairs.size() + repeated.size();
  if (count > view_.size() / kListedShare)
    return Listing::Build(view_, ColumnSet(), options_.threads, control, &listing_);
  Buffer buffer;
  if (Status s = Buffer::AllocateArray(count, 8, &buffer); !s.ok()) return s;
  auto* wanted = buffer.as<uint64_t>();
  const auto each = [&](size_t i) {
    if (i >= 2 * pairs.size()) return repeated[i - 2 * pairs.size()];
    return i % 2 == 0 ? pairs[i / 2].word : pairs[i / 2].value;
  };
  if (Status s = RadixSort(each, count, wanted, options_.threads); !s.ok()) return s;
  const auto distinct = static_cast<size_t>(std::unique(wanted, wanted + count) - wanted);
  return fingerprints.ListEntries(wanted, distinct, options_.threads, control, &listing_);
}

size_t PairReader::EndOfDocument(size_t at) const {
  const Entry entry = listing_[at];
  for (++at; at < listing_.size() && listing_.FingerprintAt(at) == entry.fingerprint; ++at) {
    if (listing_[at].id != entry.id) break;
  }
  return at;
}

Status PairReader::ReadByQueries(JobControl* control) {
  std::vector<uint64_t> fingerprints, ids, seconds;
  std::vector<uint32_t> tags;
  size_t at = at_;
  // Entries of one document that do not differ in what counts are looked up once.
  std::vector<std::pair<uint32_t, uint64_t>> asked;
  for (size_t end; at < listing_.size() && fingerprints.size() < queries_; at = end) {
    end = EndOfDocument(at);
    asked.clear();
    for (size_t i = at; i < end; ++i) {
      const Entry entry = listing_[i];
      asked.push_back({options_.by_tag ? entry.tag : 0, options_.by_second ? entry.second : 0});
    }
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    const Entry entry = listing_[at];
    for (const auto& [tag, second] : asked) {
      fingerprints.push_back(entry.fingerprint);
      ids.push_back(entry.id);
      if (options_.by_tag) tags.push_back(tag);
      if (options_.by_second) seconds.push_back(second);
    }
  }
  const Queries queries = {fingerprints.size(), fingerprints.data(), options_.by_tag ? tags.data() : nullptr,
                           options_.by_second ? seconds.data() : nullptr, is_join_ ? nullptr : ids.data()};
  QueryResult result;
  const WorkControl cancel = {&control->cancelled, nullptr};
  Status status = (is_join_ ? other_ : view_)
                      .QueryParallel(queries, options_.search, queries_ > 1 ? kMatches : kNoLimit,
                                     options_.threads, cancel, &result);
  if (status.code() == StatusCode::kOutOfMemory && queries_ > 1) {
    queries_ /= 2;
    return Status();
  }
  if (!status.ok()) return status;
  queries_ = std::min(kQueries, 2 * queries_);
  std::vector<Pair> pairs;
  for (size_t from = 0, to; from < queries.count; from = to) {
    matches_.Begin(options_.search.limit);
    for (to = from; to < queries.count && fingerprints[to] == fingerprints[from] && ids[to] == ids[from];
         ++to) {
      for (uint64_t m = result.offsets[to]; m < result.offsets[to + 1]; ++m)
        matches_.Offer(result.matches[m].distance, result.matches[m].id);
    }
    matches_.Finish();
    for (const Match& match : matches_.found()) pairs.push_back({ids[from], match.id, match.distance});
  }
  ready_.swap(pairs);
  at_ = at;
  return Status();
}

Status PairReader::ReadFromSorted(size_t most, JobControl* control) {
  constexpr size_t kCheck = 65536;
  for (size_t steps = 0; at_ < listing_.size() && ready_.size() < most; ++at_) {
    if (++steps % kCheck == 0 && control->cancelled) return ready_.empty() ? Status::Aborted() : Status();
    const Entry entry = listing_[at_];
    if (at_ > 0 && listing_.FingerprintAt(at_ - 1) == entry.fingerprint && listing_[at_ - 1].id == entry.id)
      continue;  // A copy.
    while (next_pair_ < fingerprint_pairs_.size() && fingerprint_pairs_[next_pair_].word < entry.fingerprint)
      ++next_pair_;
    matches_.Begin(options_.search.limit);
    const auto offer = [&](size_t from, uint64_t fingerprint, unsigned distance) {
      for (size_t i = from; i < listing_.size() && listing_.FingerprintAt(i) == fingerprint; ++i) {
        const uint64_t id = listing_[i].id;
        if (id != entry.id && !matches_.Offer(distance, id)) return;
      }
    };
    offer(at_ + 1, entry.fingerprint, 0);
    size_t from = at_;
    for (size_t p = next_pair_;
         p < fingerprint_pairs_.size() && fingerprint_pairs_[p].word == entry.fingerprint; ++p) {
      const uint64_t other = fingerprint_pairs_[p].value;
      from = listing_.LowerBound(other, from);
      offer(from, other, PopCount(other ^ entry.fingerprint));
    }
    matches_.Finish();
    // All of an entry's pairs or, where memory is refused, none.
    const size_t needed = ready_.size() + matches_.found().size();
    if (ready_.capacity() < needed) ready_.reserve(std::max(needed, 2 * ready_.capacity()));
    for (const Match& match : matches_.found()) ready_.push_back({entry.id, match.id, match.distance});
  }
  return Status();
}

}  // namespace neardup
