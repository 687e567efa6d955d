// Payloads of segment files in memory, for tests and fuzzing.
#ifndef NEARDUP_TEST_STORAGE_DATA_H_
#define NEARDUP_TEST_STORAGE_DATA_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/fingerprint/xxh3.h"
#include "core/index/view.h"
#include "core/storage/segment_check.h"
#include "core/storage/segment_file.h"
#include "core/storage/segment_opener.h"

namespace neardup::test {

using Bytes = std::vector<uint8_t>;

inline std::vector<uint64_t> ChecksumsOf(const uint8_t* bytes, size_t length) {
  std::vector<uint64_t> checksums;
  for (size_t at = 0; at < length; at += SegmentFile::kBlock)
    checksums.push_back(Xxh3(bytes + at, std::min<size_t>(SegmentFile::kBlock, length - at)));
  return checksums;
}

// A file of these bytes, exactly as long, so that a sanitizer sees any read beyond the end.
inline std::shared_ptr<SegmentFile> FileOf(const Bytes& bytes, std::vector<uint64_t> checksums) {
  Buffer buffer;
  if (!Buffer::Allocate(bytes.size(), &buffer).ok()) return nullptr;
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  std::shared_ptr<SegmentFile> file;
  const Status s =
      SegmentFile::Of("segment-1", "dir/segment-1", std::move(buffer), std::move(checksums), &file);
  return s.ok() ? file : nullptr;
}
inline std::shared_ptr<SegmentFile> FileOf(const Bytes& bytes) {
  return FileOf(bytes, ChecksumsOf(bytes.data(), bytes.size()));
}

// All steps of a check; checksums are not looked at.
inline Status CheckSegment(const std::shared_ptr<SegmentFile>& file, ColumnSet columns) {
  std::unique_ptr<SegmentCheck> check;
  Status status = SegmentCheck::Start(file, columns, &check);
  for (bool done = false; status.ok() && !done;) status = check->Step(&done);
  return status;
}

inline Status OpenTables(const std::shared_ptr<SegmentFile>& file, ColumnSet columns,
                         std::shared_ptr<const Segment>* out) {
  PayloadHeader header;
  if (Status s = ReadHeader(*file, columns, &header); !s.ok()) return s;
  if (header.layout != PayloadLayout::kTables) return file->Corrupt("no tables");
  return SegmentOpener::Open(file, header, columns, out);
}

// Asks all that does not need the whole to be right. What comes out is of no matter.
inline void AskAnything(const std::shared_ptr<const Segment>& segment, const std::vector<uint64_t>& queries) {
  View view;
  view.segments.push_back({segment, {}, nullptr});
  ViewScratch scratch;
  QueryResult result;
  Search search;
  search.distance = segment->planned()->plan().max_distance;
  const ::neardup::Queries asked = {queries.size(), queries.data(), nullptr, nullptr, nullptr};
  (void)view.Query(asked, search, kNoLimit, &scratch, &result);
  for (size_t i = 0; i < queries.size() && i < 8; ++i) Remove(queries[i], i, &view.segments[0]);
  (void)view.size();
}

}  // namespace neardup::test

#endif  // NEARDUP_TEST_STORAGE_DATA_H_
