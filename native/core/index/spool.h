// Items dealt to many partitions in one pass over them, without counting them first: each partition is a
// chain of blocks. Blocks of neighbouring partitions lie together, so that memory goes back to the system
// while partition after partition is worked off.
//
// Several threads fill a spool at the same time, each with a Writer of its own. Reading a partition gives the
// items of the first writer in the order in which they were added, then those of the second, and so on.
#ifndef NEARDUP_CORE_INDEX_SPOOL_H_
#define NEARDUP_CORE_INDEX_SPOOL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/memory.h"

namespace neardup {

// Memory that spools leave to those after them: fresh memory costs more than what is done in it.
// Thread-safe.
class SlabPool {
 public:
  // Keeps at most so many bytes.
  explicit SlabPool(uint64_t most_bytes) : most_bytes_(most_bytes) {}
  // Empty where the pool is.
  Buffer Take();
  void Give(Buffer slab);

 private:
  std::mutex mutex_;
  std::vector<Buffer> slabs_;
  uint64_t bytes_ = 0;
  const uint64_t most_bytes_;
};

// The blocks of a spool, whatever their items.
class SpoolMemory {
 public:
  struct alignas(64) Block {  // The items follow, from a cache line on.
    Block* next;
  };

  // For about `bytes` bytes in all. With a pool, which outlives it, memory comes from there and goes there.
  SpoolMemory(size_t partitions, size_t writers, uint64_t bytes, SlabPool* pool);
  ~SpoolMemory();

  size_t partitions() const { return partitions_; }
  size_t block_bytes() const { return block_bytes_; }
  // A block for a partition; null when memory is refused. Thread-safe.
  Block* NewBlock(size_t partition);
  // A partition is done with: the memory goes once its neighbours are done too. Once per partition,
  // thread-safe.
  void Release(size_t partition);
  // All blocks are free again, and their memory is kept.
  void Clear();
  uint64_t bytes() const;  // Held now.

 private:
  struct Group {
    std::mutex mutex;
    std::vector<Buffer> slabs;
    size_t current = 0, used = 0;  // The slab that blocks are taken from, and the bytes taken.
    std::atomic<size_t> waiting{0};
  };
  void ReleaseSlabs(Group* group);

  const size_t partitions_;
  SlabPool* const pool_;
  size_t block_bytes_, slab_bytes_, group_partitions_;
  std::unique_ptr<Group[]> groups_;
  size_t group_count_;
};

template <typename Item>
class Spool {
  using Block = SpoolMemory::Block;
  struct Cursor {
    Item* at = nullptr;
    Item* end = nullptr;
    Block* first = nullptr;
  };

 public:
  // For about `expected` items. std::bad_alloc when even the lists are refused.
  Spool(size_t partitions, size_t writers, uint64_t expected, SlabPool* pool = nullptr)
      : memory_(partitions, writers, expected * sizeof(Item), pool),
        capacity_((memory_.block_bytes() - sizeof(Block)) / sizeof(Item)),
        cursors_(writers, std::vector<Cursor>(partitions)) {}

  class Writer {
   public:
    Writer(Spool* spool, size_t writer) : spool_(*spool), cursors_(spool->cursors_[writer].data()) {}
    // False when memory was refused; then the item is not added.
    bool Add(size_t partition, const Item& item) {
      Cursor& cursor = cursors_[partition];
      if (cursor.at == cursor.end && !Grow(partition)) return false;
      *cursor.at++ = item;
      return true;
    }

    // Adds a line of items, to be written to where the result points, which is a multiple of 64; null when
    // memory was refused. Not after Add in the same partition.
    Item* AddLine(size_t partition) {
      static_assert(64 % sizeof(Item) == 0, "items fill lines");
      Cursor& cursor = cursors_[partition];
      if (cursor.at == cursor.end && !Grow(partition)) return nullptr;
      Item* line = cursor.at;
      cursor.at += 64 / sizeof(Item);
      return line;
    }

   private:
    bool Grow(size_t partition) {
      Cursor& cursor = cursors_[partition];
      Block* block = spool_.memory_.NewBlock(partition);
      if (block == nullptr) return false;
      (cursor.first == nullptr ? cursor.first : spool_.Of(cursor.end)->next) = block;
      cursor.at = Items(block);
      cursor.end = cursor.at + spool_.capacity_;
      return true;
    }
    Spool& spool_;
    Cursor* cursors_;
  };

  size_t partitions() const { return memory_.partitions(); }
  uint64_t bytes() const { return memory_.bytes(); }
  uint64_t count(size_t partition) const {
    uint64_t count = 0;
    ForEachBlock(partition, [&](Item*, size_t n) { count += n; });
    return count;
  }
  // Calls body(items, count) for each block. The items may be changed in place.
  template <typename Body>
  void ForEachBlock(size_t partition, Body&& body) const {
    for (const auto& writer : cursors_) {
      const Cursor& cursor = writer[partition];
      for (Block* block = cursor.first; block != nullptr; block = block->next) {
        const bool last = Items(block) + capacity_ == cursor.end;
        body(Items(block), last ? static_cast<size_t>(cursor.at - Items(block)) : capacity_);
      }
    }
  }
  // Empties the spool and keeps the memory for what comes next; no partition is released before.
  void Clear() {
    for (auto& writer : cursors_) std::fill(writer.begin(), writer.end(), Cursor());
    memory_.Clear();
  }
  // The partition's items are not needed any more. Once per partition; thread-safe.
  void Release(size_t partition) {
    for (auto& writer : cursors_) writer[partition] = Cursor();
    memory_.Release(partition);
  }

 private:
  static Item* Items(Block* block) { return reinterpret_cast<Item*>(block + 1); }
  Block* Of(Item* end) const { return reinterpret_cast<Block*>(end - capacity_) - 1; }

  SpoolMemory memory_;
  size_t capacity_;  // Items of a block.
  std::vector<std::vector<Cursor>> cursors_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SPOOL_H_
