#include "core/urls/bits.h"

#include <cstdio>
#include <limits>
#include <utility>

#if defined(_WIN32)
#include <cstdlib>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace neardup {

Bits::~Bits() {
  if (data_ == nullptr) return;
#if defined(_WIN32)
  std::free(data_);
#else
  munmap(data_, length_);
#endif
}

Bits::Bits(Bits&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), length_(std::exchange(other.length_, 0)) {}

Bits& Bits::operator=(Bits&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(length_, other.length_);
  return *this;
}

namespace {

Status Refused(uint64_t length) { return Status::OutOfMemory(std::to_string(length) + " bytes of filter"); }

Status Unreadable(const std::string& path) {
  return Status(StatusCode::kUnsupported,
                "cannot map " + path + ": missing, or shorter than its header says");
}

}  // namespace

#if defined(_WIN32)

Status Bits::Zeroed(uint64_t length, Bits* out) {
  if (length == 0 || length > std::numeric_limits<size_t>::max() / 2) return Refused(length);
  out->data_ = static_cast<uint8_t*>(std::calloc(1, static_cast<size_t>(length)));
  if (out->data_ == nullptr) return Refused(length);
  out->length_ = length;
  return Status();
}

Status Bits::Map(const std::string& path, uint64_t offset, uint64_t length, Bits* out) {
  Bits bits;
  if (Status status = Zeroed(length, &bits); !status.ok()) return status;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Unreadable(path);
  const bool whole = _fseeki64(file, static_cast<int64_t>(offset), SEEK_SET) == 0 &&
                     std::fread(bits.data_, 1, static_cast<size_t>(length), file) == length;
  std::fclose(file);
  if (!whole) return Unreadable(path);
  *out = std::move(bits);
  return Status();
}

#else

Status Bits::Zeroed(uint64_t length, Bits* out) {
  if (length == 0 || length > std::numeric_limits<size_t>::max() / 2) return Refused(length);
  void* data = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return Refused(length);
#if defined(MADV_HUGEPAGE)
  madvise(data, length, MADV_HUGEPAGE);
#endif
  Bits bits;
  bits.data_ = static_cast<uint8_t*>(data);
  bits.length_ = length;
  *out = std::move(bits);
  return Status();
}

Status Bits::Map(const std::string& path, uint64_t offset, uint64_t length, Bits* out) {
  if (length == 0 || length > std::numeric_limits<size_t>::max() / 2) return Refused(length);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Unreadable(path);
  struct stat info = {};
  const bool covers = fstat(file, &info) == 0 && static_cast<uint64_t>(info.st_size) >= length &&
                      static_cast<uint64_t>(info.st_size) - length >= offset;
  void* data =
      covers ? mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, static_cast<off_t>(offset))
             : MAP_FAILED;
  close(file);
  if (!covers) return Unreadable(path);
  if (data == MAP_FAILED) return Refused(length);
  Bits bits;
  bits.data_ = static_cast<uint8_t*>(data);
  bits.length_ = length;
  *out = std::move(bits);
  return Status();
}

#endif

}  // namespace neardup
