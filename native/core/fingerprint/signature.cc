#include "core/fingerprint/signature.h"

#include "core/fingerprint/xxh3.h"

namespace neardup {

void Checksums(const uint64_t* minima, size_t rows, uint64_t* checksums, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(minima + i * rows);
    checksums[i] = Xxh3(bytes, rows * sizeof(uint64_t));
  }
}

}  // namespace neardup
