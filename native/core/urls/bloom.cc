#include "core/urls/bloom.h"

#include <algorithm>
#include <cstring>

#include "core/urls/mix.h"

namespace neardup {

namespace {

constexpr uint64_t kBlockBits = 512;
constexpr uint32_t kMaxHashes = 64;
constexpr size_t kGroup = 8;  // keys whose positions are prefetched together
constexpr uint64_t kSecondHash = 0x9e3779b97f4a7c15ULL;

// The place, 0 to places - 1, that a hash falls on. The product is the same in every IEEE 754 arithmetic.
uint64_t PlaceOf(uint64_t hash, uint64_t places) {
  const double fraction = static_cast<double>(hash >> 11) * 0x1p-53;
  const auto place = static_cast<uint64_t>(fraction * static_cast<double>(places));
  return std::min(place, places - 1);
}

void PrefetchLine(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1, 3);
#else
  (void)address;
#endif
}

int CountOnesOf(uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555ULL;
  word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return static_cast<int>((word * 0x0101010101010101ULL) >> 56);
}

}  // namespace

Status BloomBits::Create(const BloomShape& shape, BloomBits* out) {
  out->shape_ = shape;
  return Bits::Zeroed(shape.bytes(), &out->bits_);
}

Status BloomBits::Map(const BloomShape& shape, const std::string& path, uint64_t offset, BloomBits* out) {
  out->shape_ = shape;
  return Bits::Map(path, offset, shape.bytes(), &out->bits_);
}

void BloomBits::Positions(uint64_t key, uint64_t* out) const {
  if (shape_.blocked) {
    const uint64_t base = PlaceOf(key, shape_.bits / kBlockBits) * kBlockBits;
    uint64_t hash = Mix64(key ^ kSecondHash);
    // Seven positions of nine bits from each hash.
    for (uint32_t i = 0, left = 7; i < shape_.hashes; i++, left--) {
      if (left == 0) {
        hash = Mix64(hash + kSecondHash);
        left = 7;
      }
      out[i] = base + ((hash >> (9 * (7 - left))) & (kBlockBits - 1));
    }
    return;
  }
  uint64_t hash = key;
  uint64_t step = Mix64(key ^ kSecondHash) | 1;
  for (uint32_t i = 0; i < shape_.hashes; i++) {
    out[i] = PlaceOf(hash, shape_.bits);
    hash += step;
    step += i + 1;
  }
}

void BloomBits::PrefetchPositions(const uint64_t* positions) const {
  const uint32_t lines = shape_.blocked ? 1 : shape_.hashes;
  for (uint32_t i = 0; i < lines; i++) PrefetchLine(bits_.data() + positions[i] / 8);
}

void BloomBits::AddBatch(const uint64_t* keys, size_t count, uint8_t* added) {
  uint64_t positions[kGroup][kMaxHashes];
  for (size_t first = 0; first < count; first += kGroup) {
    const size_t group = std::min(kGroup, count - first);
    for (size_t i = 0; i < group; i++) {
      Positions(keys[first + i], positions[i]);
      PrefetchPositions(positions[i]);
    }
    for (size_t i = 0; i < group; i++) {
      uint8_t is_new = 0;
      for (uint32_t j = 0; j < shape_.hashes; j++) {
        const uint64_t at = positions[i][j];
        uint8_t& byte = bits_.data()[at / 8];
        const auto bit = static_cast<uint8_t>(1u << (at % 8));
        is_new |= static_cast<uint8_t>((byte & bit) == 0);
        byte = static_cast<uint8_t>(byte | bit);
      }
      added[first + i] = is_new;
    }
  }
}

void BloomBits::HasBatch(const uint64_t* keys, size_t count, uint8_t* found) const {
  uint64_t positions[kGroup][kMaxHashes];
  for (size_t first = 0; first < count; first += kGroup) {
    const size_t group = std::min(kGroup, count - first);
    for (size_t i = 0; i < group; i++) {
      Positions(keys[first + i], positions[i]);
      PrefetchPositions(positions[i]);
    }
    for (size_t i = 0; i < group; i++) {
      uint32_t j = 0;
      while (j < shape_.hashes && (bits_.data()[positions[i][j] / 8] >> (positions[i][j] % 8) & 1) != 0) j++;
      found[first + i] = j == shape_.hashes ? 1 : 0;
    }
  }
}

uint64_t BloomBits::CountOnes() const {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < bits_.length(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bits_.data() + i, sizeof word);
    ones += static_cast<uint64_t>(CountOnesOf(word));
  }
  return ones;
}

void BloomBits::Read(uint64_t offset, uint8_t* out, size_t length) const {
  std::memcpy(out, bits_.data() + offset, length);
}

void BloomBits::Or(uint64_t offset, const uint8_t* in, size_t length) {
  uint8_t* out = bits_.data() + offset;
  for (size_t i = 0; i < length; i++) out[i] |= in[i];
}

}  // namespace neardup
