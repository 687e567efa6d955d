// Scans of 64-bit codes by Hamming distance to one query: the exhaustive search of short arrays and the
// verification of candidates. All implementations give the same answers; call them by kernels::Active().
//
// Codes are aligned as uint64_t, no more; n = 0 reads nothing. Thread-safe: no state. A batch of queries over
// an array larger than the cache is best scanned block by block (2048 codes), each block for all queries.
#ifndef NEARDUP_KERNELS_HAMMING_H_
#define NEARDUP_KERNELS_HAMMING_H_

#include <cstddef>
#include <cstdint>

// Distances: out[i] = number of bits in which codes[i] and query differ, 0..64. O(n).
//
// Within: writes the positions i, ascending, of the codes at distance <= max_distance and returns how many
// there are. `positions` has room for n entries (what lies behind the returned count may be overwritten);
// n <= 2^32. O(n).
namespace neardup::kernels::scalar {
void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out);
size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions);
}  // namespace neardup::kernels::scalar

namespace neardup::kernels::avx2 {
void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out);
size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions);
}  // namespace neardup::kernels::avx2

namespace neardup::kernels::avx512 {
void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out);
size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions);
}  // namespace neardup::kernels::avx512

namespace neardup::kernels::neon {
void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out);
size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions);
}  // namespace neardup::kernels::neon

#endif  // NEARDUP_KERNELS_HAMMING_H_
