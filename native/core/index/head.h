// Fresh entries, found without sorting: a few chained tables that an entry is put into as it comes. Disjoint
// keys with radii whose sum of (r + 1) is distance + 1 miss nothing; where chains grow long, or keys would
// need more probes than there are entries, all are compared instead. Meant for up to some ten thousand
// entries, which fit the cache. About 50 bytes an entry. Reading is thread-safe while nothing is pushed.
#ifndef NEARDUP_CORE_INDEX_HEAD_H_
#define NEARDUP_CORE_INDEX_HEAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/bits.h"
#include "core/index/bit_order.h"
#include "core/index/entry.h"
#include "kernels/prefetch.h"

namespace neardup {

class Head {
 public:
  Head(unsigned max_distance, ColumnSet columns) : max_distance_(max_distance), entries_(columns) {}

  size_t size() const { return entries_.size(); }
  EntryColumns entries() const { return entries_.view(); }
  size_t bytes() const;

  // Pushing `more` entries after this cannot fail. Throws std::bad_alloc, with all as it was.
  void Reserve(size_t more);
  void Push(const Entry& entry);

  // Asks for what Find reads first, some fingerprints ahead of it.
  void Prefetch(uint64_t fingerprint) const {
    const uint64_t arranged = order_.Arrange(fingerprint);
    for (unsigned t = 0; t < layout_.tables; ++t)
      kernels::Prefetch(&first_[(t << layout_.key_bits) + Key(arranged, t)]);
  }
  // Appends the positions of the entries within `distance` of the fingerprint to *found, each once, in no
  // order of note.
  void Find(uint64_t fingerprint, unsigned distance, std::vector<uint32_t>* found) const;

 private:
  // Keys of key_bits_ bits, table t's after that of table t - 1, from the top; none: all are compared.
  struct Layout {
    unsigned tables = 0;
    unsigned key_bits = 0;
  };
  Layout ChooseLayout(size_t capacity) const;
  // radius of table t for a query within `distance`; -1: it may be left out.
  static int Radius(unsigned tables, unsigned distance, unsigned t) {
    return static_cast<int>((distance + 1) / tables + (t < (distance + 1) % tables ? 1 : 0)) - 1;
  }
  uint32_t Key(uint64_t arranged, unsigned t) const {
    return static_cast<uint32_t>(arranged << (t * layout_.key_bits) >> (64 - layout_.key_bits));
  }
  void Chain(uint64_t fingerprint, uint32_t position);
  // False where chains are long, with *found as it was.
  bool FindByTables(uint64_t fingerprint, unsigned distance, std::vector<uint32_t>* found) const;
  void FindByScan(uint64_t fingerprint, unsigned distance, std::vector<uint32_t>* found) const;

  unsigned max_distance_;
  EntryList entries_;
  Layout layout_;
  size_t planned_for_ = 0;  // Entries that the layout is meant for.
  BitOrder order_;
  std::vector<uint32_t> flips_;          // Masks over a key, by number of bits.
  std::array<uint32_t, 6> flip_ends_{};  // Where those of each number end.
  std::vector<uint32_t> first_;          // Of each table and key: position + 1 of the newest entry; 0: none.
  std::vector<uint32_t> next_;           // Of each entry and table: position + 1 of the one before it.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_HEAD_H_
