// The innermost loop of a self-join: the pairs of near words in runs of words with equal leading bits. All
// implementations give the same answers in the same order; call them by kernels::Active(). Thread-safe: no
// state.
#ifndef NEARDUP_KERNELS_PAIRS_H_
#define NEARDUP_KERNELS_PAIRS_H_

#include <cstddef>
#include <cstdint>

namespace neardup::kernels {

struct PairQuery {
  const uint64_t* words;
  size_t count;    // At most 2^32.
  unsigned shift;  // Words with equal bits from here up form a run, when they stand together; below 64.
  unsigned k;
  size_t max_run;  // Longer runs are left to the caller.
};

// Positions of two words of a run, first < second.
struct WordPair {
  uint32_t first;
  uint32_t second;
};

// A set of words to be joined by the bits of `key`, by means of hashing.
struct KeyQuery {
  const uint64_t* words;
  size_t count;  // At most kMaxKeyWords.
  uint64_t key;  // Mask.
  unsigned k;
  size_t max_run;      // The longest chain that is followed.
  unsigned hash_bits;  // 1 to 16.
  uint16_t* heads;  // 2^hash_bits: the last word of each chain, plus one. Zero at first, kept between calls.
  uint16_t* next;   // `count`: for each word treated, the one before it in its chain, plus one.
};
constexpr size_t kMaxKeyWords = 65535;
constexpr size_t kKeyBlock = 64;  // Words treated at once.
constexpr size_t kKeyTooCommon = ~size_t{0};

// NearPairs: writes the pairs within k bits of the runs from *at on, and moves *at to the first run not
// treated: the end, a run longer than max_run, or where fewer than max_run * (max_run - 1) / 2 of the
// `capacity` places in `out` are left. Returns the number of pairs.
//
// NearKeys: writes the pairs within k bits that agree in the key, of each word from *at on with those before
// it, and moves *at to the first word not treated: the end, or where fewer than kKeyBlock * max_run of the
// `capacity` places in `out` are left. Returns the number of pairs; their order is by the second word, then
// by the first, descending. kKeyTooCommon where a chain, which is above all words that agree in the key, is
// longer than max_run: then the join is to be made in another way, from the start.
namespace scalar {
size_t NearPairs(const PairQuery& query, size_t* at, WordPair* out, size_t capacity);
size_t NearKeys(const KeyQuery& query, size_t* at, WordPair* out, size_t capacity);
}  // namespace scalar
namespace avx2 {  // AVX-512 machines use it too.
size_t NearPairs(const PairQuery& query, size_t* at, WordPair* out, size_t capacity);
size_t NearKeys(const KeyQuery& query, size_t* at, WordPair* out, size_t capacity);
}  // namespace avx2

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_PAIRS_H_
