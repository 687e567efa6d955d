#include "core/base/radix_sort.h"

#include <algorithm>
#include <cstring>

namespace neardup {

namespace {

constexpr unsigned kMaxDigit = 13;      // The counters fill the first cache.
constexpr size_t kInsertionLimit = 24;  // Below this, insertion beats another pass.

inline bool Less(uint64_t a, uint64_t b) { return a < b; }
inline bool Less(const WordAndValue& a, const WordAndValue& b) {
  return a.word != b.word ? a.word < b.word : a.value < b.value;
}

// The digit for a part of `count` items: parts of one or two come next, or, of a large one, parts that fit
// the cache.
unsigned DigitBits(size_t count, unsigned bits_left) {
  unsigned bits = 1;
  while (bits < kMaxDigit && (count >> bits) > 1) ++bits;
  if (count >> kMaxDigit > kInsertionLimit) bits = kMaxDigit - 4;
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
  const auto less = [](const WordAndValue& a, const WordAndValue& b) { return a.value < b.value; };
  if (!std::is_sorted(items, items + count, less)) std::sort(items, items + count, less);
}

// The result goes to items, or to other when `into_other`.
template <typename T>
void Sort(T* items, T* other, size_t count, unsigned bits_left, unsigned ignored, bool into_other) {
  if (count <= kInsertionLimit) {
    Insert(items, into_other ? other : items, count);
    return;
  }
  if (count > UINT32_MAX) {  // Too many for the counters below: clustered words of a huge input.
    std::sort(items, items + count, [](const T& a, const T& b) { return Less(a, b); });
    if (into_other) std::memcpy(static_cast<void*>(other), items, count * sizeof(T));
    return;
  }
  while (bits_left > ignored) {
    // A last pass over the bits that count is worth some more counters.
    const unsigned wanted = bits_left - ignored;
    const unsigned digit = ignored != 0 && wanted <= kMaxDigit ? wanted : DigitBits(count, wanted);
    const unsigned shift = bits_left - digit;
    const uint64_t mask = (uint64_t{1} << digit) - 1;
    uint32_t starts[(1 << kMaxDigit) + 1];
    std::memset(starts, 0, sizeof(uint32_t) * (mask + 2));
    for (size_t i = 0; i < count; ++i) ++starts[((WordOf(items[i]) >> shift) & mask) + 1];
    bits_left = shift;
    if (starts[((WordOf(items[0]) >> shift) & mask) + 1] == count) continue;  // Nothing to move.
    for (size_t d = 0; d < mask; ++d) starts[d + 1] += starts[d];
    for (size_t i = 0; i < count; ++i) other[starts[(WordOf(items[i]) >> shift) & mask]++] = items[i];
    if (shift <= ignored && ignored != 0) {  // Done, in the other place.
      if (!into_other) std::memcpy(static_cast<void*>(items), other, count * sizeof(T));
      return;
    }
    // Small parts are put in order as they move to where the result belongs.
    T* to = into_other ? other : items;
    size_t start = 0, sorted = 0;
    for (size_t d = 0; d <= mask; ++d) {
      const size_t end = starts[d];
      if (end - start > kInsertionLimit) {
        Insert(other + sorted, to + sorted, start - sorted);
        Sort(other + start, items + start, end - start, shift, ignored, !into_other);
        sorted = end;
      }
      start = end;
    }
    Insert(other + sorted, to + sorted, count - sorted);
    return;
  }
  if (ignored == 0) SortEqualWords(items, count);
  if (into_other) std::memcpy(static_cast<void*>(other), items, count * sizeof(T));
}

}  // namespace

void SortPart(uint64_t* items, uint64_t* other, size_t count, unsigned bits_left, unsigned ignored) {
  Sort(items, other, count, bits_left, ignored, false);
}

void SortPart(WordAndValue* items, WordAndValue* other, size_t count, unsigned bits_left, unsigned ignored) {
  Sort(items, other, count, bits_left, ignored, false);
}

}  // namespace neardup
