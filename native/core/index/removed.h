// Which slots of a segment are removed: a bitmap that is copied in constant time. A copy shares all memory
// and stays as it was; whoever goes on adding to the other makes its own copies of the parts it changes
// (4 KiB, and the list of parts). No memory before the first Add.
//
// Copies are independent for threads: one may be read, on any number of threads, while another is added to.
// A single object is not to be added to or assigned while it is read.
#ifndef NEARDUP_CORE_INDEX_REMOVED_H_
#define NEARDUP_CORE_INDEX_REMOVED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/bytes.h"

namespace neardup {

class Removed {
 public:
  // Whether the slot was not removed before. std::bad_alloc leaves the bitmap as it was. A jump to a great
  // slot costs 16 bytes per 32,768 slots before it.
  bool Add(uint64_t slot);
  bool Has(uint64_t slot) const {
    if (root_ == nullptr || slot / kChunkSlots >= root_->size()) return false;
    const Chunk* chunk = (*root_)[slot / kChunkSlots].get();
    return chunk != nullptr && ((*chunk)[slot % kChunkSlots / 64] >> (slot % 64) & 1) != 0;
  }
  // Calls body(slot) for each slot removed, ascending.
  template <typename Body>
  void ForEach(Body&& body) const {
    for (size_t place = 0; root_ != nullptr && place < root_->size(); ++place) {
      const Chunk* chunk = (*root_)[place].get();
      for (uint64_t word = 0; chunk != nullptr && word < chunk->size(); ++word) {
        for (uint64_t bits = (*chunk)[word]; bits != 0; bits &= bits - 1)
          body(place * kChunkSlots + 64 * word + CountTrailingZeros64(bits));
      }
    }
  }
  // Slots removed.
  uint64_t count() const { return count_; }
  // Memory in use, what is shared with copies included.
  uint64_t bytes() const;

 private:
  static constexpr uint64_t kChunkSlots = 32768;
  using Chunk = std::array<uint64_t, kChunkSlots / 64>;
  using Root = std::vector<std::shared_ptr<Chunk>>;
  std::shared_ptr<Root> root_;
  uint64_t count_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_REMOVED_H_
