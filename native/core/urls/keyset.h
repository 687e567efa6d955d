// An exact set of 64-bit keys for billions of entries: a sorted table with gaps, cut into partitions.
//
// A partition holds the keys that share their leading bits. Its slots are ascending, with empty slots in
// between; a key's home slot is its remaining bits scaled to the capacity, so that order and place agree and
// a probe reads a few neighbouring slots. A full partition splits in two while it is short of 12 leading
// bits, then grows by a sixth: memory never doubles, and at rest a key takes 10 to 11.8 bytes in sets of
// 100,000 keys or more.
//
// Keys must be spread evenly over the 64 bits (the caller mixes them); uneven ones cost time, not
// correctness. Batches fetch the lines of 32 keys at a time. Not thread-safe. Allocation may throw
// std::bad_alloc: the keys of the batch before the one that failed are in the set, the others are not, and
// the set stays usable.
#ifndef NEARDUP_CORE_URLS_KEYSET_H_
#define NEARDUP_CORE_URLS_KEYSET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace neardup {

class KeySet {
 public:
  // Empty, with room for `expected` keys.
  explicit KeySet(uint64_t expected = 0);

  // Adds the keys in order; added[i] is 1 where key i was not held before, else 0.
  void AddBatch(const uint64_t* keys, size_t count, uint8_t* added);

  // found[i] is 1 where key i is held, else 0.
  void HasBatch(const uint64_t* keys, size_t count, uint8_t* found) const;

  // Copies the smallest keys that are >= from, ascending, at most `count`; returns how many.
  size_t ReadSorted(uint64_t from, uint64_t* out, size_t count) const;

  uint64_t size() const { return size_; }

  // Bytes allocated for slots, partitions and directory.
  uint64_t memory_bytes() const;

 private:
  struct Partition {
    std::unique_ptr<uint64_t[]> slots;  // 0 is empty; slots[total - 1] always is
    uint32_t capacity = 0;              // home slots
    uint32_t total = 0;                 // slots
    uint32_t size = 0;
    uint32_t depth = 0;  // leading bits that its keys share
    uint32_t end = 0;    // slots from here on are empty
  };

  static uint32_t Home(const Partition& partition, uint64_t key);
  static Partition Build(const uint64_t* keys, uint32_t size, uint32_t depth, uint32_t capacity);
  const Partition& Find(uint64_t key) const;
  bool Has(uint64_t key) const;
  bool Add(uint64_t key);
  void Enlarge(uint64_t key);
  void Touch(uint64_t key) const;

  std::vector<Partition> partitions_;
  std::vector<uint16_t> directory_;  // leading 12 bits of a key -> partition
  uint64_t size_ = 0;
  bool has_zero_ = false;  // the key 0, which a slot cannot hold
};

}  // namespace neardup

#endif  // NEARDUP_CORE_URLS_KEYSET_H_
