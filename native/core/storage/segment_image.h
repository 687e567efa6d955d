// The payload of a segment file made of a segment with tables: layout 2 of docs/format.md. Nothing but the
// description is copied; the rest is read from the segment in pieces. Immutable, thread-safe.
#ifndef NEARDUP_CORE_STORAGE_SEGMENT_IMAGE_H_
#define NEARDUP_CORE_STORAGE_SEGMENT_IMAGE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/index/segment.h"
#include "core/storage/payload.h"

namespace neardup {

class SegmentImage {
 public:
  // The segment has tables.
  explicit SegmentImage(std::shared_ptr<const Segment> segment);

  SegmentImage(const SegmentImage&) = delete;
  SegmentImage& operator=(const SegmentImage&) = delete;

  uint64_t length() const { return length_; }
  // Copies the bytes offset..offset + count - 1, which lie within length().
  void Read(uint64_t offset, uint8_t* out, uint64_t count) const;

 private:
  struct Section {
    const uint8_t* data;
    uint64_t length;
    size_t word;  // Of the description, where offset and length are put.
    uint64_t offset = 0;
  };
  void Push(uint64_t word) { description_.push_back(word); }
  void Push(const Buffer& section, bool in_head);
  void Push(const Table& table, const TablePlan& plan, uint64_t last);
  void Push(const PackedColumn& column);
  // Gives sections their places from `at` on; returns where they end.
  uint64_t Place(std::vector<Section>* sections, uint64_t at);

  const std::shared_ptr<const Segment> segment_;
  std::vector<uint64_t> description_;
  std::vector<Section> head_, sections_;  // In the order of their places, when all are placed in sections_.
  uint64_t length_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_SEGMENT_IMAGE_H_
