// MinHash of a set of 64-bit hashes (Broder): for each of n permutations of the 64-bit numbers, the smallest
// element of the permuted set. Two sets agree at a place with a chance equal to their Jaccard similarity.
//
// Permutation i takes x to (x xor b[i]) * a[i] mod 2^64 with a[i] odd; a and b come from SplitMix64 started
// at the seed: b[i], then a[i]. The elements are hashes that spread well (XXH3), so one multiplication is
// enough: the spread of the estimate is that of independent permutations. What is kept of the smallest is y
// xor (y >> 32), so that its low bits depend on all of it. O(size * count) time, O(1) memory. Thread-safe: no
// state.
#ifndef NEARDUP_CORE_FINGERPRINT_MINHASH_H_
#define NEARDUP_CORE_FINGERPRINT_MINHASH_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

// Writes `count` minima of the set. An empty set has all ones everywhere.
void MinHash(const uint64_t* set, size_t size, uint64_t seed, uint64_t* minima, size_t count);

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_MINHASH_H_
