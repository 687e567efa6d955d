#include "core/index/join_run.h"

#include <vector>

#include "core/base/radix_sort.h"
#include "kernels/kernels.h"

namespace neardup {

namespace {

constexpr size_t kSmall = 512;  // So few are compared all with all.

}  // namespace

void JoinRun(uint64_t* words, size_t count, unsigned fixed, unsigned k,
             const std::function<void(uint64_t, uint64_t)>& emit) {
  const unsigned free_bits = 64 - fixed, block = free_bits / (k + 1);
  if (count <= kSmall || block < 4) {
    std::vector<uint32_t> near(count);
    for (size_t i = 0; i + 1 < count; ++i) {
      const size_t found = kernels::Active().within(words + i + 1, count - i - 1, words[i], k, near.data());
      for (size_t j = 0; j < found; ++j) emit(words[i], words[i + 1 + near[j]]);
    }
    return;
  }
  std::vector<uint64_t> scratch(count);
  // Each block in turn is rotated to the front: [block | fixed bits and the blocks before it | the rest].
  const auto rotate = [](uint64_t x, unsigned by) { return by == 0 ? x : x << by | x >> (64 - by); };
  for (unsigned b = 0; b <= k; ++b) {
    const unsigned by = fixed + b * block, width = b == k ? free_bits - k * block : block;
    for (size_t i = 0; i < count; ++i) words[i] = rotate(words[i], by);
    SortPart(words, scratch.data(), count, 64, 64 - width);
    const auto first = [&](uint64_t difference) {
      for (unsigned before = 0; before < b; ++before) {
        if (rotate(difference, before * block + fixed) >> (64 - block) == 0) return false;
      }
      return true;
    };
    const auto report = [&](uint64_t x, uint64_t y) {
      const uint64_t p = rotate(x, (64 - by) & 63), q = rotate(y, (64 - by) & 63);
      if (first(p ^ q)) emit(p, q);
    };
    for (size_t from = 0, end; from < count; from = end) {
      end = from + 1;
      while (end < count && (words[end] ^ words[from]) >> (64 - width) == 0) ++end;
      std::vector<uint32_t> near(end - from);
      for (size_t i = from; i + 1 < end; ++i) {
        const size_t found = kernels::Active().within(words + i + 1, end - i - 1, words[i], k, near.data());
        for (size_t j = 0; j < found; ++j) report(words[i], words[i + 1 + near[j]]);
      }
    }
    for (size_t i = 0; i < count; ++i) words[i] = rotate(words[i], (64 - by) & 63);
  }
}

}  // namespace neardup
