// Unsigned integers of 1 to 57 bits each, packed without gaps into bytes (little-endian bit order). The bytes
// are plain data: they can be written to a file and read back from a mapping.
#ifndef NEARDUP_CORE_BASE_PACKED_ARRAY_H_
#define NEARDUP_CORE_BASE_PACKED_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace neardup {

// The bits that `value` needs; 1 for 0.
inline unsigned BitWidth(uint64_t value) {
  unsigned width = 1;
  while (width < 64 && (value >> width) != 0) ++width;
  return width;
}

constexpr unsigned kPackedMaxWidth = 57;

// Bytes for `count` items of `width` bits, with room for the 8-byte read of the last one.
inline size_t PackedBytes(size_t count, unsigned width) { return (count / 8 + 1) * width + 16; }

inline uint64_t PackedGet(const uint8_t* data, size_t index, unsigned width) {
  const uint64_t bit = static_cast<uint64_t>(index) * width;
  uint64_t word;
  std::memcpy(&word, data + (bit >> 3), 8);
  return (word >> (bit & 7)) & ((uint64_t{1} << width) - 1);
}

// Writes consecutive items into zeroed memory. Several writers may fill neighbouring ranges of one array at
// the same time: only whole 8-byte words that belong to one writer are stored, the shared ones are merged
// atomically.
class PackedWriter {
 public:
  PackedWriter(uint8_t* data, size_t index, unsigned width) : width_(width) {
    const uint64_t bit = static_cast<uint64_t>(index) * width;
    word_ = reinterpret_cast<uint64_t*>(data) + (bit >> 6);
    used_ = bit & 63;
    shared_ = used_ != 0;
  }
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;
  ~PackedWriter() {
    if (used_ != 0) Merge();
  }

  void Push(uint64_t value) {
    pending_ |= value << used_;
    used_ += width_;
    if (used_ < 64) return;
    Flush();
    used_ -= 64;
    pending_ = used_ == 0 ? 0 : value >> (width_ - used_);
  }

 private:
  void Merge() { __atomic_fetch_or(word_, pending_, __ATOMIC_RELAXED); }
  void Flush() {
    if (shared_) {
      Merge();
      shared_ = false;
    } else {
      *word_ = pending_;
    }
    ++word_;
  }

  uint64_t* word_;
  uint64_t pending_ = 0;
  unsigned used_;
  unsigned width_;
  bool shared_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_PACKED_ARRAY_H_
