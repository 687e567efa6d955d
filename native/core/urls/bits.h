// A long run of bytes for a bit array: zeroed memory, or a file's bytes mapped privately, so that they are
// read when touched and changes stay in memory. Owns what it holds; moves, does not copy. Where the platform
// has no mmap, the file's bytes are read at once.
#ifndef NEARDUP_CORE_URLS_BITS_H_
#define NEARDUP_CORE_URLS_BITS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/status.h"

namespace neardup {

class Bits {
 public:
  Bits() = default;
  ~Bits();
  Bits(Bits&& other) noexcept;
  Bits& operator=(Bits&& other) noexcept;

  // `length` zero bytes.
  static Status Zeroed(uint64_t length, Bits* out);

  // The `length` bytes from `offset` (a multiple of 64 KiB) of a file that must not shrink while it is
  // mapped.
  static Status Map(const std::string& path, uint64_t offset, uint64_t length, Bits* out);

  uint8_t* data() const { return data_; }
  uint64_t length() const { return length_; }

 private:
  uint8_t* data_ = nullptr;
  uint64_t length_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_URLS_BITS_H_
