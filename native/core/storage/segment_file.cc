#include "core/storage/segment_file.h"

#include <algorithm>
#include <utility>

#include "core/fingerprint/xxh3.h"

namespace neardup {

namespace {

constexpr uint64_t kAhead = 8;  // Blocks asked for before they are checked.

uint64_t BlocksOf(uint64_t length) {
  return length / SegmentFile::kBlock + (length % SegmentFile::kBlock != 0);
}

}  // namespace

Status SegmentFile::Open(std::string name, const std::string& path, uint64_t offset, uint64_t length,
                         std::vector<uint64_t> checksums, std::shared_ptr<SegmentFile>* out) {
  std::shared_ptr<const MappedFile> bytes;
  if (Status s = MappedFile::Open(path, offset, length, &bytes); !s.ok()) return s;
  const std::shared_ptr<SegmentFile> file(new SegmentFile(std::move(name), path));
  if (Status s = file->Begin(std::move(bytes), std::move(checksums)); !s.ok()) return s;
  *out = file;
  return Status();
}

Status SegmentFile::Of(std::string name, std::string path, Buffer payload, std::vector<uint64_t> checksums,
                       std::shared_ptr<SegmentFile>* out) {
  const std::shared_ptr<SegmentFile> file(new SegmentFile(std::move(name), std::move(path)));
  if (Status s = file->Begin(MappedFile::Of(std::move(payload)), std::move(checksums)); !s.ok()) return s;
  *out = file;
  return Status();
}

Status SegmentFile::Begin(std::shared_ptr<const MappedFile> bytes, std::vector<uint64_t> checksums) {
  bytes_ = std::move(bytes);
  checksums_ = std::move(checksums);
  return checksums_.size() == BlocksOf(length()) ? Status() : Corrupt("there is no checksum for each MiB");
}

void SegmentFile::NameSection(uint64_t offset, uint64_t length, std::string name) {
  sections_.push_back({offset, length, std::move(name)});
}

Status SegmentFile::Corrupt(const std::string& what) const {
  return Status(StatusCode::kCorrupt, path_ + " is corrupt: " + what);
}

Status SegmentFile::CheckHead(uint64_t length) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return CheckUpTo(BlocksOf(std::min(length, this->length())), nullptr);
}

Status SegmentFile::EnsureVerified(const std::atomic<bool>* cancel) const {
  if (state_.load(std::memory_order_acquire) == kVerified) return Status();
  const std::lock_guard<std::mutex> lock(mutex_);
  Status status = CheckUpTo(checksums_.size(), cancel);
  if (status.ok()) state_.store(kVerified, std::memory_order_release);
  return status;
}

Status SegmentFile::CheckUpTo(uint64_t end, const std::atomic<bool>* cancel) const {
  if (!damage_.ok()) return damage_;
  for (; next_ < end; ++next_) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return Status::Aborted();
    const uint64_t from = next_ * kBlock, to = std::min(length(), from + kBlock);
    if (next_ % kAhead == 0) bytes_->ReadAhead(from, std::min(from + 2 * kAhead * kBlock, end * kBlock));
    if (Xxh3(data() + from, static_cast<size_t>(to - from)) == checksums_[next_]) continue;
    std::string inside;
    for (const Section& section : sections_) {
      if (section.offset < to && section.offset + section.length > from)
        inside += (inside.empty() ? " (" : ", ") + section.name;
    }
    damage_ = Corrupt("the checksum of payload bytes " + std::to_string(from) + " to " +
                      std::to_string(to - 1) + " is wrong" + inside + (inside.empty() ? "" : ")"));
    state_.store(kDamaged, std::memory_order_release);
    return damage_;
  }
  return Status();
}

}  // namespace neardup
