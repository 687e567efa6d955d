// XXH3-64 of a byte string with a seed, as specified in xxHash's doc/xxhash_spec.md (0.2.0): the hash that
// gives a feature its identity. The value is the same on every platform. Short inputs are inlined because a
// feature is mostly one to five words. Reads exactly `size` bytes; `data` may be null when size is 0.
// Thread-safe: no state.
#ifndef NEARDUP_CORE_FINGERPRINT_XXH3_H_
#define NEARDUP_CORE_FINGERPRINT_XXH3_H_

#include <cstddef>
#include <cstdint>

#include "core/base/bytes.h"

namespace neardup {

namespace xxh3 {

constexpr uint64_t kPrime64_1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime64_2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime64_3 = 0x165667B19E3779F9;
constexpr uint64_t kPrimeMx1 = 0x165667919E3779F9;
constexpr uint64_t kPrimeMx2 = 0x9FB21C651E98DF25;

constexpr size_t kSecretSize = 192;
extern const uint8_t kSecret[kSecretSize];

// The default secret as the words that short inputs combine, so that they need no load.
constexpr uint64_t kSecret0_4 = 0xBE4BA423 ^ 0x396CFEB8;  // 32-bit words at 0 and 4
constexpr uint64_t kSecret8_16 = 0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE;
constexpr uint64_t kSecret24_32 = 0x1F67B3B7A4A44072 ^ 0x78E5C0CC4EE679CB;
constexpr uint64_t kSecret40_48 = 0x2172FFCC7DD05A82 ^ 0x8E2443F7744608B8;
constexpr uint64_t kSecret56_64 = 0x4C263A81E69035E0 ^ 0xCB00C391BB52283C;

inline uint64_t MultiplyFold(uint64_t a, uint64_t b) {
  const Product128 product = Multiply64(a, b);
  return product.low ^ product.high;
}

inline uint64_t Avalanche(uint64_t x) {
  x ^= x >> 37;
  x *= kPrimeMx1;
  return x ^ (x >> 32);
}

inline uint64_t AvalancheXxh64(uint64_t x) {
  x ^= x >> 33;
  x *= kPrime64_2;
  x ^= x >> 29;
  x *= kPrime64_3;
  return x ^ (x >> 32);
}

inline uint64_t Hash1To3(const uint8_t* data, size_t size, uint64_t seed) {
  const uint32_t combined = data[size - 1] | static_cast<uint32_t>(size) << 8 |
                            static_cast<uint32_t>(data[0]) << 16 |
                            static_cast<uint32_t>(data[size >> 1]) << 24;
  return AvalancheXxh64((kSecret0_4 + seed) ^ combined);
}

inline uint64_t Hash4To8(const uint8_t* data, size_t size, uint64_t seed) {
  seed ^= static_cast<uint64_t>(ByteSwap32(static_cast<uint32_t>(seed))) << 32;
  const uint64_t combined = Load32(data + size - 4) | static_cast<uint64_t>(Load32(data)) << 32;
  uint64_t x = (kSecret8_16 - seed) ^ combined;
  x ^= RotateLeft64(x, 49) ^ RotateLeft64(x, 24);
  x *= kPrimeMx2;
  x ^= (x >> 35) + size;
  x *= kPrimeMx2;
  return x ^ (x >> 28);
}

// Hash1To3 or Hash4To8 with seed 0, without a branch: for lengths that no processor can predict, as those of
// words. `first8` holds the input in its low bytes and anything above.
inline uint64_t Hash1To8(uint64_t first8, size_t size) {
  const auto byte = [first8](size_t i) { return static_cast<uint32_t>(first8 >> (8 * i)) & 0xFF; };
  const uint32_t tiny =
      byte((size - 1) & 7) | static_cast<uint32_t>(size) << 8 | byte(0) << 16 | byte(size >> 1 & 3) << 24;
  const uint64_t if_tiny = AvalancheXxh64(kSecret0_4 ^ tiny);
  const auto last4 = static_cast<uint32_t>(first8 >> (8 * ((size - 4) & 7)));
  uint64_t x = kSecret8_16 ^ (last4 | first8 << 32);
  x ^= RotateLeft64(x, 49) ^ RotateLeft64(x, 24);
  x *= kPrimeMx2;
  x ^= (x >> 35) + size;
  x *= kPrimeMx2;
  const uint64_t otherwise = x ^ (x >> 28);
  const uint64_t is_tiny = uint64_t{0} - static_cast<uint64_t>(size < 4);
  return (if_tiny & is_tiny) | (otherwise & ~is_tiny);
}

inline uint64_t Hash9To16(const uint8_t* data, size_t size, uint64_t seed) {
  const uint64_t low = (kSecret24_32 + seed) ^ Load64(data);
  const uint64_t high = (kSecret40_48 - seed) ^ Load64(data + size - 8);
  return Avalanche(size + ByteSwap64(low) + high + MultiplyFold(low, high));
}

inline uint64_t Mix16(const uint8_t* data, const uint8_t* secret, uint64_t seed) {
  return MultiplyFold(Load64(data) ^ (Load64(secret) + seed), Load64(data + 8) ^ (Load64(secret + 8) - seed));
}

inline uint64_t Hash17To128(const uint8_t* data, size_t size, uint64_t seed) {
  uint64_t x = size * kPrime64_1;
  for (size_t i = (size - 1) >> 5;; i--) {
    x += Mix16(data + 16 * i, kSecret + 32 * i, seed);
    x += Mix16(data + size - 16 * i - 16, kSecret + 32 * i + 16, seed);
    if (i == 0) return Avalanche(x);
  }
}

// Inputs of more than 128 bytes.
uint64_t HashLong(const uint8_t* data, size_t size, uint64_t seed);

}  // namespace xxh3

inline uint64_t Xxh3(const uint8_t* data, size_t size, uint64_t seed = 0) {
  if (size > 16) {
    return size <= 128 ? xxh3::Hash17To128(data, size, seed) : xxh3::HashLong(data, size, seed);
  }
  if (size > 8) return xxh3::Hash9To16(data, size, seed);
  if (size >= 4) return xxh3::Hash4To8(data, size, seed);
  if (size > 0) return xxh3::Hash1To3(data, size, seed);
  return xxh3::AvalancheXxh64(seed ^ xxh3::kSecret56_64);
}

// The same with seed 0 for input of unpredictable length, 1 or more, at which 8 bytes can be read.
inline uint64_t Xxh3Short(const uint8_t* data, size_t size) {
  return size <= 8 ? xxh3::Hash1To8(Load64(data), size) : Xxh3(data, size);
}

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_XXH3_H_
