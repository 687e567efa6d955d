#include "core/base/radix_sort.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/parallel.h"

namespace neardup {

namespace {

constexpr unsigned kMaxDigit = 11;      // 2,048 streams: their current lines fit L2.
constexpr size_t kInsertionLimit = 24;  // Below this, insertion beats another pass.
constexpr size_t kParallelLimit = 1 << 16;

inline uint64_t WordOf(uint64_t item) { return item; }
inline uint64_t WordOf(const WordAndValue& item) { return item.word; }
inline bool Less(uint64_t a, uint64_t b) { return a < b; }
inline bool Less(const WordAndValue& a, const WordAndValue& b) {
  return a.word != b.word ? a.word < b.word : a.value < b.value;
}

// The digit for a part of `count` items: parts of about 8 items come next.
unsigned DigitBits(size_t count, unsigned bits_left) {
  unsigned bits = 1;
  while (bits < kMaxDigit && (count >> (bits + 3)) > 1) ++bits;
  return std::min(bits, bits_left);
}

// Insertion sort of from[0, count) into to, which may be the same array.
template <typename T>
void Insert(const T* from, T* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const T item = from[i];
    size_t j = i;
    for (; j > 0 && Less(item, to[j - 1]); --j) to[j] = to[j - 1];
    to[j] = item;
  }
}

void SortEqualWords(uint64_t*, size_t) {}
void SortEqualWords(WordAndValue* items, size_t count) {
  if (!std::is_sorted(items, items + count, [](auto& a, auto& b) { return a.value < b.value; })) {
    std::sort(items, items + count, [](auto& a, auto& b) { return a.value < b.value; });
  }
}

// Sorts items[0, count), whose words agree above the low `bits_left` bits, down to the lowest `ignored` bits;
// the result goes to items, or to other (as long) when `into_other`.
template <typename T>
void SortPart(T* items, T* other, size_t count, unsigned bits_left, unsigned ignored, bool into_other) {
  if (count <= kInsertionLimit) {
    Insert(items, into_other ? other : items, count);
    return;
  }
  while (bits_left > ignored) {
    const unsigned digit = DigitBits(count, bits_left - ignored);
    const unsigned shift = bits_left - digit;
    const uint64_t mask = (uint64_t{1} << digit) - 1;
    size_t starts[(1 << kMaxDigit) + 1];
    std::memset(starts, 0, sizeof(size_t) * (mask + 2));
    for (size_t i = 0; i < count; ++i) ++starts[((WordOf(items[i]) >> shift) & mask) + 1];
    bits_left = shift;
    if (starts[((WordOf(items[0]) >> shift) & mask) + 1] == count)
      continue;  // One digit only: nothing to move.
    for (size_t d = 0; d < mask; ++d) starts[d + 1] += starts[d];
    for (size_t i = 0; i < count; ++i) other[starts[(WordOf(items[i]) >> shift) & mask]++] = items[i];
    size_t start = 0;
    for (size_t d = 0; d <= mask; ++d) {
      const size_t end = starts[d];
      if (end > start) SortPart(other + start, items + start, end - start, shift, ignored, !into_other);
      start = end;
    }
    return;
  }
  if (ignored == 0) SortEqualWords(items, count);
  if (into_other) std::memcpy(static_cast<void*>(other), items, count * sizeof(T));
}

template <typename T>
void Sort(T* items, T* scratch, size_t count, unsigned threads, unsigned bits) {
  constexpr unsigned kDigit = 10;
  if (threads <= 1 || count < kParallelLimit || bits <= kDigit) {
    SortPart(items, scratch, count, 64, 64 - bits, false);
    return;
  }
  // First pass by chunks: each thread counts, then moves, its own stretch of the input, in order.
  constexpr size_t kParts = size_t{1} << kDigit;
  const size_t chunk = (count + threads - 1) / threads;
  std::vector<size_t> at(threads * kParts);
  ParallelFor(threads, threads, [&](size_t t) {
    size_t* counts = &at[t * kParts];
    for (size_t i = t * chunk; i < std::min(count, (t + 1) * chunk); ++i)
      ++counts[WordOf(items[i]) >> (64 - kDigit)];
  });
  std::vector<size_t> starts(kParts + 1);
  size_t total = 0;
  for (size_t part = 0; part < kParts; ++part) {
    starts[part] = total;
    for (size_t t = 0; t < threads; ++t) {
      const size_t here = at[t * kParts + part];
      at[t * kParts + part] = total;
      total += here;
    }
  }
  starts[kParts] = total;
  ParallelFor(threads, threads, [&](size_t t) {
    size_t* next = &at[t * kParts];
    for (size_t i = t * chunk; i < std::min(count, (t + 1) * chunk); ++i) {
      scratch[next[WordOf(items[i]) >> (64 - kDigit)]++] = items[i];
    }
  });
  ParallelFor(threads, kParts, [&](size_t part) {
    SortPart(scratch + starts[part], items + starts[part], starts[part + 1] - starts[part], 64 - kDigit,
             64 - bits, true);
  });
}

}  // namespace

void RadixSort(uint64_t* words, uint64_t* scratch, size_t count, unsigned threads, unsigned bits) {
  Sort(words, scratch, count, threads, bits);
}

void RadixSort(WordAndValue* items, WordAndValue* scratch, size_t count, unsigned threads) {
  Sort(items, scratch, count, threads, 64);
}

}  // namespace neardup
