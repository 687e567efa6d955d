// Sorts 64-bit words, alone or with a value, by most significant digits first: one pass over memory splits
// the input into parts that fit the cache, and the rest happens there. O(n) for spread keys; equal and
// clustered keys cost no more than O(64 / 8) passes.
#ifndef NEARDUP_CORE_BASE_RADIX_SORT_H_
#define NEARDUP_CORE_BASE_RADIX_SORT_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

struct WordAndValue {
  uint64_t word;
  uint64_t value;
};

// Ascending by the leading `bits` bits; words that agree in them stand together, in an order that depends on
// the input only. `scratch` holds `count` items and is overwritten. The result does not depend on `threads`.
void RadixSort(uint64_t* words, uint64_t* scratch, size_t count, unsigned threads, unsigned bits = 64);
// Ascending by word, then by value.
void RadixSort(WordAndValue* items, WordAndValue* scratch, size_t count, unsigned threads);

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_RADIX_SORT_H_
