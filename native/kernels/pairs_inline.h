// The loops that the implementations of NearPairs and NearKeys share; each counts bits its own way.
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

// Defines NearKeys in the same way. Words enter their chains first, a block at a time, without a branch; then
// the few that met others there are compared.
#define NEARDUP_DEFINE_NEAR_KEYS(TARGET, COUNT)                                               \
  TARGET size_t NearKeys(const KeyQuery& query, size_t* at, WordPair* out, size_t capacity) { \
    const uint64_t* words = query.words;                                                      \
    uint16_t* const heads = query.heads;                                                      \
    uint16_t* const next = query.next;                                                        \
    const uint64_t key = query.key;                                                           \
    const unsigned shift = 64 - query.hash_bits;                                              \
    size_t found = 0;                                                                         \
    while (*at < query.count && capacity - found >= kKeyBlock * query.max_run) {              \
      const size_t left = query.count - *at, n = left < kKeyBlock ? left : kKeyBlock;         \
      uint32_t met[kKeyBlock];                                                                \
      size_t meetings = 0;                                                                    \
      uint64_t hashes[kKeyBlock];                                                             \
      for (size_t i = 0; i < n; ++i) {                                                        \
        const uint64_t masked = words[*at + i] & key;                                         \
        hashes[i] = ((masked ^ masked >> 32) * 0x9e3779b97f4a7c15u) >> shift;                 \
      }                                                                                       \
      for (size_t i = *at; i < *at + n; ++i) {                                                \
        uint16_t& head = heads[hashes[i - *at]];                                              \
        next[i] = head;                                                                       \
        met[meetings] = static_cast<uint32_t>(i);                                             \
        meetings += head != 0;                                                                \
        head = static_cast<uint16_t>(i + 1);                                                  \
      }                                                                                       \
      *at += n;                                                                               \
      for (size_t m = 0; m < meetings; ++m) {                                                 \
        const uint32_t i = met[m];                                                            \
        size_t steps = 0;                                                                     \
        for (uint16_t j = next[i]; j != 0; j = next[j - 1]) {                                 \
          if (++steps > query.max_run) return kKeyTooCommon;                                  \
          const uint64_t difference = words[i] ^ words[j - 1];                                \
          if (COUNT(difference) <= query.k && (difference & key) == 0)                        \
            out[found++] = {static_cast<uint32_t>(j - 1), i};                                 \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
    return found;                                                                             \
  }

#endif  // NEARDUP_KERNELS_PAIRS_INLINE_H_
