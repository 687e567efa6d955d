// Which slots of an immutable segment hold entries that were removed: a bitmap that costs nothing while there
// are none. Copies are snapshots: they cost no more than a pointer and stay as they are when the original
// goes on, which then copies the pieces it changes. One thread adds; snapshots may be read by others.
#ifndef NEARDUP_CORE_INDEX_REMOVED_H_
#define NEARDUP_CORE_INDEX_REMOVED_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace neardup {

class Removed {
 public:
  bool Has(uint64_t slot) const {
    if (pieces_ == nullptr || slot / kSlots >= pieces_->size()) return false;
    const Piece* piece = (*pieces_)[slot / kSlots].get();
    return piece != nullptr && ((*piece)[slot % kSlots / 64] >> slot % 64 & 1) != 0;
  }
  // False where it was there. Throws std::bad_alloc, with all as it was.
  bool Add(uint64_t slot);

  uint64_t count() const { return count_; }
  uint64_t bytes() const;

 private:
  static constexpr uint64_t kSlots = 32768;  // Of a piece.
  using Piece = std::array<uint64_t, kSlots / 64>;
  using Pieces = std::vector<std::shared_ptr<Piece>>;

  std::shared_ptr<Pieces> pieces_;
  uint64_t count_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_REMOVED_H_
