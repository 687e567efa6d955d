#include "core/index/bulk_loader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace neardup {

namespace {

constexpr size_t kSlab = size_t{2} << 20;  // A huge page.
constexpr uint64_t kLeastWorkMemory = uint64_t{1} << 26;
constexpr size_t kSample = size_t{1} << 16;  // Fingerprints looked at to choose a plan.
constexpr size_t kChunk = 1024;              // Entries handed over at once.

}  // namespace

// Each slab is read once and given back.
class BulkLoader::Source : public EntrySource {
 public:
  explicit Source(BulkLoader* loader)
      : slabs_(std::exchange(loader->slabs_, {})),
        count_(std::exchange(loader->count_, 0)),
        id_bound_(std::exchange(loader->max_id_, 0)) {}
  uint64_t count() const override { return count_; }
  uint64_t id_bound() const override { return id_bound_; }
  size_t parts() const override { return slabs_.size(); }
  bool read_once() const override { return true; }
  void Read(size_t part, const Visit& visit) override {
    Slab slab = std::move(slabs_[part]);
    if (slab.wide) return visit(slab.fingerprints(), slab.wide_ids(), slab.count);
    uint64_t ids[kChunk];
    for (size_t at = 0; at < slab.count; at += kChunk) {
      const size_t n = std::min<size_t>(kChunk, slab.count - at);
      std::copy_n(slab.narrow_ids() + at, n, ids);
      visit(slab.fingerprints() + at, ids, n);
    }
  }

 private:
  std::vector<Slab> slabs_;
  const uint64_t count_, id_bound_;
};

Status BulkLoader::Add(const uint64_t* fingerprints, const uint64_t* ids, size_t count) {
  for (size_t at = 0, n; at < count; at += n) {
    n = std::min(kChunk, count - at);
    const uint64_t greatest = *std::max_element(ids + at, ids + at + n);
    const bool wide = std::max(max_id_, greatest) >> 32 != 0;
    if (slabs_.empty() || slabs_.back().count == slabs_.back().capacity || slabs_.back().wide != wide) {
      Slab slab = {Buffer(), static_cast<uint32_t>(kSlab / (wide ? 16 : 12)), 0, wide};
      if (Status s = Buffer::Allocate(kSlab, &slab.buffer); !s.ok()) return s;
      try {
        slabs_.push_back(std::move(slab));
      } catch (const std::bad_alloc&) {
        return Status::OutOfMemory();
      }
    }
    Slab& slab = slabs_.back();
    n = std::min<size_t>(n, slab.capacity - slab.count);
    std::memcpy(slab.fingerprints() + slab.count, fingerprints + at, 8 * n);
    if (wide) {
      std::memcpy(slab.wide_ids() + slab.count, ids + at, 8 * n);
    } else {
      for (size_t i = 0; i < n; ++i) slab.narrow_ids()[slab.count + i] = static_cast<uint32_t>(ids[at + i]);
    }
    slab.count += static_cast<uint32_t>(n);
    count_ += n;
    max_id_ = std::max(max_id_, greatest);
  }
  return Status();
}

uint64_t BulkLoader::bytes() const { return slabs_.size() * kSlab + slabs_.capacity() * sizeof(Slab); }

std::vector<uint64_t> BulkLoader::Sample() const {
  std::vector<uint64_t> sample;
  const auto step = static_cast<size_t>(count_ / kSample + 1);
  for (const Slab& slab : slabs_) {
    for (size_t i = 0; i < slab.count; i += step) sample.push_back(slab.fingerprints()[i]);
  }
  return sample;
}

std::unique_ptr<EntrySource> BulkLoader::TakeEntries() { return std::make_unique<Source>(this); }

Plan BulkLoader::ChoosePlan(PlanRequest request) const {
  request.count = count_;
  request.id_bits = id_bits();
  const std::vector<PlanOption> options = ListPlans(request);
  const auto tables =
      std::find_if(options.begin(), options.end(), [](const PlanOption& o) { return !o.scan; });
  if (tables == options.end()) return Plan();
  Plan plan = tables->plan;
  const std::vector<uint64_t> sample = Sample();
  FitToData(sample.data(), sample.size(), &plan, count_);
  return plan;
}

Status BulkLoader::Finish(const Plan& plan, BuildOptions options, PlannedSegment* out) {
  if (options.work_memory == 0) options.work_memory = std::max(kLeastWorkMemory, 4 * count_);
  Source source(this);
  return PlannedSegment::Build(plan, &source, options, out);
}

}  // namespace neardup
