// A large, zeroed, move-only block of memory, on huge pages where the system gives them: random reads over
// gigabytes are more than twice as fast there. Or a view into memory that someone else has, such as a mapped
// file.
#ifndef NEARDUP_CORE_BASE_MEMORY_H_
#define NEARDUP_CORE_BASE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/status.h"

namespace neardup {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = static_cast<Buffer&&>(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer() { Reset(); }

  // Zeroed, aligned to 64 bytes (to 2 MiB when large). kOutOfMemory when refused; *out is then empty.
  static Status Allocate(size_t bytes, Buffer* out);
  // As above for `count` items of `size` bytes, overflow-checked.
  static Status AllocateArray(size_t count, size_t size, Buffer* out);
  // `size` bytes within what `owner` keeps, which lives as long as the view. They are not to be written to.
  static Buffer View(const uint8_t* data, size_t size, std::shared_ptr<const void> owner);

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  size_t size() const { return size_; }
  // Whether huge pages were granted: false for small blocks and where the system has none.
  bool huge_pages() const { return huge_; }
  void Reset();

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t mapped_ = 0;  // Bytes of the mapping; 0 when the block came from the heap.
  bool huge_ = false;
  std::shared_ptr<const void> owner_;  // Of a view.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_MEMORY_H_
