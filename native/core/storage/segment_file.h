// The payload of a segment file (docs/format.md), read in place, and what is known of its checksums: each
// block of a MiB is checked at most once. Thread-safe.
#ifndef NEARDUP_CORE_STORAGE_SEGMENT_FILE_H_
#define NEARDUP_CORE_STORAGE_SEGMENT_FILE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/storage/mapped_file.h"

namespace neardup {

class SegmentFile {
 public:
  static constexpr uint64_t kBlock = uint64_t{1} << 20;

  // `checksums`: XXH3-64 of each block. kCorrupt where their number does not fit the length.
  static Status Open(std::string name, const std::string& path, uint64_t offset, uint64_t length,
                     std::vector<uint64_t> checksums, std::shared_ptr<SegmentFile>* out);
  // As above of bytes that are in memory already.
  static Status Of(std::string name, std::string path, Buffer payload, std::vector<uint64_t> checksums,
                   std::shared_ptr<SegmentFile>* out);

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const uint8_t* data() const { return bytes_->data(); }
  uint64_t length() const { return bytes_->length(); }
  // Keeps the bytes where they are.
  const std::shared_ptr<const MappedFile>& bytes() const { return bytes_; }

  // What an error calls the bytes from `offset` on. Before the file is shared.
  void NameSection(uint64_t offset, uint64_t length, std::string name);
  Status Corrupt(const std::string& what) const;

  // Checks the blocks that the first `length` bytes lie in.
  Status CheckHead(uint64_t length) const;
  // Checks all blocks, once; the outcome stays. kAborted after a cancellation: the next call goes on.
  Status EnsureVerified(const std::atomic<bool>* cancel = nullptr) const;
  // Whether a check has failed.
  bool is_corrupt() const { return state_.load(std::memory_order_acquire) == kDamaged; }

 private:
  enum State { kUnknown, kVerified, kDamaged };
  struct Section {
    uint64_t offset, length;
    std::string name;
  };
  SegmentFile(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}
  Status Begin(std::shared_ptr<const MappedFile> bytes, std::vector<uint64_t> checksums);
  // Checks blocks next_ to end - 1.
  Status CheckUpTo(uint64_t end, const std::atomic<bool>* cancel) const;

  const std::string name_, path_;
  std::shared_ptr<const MappedFile> bytes_;
  std::vector<uint64_t> checksums_;
  std::vector<Section> sections_;
  mutable std::atomic<State> state_{kUnknown};
  mutable std::mutex mutex_;
  mutable uint64_t next_ = 0;  // Blocks before this one are right.
  mutable Status damage_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_SEGMENT_FILE_H_
