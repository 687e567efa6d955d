// Payloads of segment files: whatever the bytes are, opening, asking, listing, merging and checking end well;
// and what the check lets pass answers as a scan of it does. Input: a payload, whose checksums are made
// right.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/index/index.h"
#include "core/index/listing.h"
#include "test/storage_data.h"

namespace {

using namespace neardup;

constexpr size_t kQueries = 64;

// Whether both found the same rows.
bool Same(const std::vector<RowMatch>& a, const std::vector<RowMatch>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const RowMatch& x, const RowMatch& y) {
    return x.query == y.query && x.distance == y.distance && x.fingerprint == y.fingerprint && x.row == y.row;
  });
}

void CompareWithScan(const Segment& segment, const std::vector<uint64_t>& queries) {
  const unsigned distance = segment.planned()->plan().max_distance;
  QueryScratch scratch;
  std::vector<RowMatch> found, expected;
  segment.planned()->QueryBatch(queries.data(), queries.size(), distance, SIZE_MAX, &scratch, &found);
  for (uint32_t q = 0; q < queries.size(); ++q) {
    const size_t from = expected.size();
    segment.ForEachRow([&](uint64_t fingerprint, uint64_t row) {
      const unsigned d = PopCount(fingerprint ^ queries[q]);
      if (d <= distance) expected.push_back({q, d, fingerprint, row});
    });
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(from), expected.end(),
              [](const RowMatch& a, const RowMatch& b) {
                return a.distance != b.distance ? a.distance < b.distance : a.fingerprint < b.fingerprint;
              });
  }
  if (!Same(found, expected)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const test::Bytes bytes(data, data + size);
  uint64_t bits = 0;
  if (size >= 24) std::memcpy(&bits, data + 16, 8);
  const ColumnSet columns = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
  const bool is_right = test::CheckSegment(test::FileOf(bytes), columns).ok();

  IndexOptions options;
  options.columns = columns;
  Index index(options);
  // Opening reads less than the check: that finds all that it finds.
  if (!index.OpenSegment(test::FileOf(bytes), {}).ok()) {
    if (is_right) std::abort();
    return 0;
  }
  std::vector<uint64_t> queries(kQueries);
  for (size_t i = 0; i < kQueries; ++i) {
    const size_t at = size / kQueries * i;
    if (size - at >= 8) std::memcpy(&queries[i], data + at, 8);
  }
  std::shared_ptr<const Segment> segment;
  if (!index.parts().segments.empty()) segment = index.parts().segments[0].segment;
  const bool has_tables = segment != nullptr && segment->planned() != nullptr;
  if (has_tables) test::AskAnything(segment, queries);

  View view = index.Snapshot();
  JobControl control;
  Listing listing;
  if (!Listing::Build(view, columns, 1, &control, &listing).ok()) std::abort();
  if (is_right && listing.size() != index.size()) std::abort();
  for (size_t i = 0; i < listing.size() && i < kQueries / 2; ++i)
    queries[2 * i] = listing.FingerprintAt(i * (listing.size() / kQueries) % listing.size()) ^ (i % 3);
  if (has_tables) test::AskAnything(segment, queries);
  if (has_tables && is_right) CompareWithScan(*segment, queries);
  for (size_t i = 0; i < 4; ++i) index.Remove(queries[2 * i], i);

  Merge merge(view, columns, index.planner(), index.size(), 1);
  merge.Run();
  SegmentPart merged;
  const Status status = merge.Take(&merged);
  if (is_right && (!status.ok() || (merged.segment == nullptr ? 0 : merged.size()) != listing.size()))
    std::abort();
  return 0;
}
