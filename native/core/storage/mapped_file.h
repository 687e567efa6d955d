// Bytes of a file, to be read in place: mapped where the platform can, so that they are read when touched and
// shared with other processes, else read at once. The file must not be shortened while it is mapped; it may
// be removed. Immutable; thread-safe.
#ifndef NEARDUP_CORE_STORAGE_MAPPED_FILE_H_
#define NEARDUP_CORE_STORAGE_MAPPED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/memory.h"
#include "core/base/status.h"

namespace neardup {

class MappedFile {
 public:
  // The `length` bytes from `offset` (a multiple of 4,096) of a file. kIo where it cannot be opened or
  // mapped; kCorrupt where it is shorter.
  static Status Open(const std::string& path, uint64_t offset, uint64_t length,
                     std::shared_ptr<const MappedFile>* out);
  // Bytes that are in memory already.
  static std::shared_ptr<const MappedFile> Of(Buffer bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const uint8_t* data() const { return data_; }
  uint64_t length() const { return length_; }
  // Has these bytes read ahead, as they will all be wanted soon.
  void ReadAhead(uint64_t from, uint64_t to) const;

 private:
  MappedFile() = default;
  const uint8_t* data_ = nullptr;
  uint64_t length_ = 0;
  uint8_t* mapping_ = nullptr;  // Of whole pages; null: the bytes are in memory_.
  uint64_t mapped_ = 0;
  Buffer memory_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_MAPPED_FILE_H_
