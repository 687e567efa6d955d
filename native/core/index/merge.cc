#include "core/index/merge.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "core/index/view_source.h"

namespace neardup {

namespace {

// So few removals may be left for the index's thread.
constexpr size_t kFew = 256;
// Memory to merge in: at least so much in all, and so many bytes for each entry.
constexpr uint64_t kWorkMemory = uint64_t{1} << 28;
constexpr uint64_t kWorkBytes = 4;

}  // namespace

void Merge::Run() {
  try {
    status_ = Build();
  } catch (const std::bad_alloc&) {
    status_ = Status::OutOfMemory();
  } catch (const std::exception& error) {
    status_ = Status(StatusCode::kUnsupported, error.what());
  }
  for (;;) {
    std::vector<Removal> removals;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const bool long_work =
          std::any_of(removals_.begin(), removals_.end(), [](auto& r) { return r.before != 0; });
      if (!status_.ok() || control.cancelled || (removals_.size() <= kFew && !long_work)) {
        done_ = true;
        break;
      }
      removals.swap(removals_);
    }
    try {
      Apply(removals);
    } catch (const std::bad_alloc&) {
      status_ = Status::OutOfMemory();
    }
  }
  ended_.notify_all();
}

Status Merge::Build() {
  if (Status s = parts_.EnsureVerified(&control.cancelled); !s.ok()) return s;
  const uint64_t count = parts_.size();
  if (count == 0) return Status();
  BuildOptions options;
  options.threads = threads_;
  options.work_memory = std::max(kWorkMemory, count * kWorkBytes);
  options.control = control.work();
  if (!columns_.any()) {
    ViewSource source(parts_);
    return Segment::Build(&source, *planner_, held_, options, &result_.segment);
  }
  EntryList entries(columns_);
  entries.Reserve(static_cast<size_t>(count));
  parts_.ForEachEntry([&](const Entry& entry) { entries.Push(entry); });
  if (control.cancelled) return Status::Aborted();
  return Segment::Build(entries.view(), columns_, *planner_, held_, options, &result_.segment);
}

bool Merge::Has(const Segment* segment) const {
  return std::any_of(parts_.segments.begin(), parts_.segments.end(),
                     [&](auto& part) { return part.segment.get() == segment; }) ||
         std::any_of(adopted_.begin(), adopted_.end(), [&](auto& each) { return each.get() == segment; });
}

bool Merge::Has(const Head* head) const {
  return std::any_of(parts_.heads.begin(), parts_.heads.end(),
                     [&](auto& part) { return part.head.get() == head; });
}

void Merge::Remove(uint64_t fingerprint, uint64_t id) { Note({fingerprint, id, 0}); }
void Merge::RemoveBefore(uint64_t time) { Note({0, 0, time}); }

void Merge::Note(const Removal& removal) {
  const std::lock_guard<std::mutex> lock(mutex_);
  removals_.push_back(removal);
}

void Merge::Apply(const std::vector<Removal>& removals) {
  if (result_.segment == nullptr) return;
  for (const Removal& removal : removals) {
    if (removal.before != 0) {
      neardup::RemoveBefore(removal.before, &result_);
    } else {
      neardup::Remove(removal.fingerprint, removal.id, &result_);
    }
  }
}

bool Merge::done() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return done_;
}

void Merge::Wait() const {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return done_; });
}

Status Merge::Take(SegmentPart* result) {
  if (!status_.ok()) return status_;
  Apply(removals_);
  removals_.clear();
  *result = std::move(result_);
  return Status();
}

}  // namespace neardup
