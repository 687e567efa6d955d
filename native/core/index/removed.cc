#include "core/index/removed.h"

#include <algorithm>
#include <atomic>

namespace neardup {

namespace {

// Whether nobody else holds it. A snapshot that goes at this moment only makes a copy needless; its reads
// happened before.
template <typename T>
bool IsOwn(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

}  // namespace

bool Removed::Add(uint64_t slot) {
  if (Has(slot)) return false;
  const uint64_t at = slot / kSlots;
  if (pieces_ == nullptr) {
    pieces_ = std::make_shared<Pieces>();
  } else if (!IsOwn(pieces_)) {
    pieces_ = std::make_shared<Pieces>(*pieces_);
  }
  if (at >= pieces_->size()) pieces_->resize(at + 1);
  std::shared_ptr<Piece>& piece = (*pieces_)[at];
  if (piece == nullptr) {
    piece = std::make_shared<Piece>(Piece{});
  } else if (!IsOwn(piece)) {
    piece = std::make_shared<Piece>(*piece);
  }
  (*piece)[slot % kSlots / 64] |= uint64_t{1} << slot % 64;
  ++count_;
  return true;
}

uint64_t Removed::bytes() const {
  if (pieces_ == nullptr) return 0;
  const auto pieces =
      std::count_if(pieces_->begin(), pieces_->end(), [](auto& piece) { return piece != nullptr; });
  return 8 * pieces_->capacity() + static_cast<uint64_t>(pieces) * sizeof(Piece);
}

}  // namespace neardup
