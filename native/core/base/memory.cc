#include "core/base/memory.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace neardup {

namespace {

constexpr size_t kHugePage = size_t{2} << 20;

Status Refused(size_t bytes) { return Status::OutOfMemory(std::to_string(bytes) + " bytes were refused"); }

}  // namespace

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    Reset();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    mapped_ = std::exchange(other.mapped_, 0);
    huge_ = std::exchange(other.huge_, false);
    owner_ = std::move(other.owner_);
  }
  return *this;
}

Status Buffer::Allocate(size_t bytes, Buffer* out) {
  out->Reset();
  if (bytes == 0) return Status();
  if (bytes > SIZE_MAX / 2) return Refused(bytes);
#if defined(__linux__)
  if (bytes >= kHugePage / 2) {
    // Mapped with a page to spare, so that the block can start on a huge page; the edges are given back.
    const size_t whole = (bytes + kHugePage - 1) & ~(kHugePage - 1);
    void* base = mmap(nullptr, whole + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return Refused(bytes);
    const uintptr_t start = reinterpret_cast<uintptr_t>(base);
    const uintptr_t aligned = (start + kHugePage - 1) & ~(kHugePage - 1);
    if (aligned > start) munmap(base, aligned - start);
    const size_t after = start + kHugePage - aligned;
    if (after > 0) munmap(reinterpret_cast<void*>(aligned + whole), after);
    out->data_ = reinterpret_cast<uint8_t*>(aligned);
    out->mapped_ = whole;
    out->huge_ = madvise(out->data_, whole, MADV_HUGEPAGE) == 0;
    out->size_ = bytes;
    return Status();
  }
#endif
  out->data_ = static_cast<uint8_t*>(::operator new(bytes, std::align_val_t{64}, std::nothrow));
  if (out->data_ == nullptr) return Refused(bytes);
  std::memset(out->data_, 0, bytes);
  out->size_ = bytes;
  return Status();
}

Status Buffer::AllocateArray(size_t count, size_t size, Buffer* out) {
  if (size != 0 && count > SIZE_MAX / size) {
    out->Reset();
    return Refused(SIZE_MAX);
  }
  return Allocate(count * size, out);
}

Buffer Buffer::View(const uint8_t* data, size_t size, std::shared_ptr<const void> owner) {
  Buffer view;
  view.data_ = const_cast<uint8_t*>(data);
  view.size_ = size;
  view.owner_ = std::move(owner);
  return view;
}

void Buffer::Reset() {
  if (data_ == nullptr) return;
#if defined(__linux__)
  if (mapped_ != 0) munmap(data_, mapped_);
#endif
  if (mapped_ == 0 && owner_ == nullptr) ::operator delete(data_, std::align_val_t{64});
  owner_.reset();
  data_ = nullptr;
  size_ = mapped_ = 0;
  huge_ = false;
}

}  // namespace neardup
