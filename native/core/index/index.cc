#include "core/index/index.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace neardup {

namespace {

// A part at least this many times as large as those before it together stays out of their merge.
constexpr uint64_t kRatio = 2;
// A segment is rewritten when more than one in so many of its entries was removed.
constexpr uint64_t kRemovedShare = 4;
constexpr size_t kMostWaiting = 8;  // Full heads, and pairs of small segments, before adding waits.
constexpr size_t kRound = 4096;     // Entries of AddIfNew looked up together.
constexpr size_t kAhead = 4;        // Fingerprints whose look-up in a head is prepared.
constexpr unsigned kMergeThreads = 1;

unsigned Cores() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

Index::Index(const IndexOptions& options)
    : options_(options),
      planner_(std::make_shared<SegmentPlanner>(options.max_distance, options.bytes_per_entry)),
      small_threads_(ThreadPool::Background(false)),
      large_threads_(ThreadPool::Background(true)) {
  StartHead();
}

Index::~Index() {
  for (const auto& merge : {small_, large_}) {
    if (merge != nullptr) merge->control.cancelled = true;
  }
}

uint64_t Index::size() const { return parts_.size(); }
uint64_t Index::bytes() const { return sizeof(*this) + parts_.bytes(); }

void Index::StartHead() {
  const auto head = std::make_shared<Head>(options_.max_distance, options_.columns);
  parts_.heads.push_back({head, {}});
  filling_ = head;
  copied_ = {};
  parts_changed_ = true;
}

Status Index::Add(const EntryColumns& entries) {
  Poll();
  if (entries.count >= options_.head_entries) {
    std::shared_ptr<const Segment> segment;
    BuildOptions build;
    build.threads = Cores();
    Status status =
        Segment::Build(entries, options_.columns, *planner_, size() + entries.count, build, &segment);
    if (status.ok()) AddSegment(std::move(segment));
    WaitForRoom();
    return status;
  }
  if (filling_->size() >= options_.head_entries) StartHead();
  filling_->Reserve(entries.count);
  for (size_t i = 0; i < entries.count; ++i) filling_->Push(entries[i]);
  WaitForRoom();
  return Status();
}

void Index::AddSegment(std::shared_ptr<const Segment> segment) {
  parts_.segments.push_back({std::move(segment), {}, nullptr});
  parts_changed_ = true;
  Poll();
}

Status Index::AddIfNew(const EntryColumns& entries, unsigned distance, unsigned second_distance,
                       std::vector<AddOutcome>* outcomes) {
  Poll();
  outcomes->resize(entries.count);
  Search search;
  search.distance = distance;
  search.second_distance = second_distance;
  search.limit = 1;
  for (size_t from = 0, to; from < entries.count; from = to) {
    if (filling_->size() >= options_.head_entries) {
      StartHead();
      Poll();
      WaitForRoom();
    }
    to = std::min<size_t>({entries.count, from + kRound, from + options_.head_entries - filling_->size()});
    const EntryColumns round = entries.Part(from, to);
    const Queries queries = {round.count, round.fingerprints, round.tags,
                             second_distance < 64 ? round.seconds : nullptr, nullptr};
    filling_->Reserve(round.count);
    nearest_.offsets.clear();
    nearest_.matches.clear();
    // The head that is filled is asked for each entry, as earlier ones of the round may be there.
    const Status status =
        parts_.Query(queries, search, kNoLimit, parts_.heads.size() - 1, &scratch_, &nearest_);
    if (!status.ok()) return status;
    for (size_t i = 0; i < round.count; ++i) {
      if (i + kAhead < round.count) filling_->Prefetch(round.fingerprints[i + kAhead]);
      Matches& matches = scratch_.matches;
      matches.Begin(1);
      for (uint64_t m = nearest_.offsets[i]; m < nearest_.offsets[i + 1]; ++m)
        matches.Offer(nearest_.matches[m].distance, nearest_.matches[m].id);
      QueryHead(parts_.heads.back(), queries, i, search, &scratch_);
      matches.Finish();
      const bool added = matches.found().empty();
      (*outcomes)[from + i] = {added, added ? Match{0, 0} : matches.found().front()};
      if (added) filling_->Push(round[i]);
    }
  }
  return Status();
}

Status Index::Query(const Queries& queries, const Search& search, QueryResult* result) {
  Poll();
  result->offsets.clear();
  result->matches.clear();
  return parts_.Query(queries, search, options_.max_matches, &scratch_, result);
}

uint64_t Index::Remove(uint64_t fingerprint, uint64_t id) {
  // Merges are told first: what they know and the parts do not, as memory was refused, does no harm.
  for (const auto& merge : {small_, large_}) {
    if (merge != nullptr) merge->Remove(fingerprint, id);
  }
  uint64_t removed = 0;
  for (SegmentPart& part : parts_.segments) removed += neardup::Remove(fingerprint, id, &part);
  for (HeadPart& part : parts_.heads) removed += neardup::Remove(fingerprint, id, &part);
  parts_changed_ |= removed != 0;
  return removed;
}

Status Index::RemoveBefore(uint64_t time, uint64_t* removed) {
  *removed = 0;
  if (Status s = parts_.EnsureVerified(); !s.ok()) return s;
  for (const auto& merge : {small_, large_}) {
    if (merge != nullptr) merge->RemoveBefore(time);
  }
  for (SegmentPart& part : parts_.segments) *removed += neardup::RemoveBefore(time, &part);
  for (HeadPart& part : parts_.heads) *removed += neardup::RemoveBefore(time, &part);
  parts_changed_ |= *removed != 0;
  Poll();
  return Status();
}

View Index::Snapshot() {
  Poll();
  View view = parts_;
  HeadPart& last = view.heads.back();
  if (copied_.head == nullptr || copied_.head->size() != last.head->size())
    copied_.head = std::make_shared<Head>(*last.head);
  last.head = copied_.head;
  return view;
}

void Index::Poll() {
  try {
    Take(&small_);
    Take(&large_);
  } catch (const std::bad_alloc&) {  // Nothing was taken: the next call may.
  }
  Schedule();
}

void Index::Take(std::shared_ptr<Merge>* merge) {
  if (*merge == nullptr || !(*merge)->done()) return;
  parts_.segments.reserve(parts_.segments.size() + 1);
  SegmentPart result;
  const Status status = (*merge)->Take(&result);
  const bool is_compaction = *merge == compaction_;
  if (is_compaction) {
    compaction_ = nullptr;
    compacted_ = compacting_;
    compaction_status_ = status;
  }
  if (status.ok()) {
    // Nothing below allocates.
    auto& segments = parts_.segments;
    segments.erase(std::remove_if(segments.begin(), segments.end(),
                                  [&](auto& part) { return (*merge)->Has(part.segment.get()); }),
                   segments.end());
    auto& heads = parts_.heads;
    heads.erase(std::remove_if(heads.begin(), heads.end(),
                               [&](auto& part) { return (*merge)->Has(part.head.get()); }),
                heads.end());
    if (result.segment != nullptr) segments.push_back(std::move(result));
  }
  // A segment that is damaged stays out of merges from now on: others go on without it.
  const bool refused = !status.ok() && status.code() != StatusCode::kCorrupt;
  if (!is_compaction) *RefusedAt(merge) = refused ? std::max<uint64_t>(1, size()) : 0;
  parts_changed_ = true;
  Discard(std::move(*merge));
}

void Index::Discard(std::shared_ptr<const void> memory) {
  try {
    large_threads_->Run([memory] {});
  } catch (const std::bad_alloc&) {  // Then here.
  }
}

void Index::Schedule() {
  if (!parts_changed_) return;
  if (requested_ != compacting_) {
    if (small_ != nullptr || large_ != nullptr) return;
    BeginCompaction();
  }
  parts_changed_ = false;
  if (small_ == nullptr) StartMerge(&small_);
  if (large_ == nullptr) StartMerge(&large_);
}

void Index::StartMerge(std::shared_ptr<Merge>* merge) {
  uint64_t* refused_at = RefusedAt(merge);
  const uint64_t held = size(), quarter = *refused_at / 4;
  if (*refused_at != 0 && held > *refused_at - quarter && held < *refused_at + quarter) return;
  try {
    Start(ChooseParts(merge == &small_), merge);
  } catch (const std::bad_alloc&) {
    *refused_at = std::max<uint64_t>(1, held);
  }
}

void Index::BeginCompaction() {
  compacting_ = requested_;
  compaction_status_ = Status();
  try {
    if (filling_->size() != 0) StartHead();
    View parts = parts_;
    parts.heads.pop_back();
    const bool is_compact =
        parts.heads.empty() &&
        (parts.segments.empty() || (parts.segments.size() == 1 && parts.segments[0].removed.count() == 0));
    if (!is_compact) {
      Start(std::move(parts), &large_);
      compaction_ = large_;
      return;
    }
  } catch (const std::bad_alloc&) {
    compaction_status_ = Status::OutOfMemory();
  }
  compacted_ = compacting_;
}

uint64_t Index::RequestCompaction() {
  parts_changed_ = true;
  return ++requested_;
}

void Index::AbandonCompaction() {
  requested_ = compacting_;
  parts_changed_ = true;
}

uint64_t Index::compacted(Status* status) const {
  *status = compaction_status_;
  return compacted_;
}

View Index::ChooseParts(bool small) const {
  View chosen;
  uint64_t total = 0;
  if (small) {
    for (const HeadPart& part : parts_.heads) {
      if (part.head == filling_ || IsMerging(part)) continue;
      chosen.heads.push_back(part);
      total += part.head->size();
    }
  }
  std::vector<const SegmentPart*> segments;
  for (const SegmentPart& part : parts_.segments) {
    if (IsMerging(part) || part.segment->is_corrupt()) continue;
    if (part.removed.count() > part.segment->size() / kRemovedShare &&
        (part.size() < options_.small_merge) == small) {
      chosen.segments.push_back(part);
      total += part.size();
    } else if (!small || part.size() < options_.small_merge) {
      segments.push_back(&part);
    }
  }
  const bool has_work = total != 0 || !chosen.segments.empty();
  std::sort(segments.begin(), segments.end(), [](auto* a, auto* b) { return a->size() < b->size(); });
  for (const SegmentPart* part : segments) {
    if (total != 0 && part->size() >= kRatio * total) break;
    chosen.segments.push_back(*part);
    total += part->size();
  }
  const bool worth = has_work || chosen.segments.size() > 1;
  return worth && (small || total >= options_.small_merge) ? chosen : View();
}

bool Index::IsMerging(const SegmentPart& part) const {
  return (small_ != nullptr && small_->Has(part.segment.get())) ||
         (large_ != nullptr && large_->Has(part.segment.get()));
}

bool Index::IsMerging(const HeadPart& part) const {
  return (small_ != nullptr && small_->Has(part.head.get())) ||
         (large_ != nullptr && large_->Has(part.head.get()));
}

void Index::Start(View parts, std::shared_ptr<Merge>* merge) {
  if (parts.segments.empty() && parts.heads.empty()) return;
  auto started = std::make_shared<Merge>(std::move(parts), options_.columns, planner_, size(), kMergeThreads);
  const auto work = [started, on_end = options_.on_merge_end] {
    started->Run();
    if (on_end) on_end();
  };
  *merge = started;
  if (!(merge == &small_ ? small_threads_ : large_threads_)->Run(work)) work();
}

void Index::WaitForRoom() {
  const auto waiting = [this] {
    const auto heads = std::count_if(parts_.heads.begin(), parts_.heads.end(), [this](const HeadPart& part) {
      return part.head != filling_ && !(large_ != nullptr && large_->Has(part.head.get()));
    });
    const auto segments =
        std::count_if(parts_.segments.begin(), parts_.segments.end(), [this](const auto& part) {
          return part.size() < options_.small_merge &&
                 !(large_ != nullptr && large_->Has(part.segment.get()));
        });
    return static_cast<size_t>(heads + segments / 2);
  };
  while (small_ != nullptr && waiting() > kMostWaiting) {
    small_->Wait();
    Poll();
  }
}

}  // namespace neardup
