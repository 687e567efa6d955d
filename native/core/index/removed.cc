#include "core/index/removed.h"

namespace neardup {

namespace {

// Whether nobody else holds it. The count alone may be read out of order with what the last other holder
// did; releasing a handle of our own is ordered after the release of theirs.
template <typename T>
bool IsOwn(const std::shared_ptr<T>& p) {
  if (p.use_count() != 1) return false;
  { const std::shared_ptr<T> handle = p; }
  return true;
}

}  // namespace

bool Removed::Add(uint64_t slot) {
  if (Has(slot)) return false;
  const size_t place = slot / kChunkSlots;
  if (root_ == nullptr) {
    root_ = std::make_shared<Root>();
  } else if (!IsOwn(root_)) {
    root_ = std::make_shared<Root>(*root_);
  }
  if (place >= root_->size()) root_->resize(place + 1);
  std::shared_ptr<Chunk>& chunk = (*root_)[place];
  if (chunk == nullptr) {
    chunk = std::make_shared<Chunk>();
  } else if (!IsOwn(chunk)) {
    chunk = std::make_shared<Chunk>(*chunk);
  }
  (*chunk)[slot % kChunkSlots / 64] |= uint64_t{1} << (slot % 64);
  ++count_;
  return true;
}

uint64_t Removed::bytes() const {
  if (root_ == nullptr) return 0;
  uint64_t bytes = sizeof(Root) + root_->capacity() * sizeof(std::shared_ptr<Chunk>);
  for (const auto& chunk : *root_) bytes += chunk == nullptr ? 0 : sizeof(Chunk);
  return bytes;
}

}  // namespace neardup
