// Sorts 64-bit words, alone or with a value, by most significant digits first: O(n) for spread words; equal
// and clustered ones cost at most a pass per digit. Meant for parts that fit the cache. Thread-safe: no
// state.
#ifndef NEARDUP_CORE_BASE_RADIX_SORT_H_
#define NEARDUP_CORE_BASE_RADIX_SORT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/status.h"

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

// Fills out[0, count) with source(0) .. source(count - 1) (called twice each), ascending by the leading
// `bits` bits of the word, or, for 64, by all of it and then by value. The result does not depend on
// `threads`. Takes little memory beside `out` for spread words, up to as much again for clustered ones;
// kOutOfMemory when it is refused.
template <typename T, typename Source>
Status RadixSort(const Source& source, size_t count, T* out, unsigned threads, unsigned bits = 64) {
  constexpr unsigned kMaxDigit = 11, kPartBits = 14;  // 2,048 streams: their current lines fit L2.
  constexpr size_t kManyDigits = size_t{1} << 19;     // From here on, fewer passes pay for smaller parts.
  constexpr size_t kLarge = size_t{1} << 16;          // Larger parts are sorted one at a time.
  unsigned digit = 0;
  while (digit < std::min(kMaxDigit, bits) && count >> (digit + kPartBits) != 0) ++digit;
  if (count >= kManyDigits && bits > kMaxDigit && bits <= 2 * kMaxDigit)
    digit = std::max(digit, bits - kMaxDigit);
  const size_t parts = size_t{1} << digit;
  const auto part_of = [digit](const T& item) { return digit == 0 ? 0 : WordOf(item) >> (64 - digit); };

  // Each thread counts, then moves, its own stretch of the input, in order.
  threads = std::max(1u, count < kLarge ? 1 : threads);
  const size_t chunk = (count + threads - 1) / threads;
  std::vector<size_t> next(threads * parts), starts(parts + 1);
  ParallelFor(threads, threads, [&](size_t t) {
    size_t* counts = &next[t * parts];
    for (size_t i = t * chunk; i < std::min(count, (t + 1) * chunk); ++i) ++counts[part_of(source(i))];
  });
  size_t total = 0, largest = 0;
  for (size_t part = 0; part < parts; ++part) {
    starts[part] = total;
    for (size_t t = 0; t < threads; ++t) {
      const size_t here = next[t * parts + part];
      next[t * parts + part] = total;
      total += here;
    }
    largest = std::max(largest, total - starts[part]);
  }
  starts[parts] = total;
  ParallelFor(threads, threads, [&](size_t t) {
    size_t* to = &next[t * parts];
    for (size_t i = t * chunk; i < std::min(count, (t + 1) * chunk); ++i) {
      const T item = source(i);
      out[to[part_of(item)]++] = item;
    }
  });

  const size_t room = std::max<size_t>(1, std::min(largest, kLarge));
  Buffer scratch, large_scratch;
  if (Status s = Buffer::AllocateArray(room * threads, sizeof(T), &scratch); !s.ok()) return s;
  if (largest > kLarge) {
    if (Status s = Buffer::AllocateArray(largest, sizeof(T), &large_scratch); !s.ok()) return s;
  }
  ParallelForWorkers(threads, parts, [&](size_t part, unsigned worker) {
    const size_t size = starts[part + 1] - starts[part];
    if (size <= kLarge)
      SortPart(out + starts[part], scratch.as<T>() + worker * room, size, 64 - digit, 64 - bits);
  });
  for (size_t part = 0; part < parts && largest > kLarge; ++part) {
    const size_t size = starts[part + 1] - starts[part];
    if (size > kLarge) SortPart(out + starts[part], large_scratch.as<T>(), size, 64 - digit, 64 - bits);
  }
  return Status();
}

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_RADIX_SORT_H_
