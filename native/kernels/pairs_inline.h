// The loop that the implementations of NearPairs share; each counts bits its own way.
#ifndef NEARDUP_KERNELS_PAIRS_INLINE_H_
#define NEARDUP_KERNELS_PAIRS_INLINE_H_

#include "kernels/pairs.h"

// Defines NearPairs with attribute TARGET; COUNT(x) is the number of one bits.
#define NEARDUP_DEFINE_NEAR_PAIRS(TARGET, COUNT)                                                \
  TARGET size_t NearPairs(const PairQuery& query, size_t* at, WordPair* out, size_t capacity) { \
    const uint64_t* words = query.words;                                                        \
    const size_t most = query.max_run * (query.max_run - 1) / 2;                                \
    size_t found = 0, from = *at;                                                               \
    while (from < query.count && capacity - found >= most) {                                    \
      size_t end = from + 1;                                                                    \
      while (end < query.count && (words[end] ^ words[from]) >> query.shift == 0) ++end;        \
      if (end - from > query.max_run) break;                                                    \
      for (size_t i = from; i + 1 < end; ++i) {                                                 \
        for (size_t j = i + 1; j < end; ++j) {                                                  \
          if (COUNT(words[i] ^ words[j]) <= query.k) {                                          \
            out[found++] = {static_cast<uint32_t>(i), static_cast<uint32_t>(j)};                \
          }                                                                                     \
        }                                                                                       \
      }                                                                                         \
      from = end;                                                                               \
    }                                                                                           \
    *at = from;                                                                                 \
    return found;                                                                               \
  }

#endif  // NEARDUP_KERNELS_PAIRS_INLINE_H_
