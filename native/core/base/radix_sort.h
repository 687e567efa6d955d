// Sorts 64-bit words, alone or with a value, by most significant digits first: O(n) for spread words; equal
// and clustered ones cost at most a pass per digit. Meant for parts that fit the cache. Thread-safe: no
// state.
#ifndef NEARDUP_CORE_BASE_RADIX_SORT_H_
#define NEARDUP_CORE_BASE_RADIX_SORT_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

struct WordAndValue {
  uint64_t word;
  uint64_t value;
};

inline uint64_t WordOf(uint64_t item) { return item; }
inline uint64_t WordOf(const WordAndValue& item) { return item.word; }

// Sorts items[0, count), whose words agree above their low `bits_left` bits, by word (items with a value:
// then by value), but for the lowest `ignored` bits. `other` has room for as many and is overwritten. The
// order of items that agree depends on the input only.
void SortPart(uint64_t* items, uint64_t* other, size_t count, unsigned bits_left, unsigned ignored);
void SortPart(WordAndValue* items, WordAndValue* other, size_t count, unsigned bits_left, unsigned ignored);

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_RADIX_SORT_H_
