#include "core/fingerprint/xxh3.h"

namespace neardup::xxh3 {

const uint8_t kSecret[kSecretSize] = {
    0xB8, 0xFE, 0x6C, 0x39, 0x23, 0xA4, 0x4B, 0xBE, 0x7C, 0x01, 0x81, 0x2C, 0xF7, 0x21, 0xAD, 0x1C,
    0xDE, 0xD4, 0x6D, 0xE9, 0x83, 0x90, 0x97, 0xDB, 0x72, 0x40, 0xA4, 0xA4, 0xB7, 0xB3, 0x67, 0x1F,
    0xCB, 0x79, 0xE6, 0x4E, 0xCC, 0xC0, 0xE5, 0x78, 0x82, 0x5A, 0xD0, 0x7D, 0xCC, 0xFF, 0x72, 0x21,
    0xB8, 0x08, 0x46, 0x74, 0xF7, 0x43, 0x24, 0x8E, 0xE0, 0x35, 0x90, 0xE6, 0x81, 0x3A, 0x26, 0x4C,
    0x3C, 0x28, 0x52, 0xBB, 0x91, 0xC3, 0x00, 0xCB, 0x88, 0xD0, 0x65, 0x8B, 0x1B, 0x53, 0x2E, 0xA3,
    0x71, 0x64, 0x48, 0x97, 0xA2, 0x0D, 0xF9, 0x4E, 0x38, 0x19, 0xEF, 0x46, 0xA9, 0xDE, 0xAC, 0xD8,
    0xA8, 0xFA, 0x76, 0x3F, 0xE3, 0x9C, 0x34, 0x3F, 0xF9, 0xDC, 0xBB, 0xC7, 0xC7, 0x0B, 0x4F, 0x1D,
    0x8A, 0x51, 0xE0, 0x4B, 0xCD, 0xB4, 0x59, 0x31, 0xC8, 0x9F, 0x7E, 0xC9, 0xD9, 0x78, 0x73, 0x64,
    0xEA, 0xC5, 0xAC, 0x83, 0x34, 0xD3, 0xEB, 0xC3, 0xC5, 0x81, 0xA0, 0xFF, 0xFA, 0x13, 0x63, 0xEB,
    0x17, 0x0D, 0xDD, 0x51, 0xB7, 0xF0, 0xDA, 0x49, 0xD3, 0x16, 0x55, 0x26, 0x29, 0xD4, 0x68, 0x9E,
    0x2B, 0x16, 0xBE, 0x58, 0x7D, 0x47, 0xA1, 0xFC, 0x8F, 0xF8, 0xB8, 0xD1, 0x7A, 0xD0, 0x31, 0xCE,
    0x45, 0xCB, 0x3A, 0x8F, 0x95, 0x16, 0x04, 0x28, 0xAF, 0xD7, 0xFB, 0xCA, 0xBB, 0x4B, 0x40, 0x7E,
};

namespace {

constexpr uint64_t kPrime32_1 = 0x9E3779B1;
constexpr uint64_t kPrime32_2 = 0x85EBCA77;
constexpr uint64_t kPrime32_3 = 0xC2B2AE3D;
constexpr uint64_t kPrime64_4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime64_5 = 0x27D4EB2F165667C5;

constexpr size_t kStripe = 64;
constexpr size_t kStripesPerBlock = (kSecretSize - kStripe) / 8;
constexpr size_t kBlock = kStripe * kStripesPerBlock;

uint64_t Hash129To240(const uint8_t* data, size_t size, uint64_t seed) {
  uint64_t x = size * kPrime64_1;
  for (size_t i = 0; i < 8; i++) x += Mix16(data + 16 * i, kSecret + 16 * i, seed);
  x = Avalanche(x);
  for (size_t i = 8; i < size >> 4; i++) x += Mix16(data + 16 * i, kSecret + 16 * (i - 8) + 3, seed);
  x += Mix16(data + size - 16, kSecret + 119, seed);
  return Avalanche(x);
}

// The eight lanes that an input of more than 240 bytes is folded into.
struct Lanes {
  uint64_t lane[8] = {kPrime32_3, kPrime64_1, kPrime64_2, kPrime64_3,
                      kPrime64_4, kPrime32_2, kPrime64_5, kPrime32_1};

  void Accumulate(const uint8_t* stripe, const uint8_t* secret) {
    for (size_t i = 0; i < 8; i++) {
      const uint64_t data = Load64(stripe + 8 * i);
      const uint64_t keyed = data ^ Load64(secret + 8 * i);
      lane[i ^ 1] += data;
      lane[i] += (keyed & 0xFFFFFFFF) * (keyed >> 32);
    }
  }

  void Scramble(const uint8_t* secret) {
    for (size_t i = 0; i < 8; i++) {
      lane[i] = (lane[i] ^ (lane[i] >> 47) ^ Load64(secret + 8 * i)) * kPrime32_1;
    }
  }

  uint64_t Merge(uint64_t x, const uint8_t* secret) const {
    for (size_t i = 0; i < 8; i += 2) {
      x += MultiplyFold(lane[i] ^ Load64(secret + 8 * i), lane[i + 1] ^ Load64(secret + 8 * i + 8));
    }
    return Avalanche(x);
  }
};

uint64_t HashOver240(const uint8_t* data, size_t size, const uint8_t* secret) {
  Lanes lanes;
  const size_t full_blocks = (size - 1) / kBlock;
  for (size_t block = 0; block < full_blocks; block++) {
    const uint8_t* start = data + block * kBlock;
    for (size_t n = 0; n < kStripesPerBlock; n++) lanes.Accumulate(start + kStripe * n, secret + 8 * n);
    lanes.Scramble(secret + kSecretSize - kStripe);
  }
  const uint8_t* rest = data + full_blocks * kBlock;
  const size_t full_stripes = (size - full_blocks * kBlock - 1) / kStripe;
  for (size_t n = 0; n < full_stripes; n++) lanes.Accumulate(rest + kStripe * n, secret + 8 * n);
  lanes.Accumulate(data + size - kStripe, secret + kSecretSize - 71);
  return lanes.Merge(size * kPrime64_1, secret + 11);
}

}  // namespace

uint64_t HashLong(const uint8_t* data, size_t size, uint64_t seed) {
  if (size <= 240) return Hash129To240(data, size, seed);
  if (seed == 0) return HashOver240(data, size, kSecret);
  uint8_t secret[kSecretSize];
  for (size_t i = 0; i < kSecretSize; i += 8) {
    const uint64_t word = Load64(kSecret + i);
    const uint64_t derived = i % 16 == 0 ? word + seed : word - seed;
    std::memcpy(secret + i, &derived, 8);
  }
  return HashOver240(data, size, secret);
}

}  // namespace neardup::xxh3
