// Checksums of groups of MinHash minima: group i is the minima [i * rows, (i + 1) * rows), its checksum the
// XXH3-64 of their little-endian bytes. Two sets of Jaccard similarity J agree in a checksum with the chance
// J^rows: these are the keys of banded MinHash and the checksums of a document signature. O(count * rows).
// Thread-safe: no state.
#ifndef NEARDUP_CORE_FINGERPRINT_SIGNATURE_H_
#define NEARDUP_CORE_FINGERPRINT_SIGNATURE_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

// Writes `count` checksums of count * rows minima.
void Checksums(const uint64_t* minima, size_t rows, uint64_t* checksums, size_t count);

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_SIGNATURE_H_
