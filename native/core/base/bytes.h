// Little-endian loads from unaligned addresses and the few integer operations that C++17 lacks.
#ifndef NEARDUP_CORE_BASE_BYTES_H_
#define NEARDUP_CORE_BASE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#include <stdlib.h>
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "neardup's loads and files are little-endian"
#endif

namespace neardup {

inline uint32_t Load32(const uint8_t* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline uint64_t Load64(const uint8_t* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline uint64_t RotateLeft64(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

#if defined(_MSC_VER) && !defined(__clang__)
inline uint32_t ByteSwap32(uint32_t value) { return _byteswap_ulong(value); }
inline uint64_t ByteSwap64(uint64_t value) { return _byteswap_uint64(value); }
// Index of the lowest one bit; value must not be 0.
inline unsigned CountTrailingZeros64(uint64_t value) {
  unsigned long index;
  _BitScanForward64(&index, value);
  return index;
}
#else
inline uint32_t ByteSwap32(uint32_t value) { return __builtin_bswap32(value); }
inline uint64_t ByteSwap64(uint64_t value) { return __builtin_bswap64(value); }
// Index of the lowest one bit; value must not be 0.
inline unsigned CountTrailingZeros64(uint64_t value) { return static_cast<unsigned>(__builtin_ctzll(value)); }
#endif

struct Product128 {
  uint64_t low;
  uint64_t high;
};

inline Product128 Multiply64(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  const auto product = static_cast<unsigned __int128>(a) * b;
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#elif defined(_M_X64)
  Product128 product;
  product.low = _umul128(a, b, &product.high);
  return product;
#elif defined(_M_ARM64)
  return {a * b, __umulh(a, b)};
#else
  const uint64_t low = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
  const uint64_t cross1 = (a >> 32) * (b & 0xFFFFFFFF);
  const uint64_t cross2 = (a & 0xFFFFFFFF) * (b >> 32) + (low >> 32) + (cross1 & 0xFFFFFFFF);
  return {cross2 << 32 | (low & 0xFFFFFFFF), (a >> 32) * (b >> 32) + (cross1 >> 32) + (cross2 >> 32)};
#endif
}

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_BYTES_H_
