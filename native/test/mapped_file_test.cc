#include "core/storage/mapped_file.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "test/storage_data.h"

namespace neardup::test {

namespace {

// A file in the folder for temporary ones, while it lives.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Bytes& bytes) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/neardup-mapped-" +
            std::to_string(reinterpret_cast<uintptr_t>(this)) + "-" + std::to_string(std::rand());
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    REQUIRE(file != nullptr);
    CHECK(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
    std::fclose(file);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Bytes Numbered(size_t length) {
  Bytes bytes(length);
  for (size_t i = 0; i < length; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

}  // namespace

TEST_CASE("mapped file: any stretch of a file, also after it is removed") {
  const Bytes bytes = Numbered(300000);
  for (const uint64_t offset : {0, 4096, 12288, 65536}) {
    for (const uint64_t length : {uint64_t{0}, uint64_t{1}, uint64_t{4096}, bytes.size() - offset}) {
      std::shared_ptr<const MappedFile> mapped;
      {
        const TemporaryFile file(bytes);
        REQUIRE(MappedFile::Open(file.path(), offset, length, &mapped).ok());
      }
      REQUIRE(mapped->length() == length);
      mapped->ReadAhead(0, length);
      mapped->ReadAhead(length / 2, length + 100000);
      CHECK(std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                       bytes.begin() + static_cast<std::ptrdiff_t>(offset + length), mapped->data()));
    }
  }
}

TEST_CASE("mapped file: what is missing or too short is refused") {
  const TemporaryFile file(Numbered(10000));
  std::shared_ptr<const MappedFile> mapped;
  CHECK(MappedFile::Open(file.path(), 4096, 5905, &mapped).code() == StatusCode::kCorrupt);
  CHECK(MappedFile::Open(file.path(), 12288, 0, &mapped).code() == StatusCode::kCorrupt);
  CHECK(MappedFile::Open(file.path(), 4096, ~uint64_t{0}, &mapped).code() == StatusCode::kCorrupt);
  const Status missing = MappedFile::Open(file.path() + "x", 0, 1, &mapped);
  CHECK(missing.code() == StatusCode::kIo);
  CHECK(missing.message().find(file.path() + "x") != std::string::npos);
  CHECK((mapped == nullptr));
}

TEST_CASE("mapped file: a segment file tells which block and section is damaged, and keeps the outcome") {
  Bytes bytes = Numbered(3 * SegmentFile::kBlock + 5);
  const std::vector<uint64_t> checksums = ChecksumsOf(bytes.data(), bytes.size());
  bytes[2 * SegmentFile::kBlock + 77] ^= 1;
  const TemporaryFile on_disk(bytes);
  std::shared_ptr<SegmentFile> file;
  CHECK(SegmentFile::Open("s", on_disk.path(), 0, bytes.size(), {1, 2, 3}, &file).code() ==
        StatusCode::kCorrupt);
  REQUIRE(SegmentFile::Open("s", on_disk.path(), 0, bytes.size(), checksums, &file).ok());
  file->NameSection(0, 2 * SegmentFile::kBlock, "before");
  file->NameSection(2 * SegmentFile::kBlock, 100, "the lines");
  std::atomic<bool> cancel{true};
  CHECK(file->CheckHead(2 * SegmentFile::kBlock).ok());
  CHECK(file->EnsureVerified(&cancel).code() == StatusCode::kAborted);
  CHECK(!file->is_corrupt());
  for (int i = 0; i < 2; ++i) {
    const Status status = file->EnsureVerified();
    CHECK(status.code() == StatusCode::kCorrupt);
    CHECK(status.message() == on_disk.path() +
                                  " is corrupt: the checksum of payload bytes 2097152 to 3145727 is wrong "
                                  "(the lines)");
    CHECK(file->is_corrupt());
  }
}

}  // namespace neardup::test
