#include "core/index/spool.h"

#include <algorithm>
#include <new>

namespace neardup {

namespace {

constexpr size_t kSlab = size_t{2} << 20;  // What the system gives and takes back at once.
constexpr uint64_t kSlabsPerGroup = 8;     // At least, so that the last one, half empty, matters little.
constexpr size_t kMaxGroups = 128;
constexpr size_t kMinBlock = 1024, kMaxBlock = size_t{64} << 10;

}  // namespace

Buffer SlabPool::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (slabs_.empty()) return Buffer();
  Buffer slab = std::move(slabs_.back());
  slabs_.pop_back();
  bytes_ -= slab.size();
  return slab;
}

void SlabPool::Give(Buffer slab) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (slab.size() != kSlab || bytes_ + kSlab > most_bytes_) return;
  slabs_.push_back(std::move(slab));
  bytes_ += kSlab;
}

SpoolMemory::SpoolMemory(size_t partitions, size_t writers, uint64_t bytes, SlabPool* pool)
    : partitions_(partitions), pool_(pool) {
  // Some blocks to each chain, so that the last ones, half empty, matter little.
  const uint64_t chain = bytes / (partitions * writers);
  block_bytes_ = kMinBlock;
  while (block_bytes_ < kMaxBlock && 8 * block_bytes_ < chain) block_bytes_ *= 2;
  slab_bytes_ = block_bytes_;
  while (slab_bytes_ < kSlab && slab_bytes_ * 4 < bytes) slab_bytes_ *= 2;
  const auto groups = static_cast<size_t>(
      std::clamp<uint64_t>(bytes / (kSlabsPerGroup * slab_bytes_), 1, std::min(kMaxGroups, partitions)));
  group_partitions_ = (partitions + groups - 1) / groups;
  group_count_ = (partitions + group_partitions_ - 1) / group_partitions_;
  groups_ = std::make_unique<Group[]>(group_count_);
  for (size_t g = 0; g < group_count_; ++g)
    groups_[g].waiting = std::min(group_partitions_, partitions - g * group_partitions_);
}

SpoolMemory::Block* SpoolMemory::NewBlock(size_t partition) {
  Group& group = groups_[partition / group_partitions_];
  const std::lock_guard<std::mutex> lock(group.mutex);
  if (group.current < group.slabs.size() && group.used + block_bytes_ > slab_bytes_) {
    ++group.current;
    group.used = 0;
  }
  if (group.current == group.slabs.size()) {
    Buffer slab;
    if (pool_ != nullptr && slab_bytes_ == kSlab) slab = pool_->Take();
    if (slab.size() == 0 && !Buffer::Allocate(slab_bytes_, &slab).ok()) return nullptr;
    try {
      group.slabs.push_back(std::move(slab));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  auto* block = reinterpret_cast<Block*>(group.slabs[group.current].data() + group.used);
  group.used += block_bytes_;
  block->next = nullptr;
  return block;
}

void SpoolMemory::Clear() {
  for (size_t g = 0; g < group_count_; ++g) groups_[g].current = groups_[g].used = 0;
}

void SpoolMemory::Release(size_t partition) {
  Group& group = groups_[partition / group_partitions_];
  if (--group.waiting == 0) ReleaseSlabs(&group);
}

SpoolMemory::~SpoolMemory() {
  for (size_t g = 0; g < group_count_; ++g) ReleaseSlabs(&groups_[g]);
}

void SpoolMemory::ReleaseSlabs(Group* group) {
  for (Buffer& slab : group->slabs) {
    if (pool_ != nullptr) pool_->Give(std::move(slab));
  }
  group->slabs.clear();
}

uint64_t SpoolMemory::bytes() const {
  uint64_t bytes = 0;
  for (size_t g = 0; g < group_count_; ++g) bytes += groups_[g].slabs.size() * slab_bytes_;
  return bytes;
}

}  // namespace neardup
