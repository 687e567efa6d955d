#include "core/storage/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#if defined(_WIN32)
#include <cstdio>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace neardup {

namespace {

Status Refused(const std::string& path, const char* what, int error) {
  if (error == ENOMEM) return Status::OutOfMemory(path + " cannot be mapped");
  return Status(StatusCode::kIo, std::string("cannot ") + what + " " + path + ": " + std::strerror(error));
}

Status TooShort(const std::string& path) {
  return Status(StatusCode::kCorrupt, path + " is corrupt: length: it is shorter than its header says");
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::Of(Buffer bytes) {
  const std::shared_ptr<MappedFile> file(new MappedFile());
  file->memory_ = std::move(bytes);
  file->data_ = file->memory_.data();
  file->length_ = file->memory_.size();
  return file;
}

#if defined(_WIN32)

MappedFile::~MappedFile() = default;
void MappedFile::ReadAhead(uint64_t, uint64_t) const {}

Status MappedFile::Open(const std::string& path, uint64_t offset, uint64_t length,
                        std::shared_ptr<const MappedFile>* out) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Refused(path, "open", errno);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closed(file, std::fclose);
  if (_fseeki64(file, 0, SEEK_END) != 0) return Refused(path, "read", errno);
  const auto size = static_cast<uint64_t>(_ftelli64(file));
  if (size < offset || size - offset < length) return TooShort(path);
  Buffer bytes;
  if (length > std::numeric_limits<size_t>::max()) return Status::OutOfMemory(path + " is too large");
  if (Status s = Buffer::Allocate(static_cast<size_t>(length), &bytes); !s.ok()) return s;
  if (_fseeki64(file, static_cast<int64_t>(offset), SEEK_SET) != 0 ||
      std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size())
    return Refused(path, "read", errno);
  *out = Of(std::move(bytes));
  return Status();
}

#else

namespace {

// A query reads single lines all over the file: to read others with them is a waste. But where the file is
// small beside the memory, all of it will soon be there, and is better read, and found, by huge pages, where
// the system has them for files.
void Advise(void* mapping, uint64_t length) {
  madvise(mapping, length, MADV_RANDOM);
#if defined(MADV_HUGEPAGE)
  constexpr uint64_t kShare = 4;
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  if (length <= pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / kShare)
    madvise(mapping, length, MADV_HUGEPAGE);
#endif
}

}  // namespace

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

Status MappedFile::Open(const std::string& path, uint64_t offset, uint64_t length,
                        std::shared_ptr<const MappedFile>* out) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Refused(path, "open", errno);
  struct Closer {
    int file;
    ~Closer() { close(file); }
  } const closer{file};
  struct stat info = {};
  if (fstat(file, &info) != 0) return Refused(path, "read", errno);
  if (!S_ISREG(info.st_mode))
    return Status(StatusCode::kCorrupt, path + " is corrupt: file: it is not a regular file");
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size < offset || size - offset < length) return TooShort(path);
  const std::shared_ptr<MappedFile> mapped(new MappedFile());
  mapped->length_ = length;
  if (length != 0) {
    // Pages may be larger than what the offset is a multiple of.
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t before = offset % page;
    if (length > std::numeric_limits<size_t>::max() - before) return Refused(path, "map", ENOMEM);
    void* mapping = mmap(nullptr, static_cast<size_t>(before + length), PROT_READ, MAP_SHARED, file,
                         static_cast<off_t>(offset - before));
    if (mapping == MAP_FAILED) return Refused(path, "map", errno);
    mapped->mapping_ = static_cast<uint8_t*>(mapping);
    mapped->mapped_ = before + length;
    mapped->data_ = mapped->mapping_ + before;
    Advise(mapping, mapped->mapped_);
  }
  *out = mapped;
  return Status();
}

void MappedFile::ReadAhead(uint64_t from, uint64_t to) const {
  if (mapping_ == nullptr || from >= to) return;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t before = static_cast<uint64_t>(data_ - mapping_);
  const uint64_t first = (from + before) / page * page;
  madvise(mapping_ + first, static_cast<size_t>(std::min(to, length_) + before - first), MADV_WILLNEED);
}

#endif

}  // namespace neardup
