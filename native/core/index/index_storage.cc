// The index and its files: segments from files, and what is held as parts for files.
#include <algorithm>
#include <thread>
#include <utility>

#include "core/index/index.h"
#include "core/storage/entries_payload.h"
#include "core/storage/segment_opener.h"
#include "core/storage/stored_part.h"

namespace neardup {

namespace {

// The slots as a bitmap; kCorrupt where there are more than entries, or beyond the slots.
Status ReadRemoved(const SegmentFile& file, const std::vector<uint8_t>& bits, uint64_t slots,
                   uint64_t entries, Removed* removed) {
  for (size_t byte = 0; byte < bits.size(); ++byte) {
    for (unsigned rest = bits[byte]; rest != 0; rest &= rest - 1) {
      const uint64_t slot = 8 * uint64_t{byte} + CountTrailingZeros64(rest);
      if (slot >= slots || removed->count() == entries)
        return file.Corrupt("other entries are removed than it has");
      removed->Add(slot);
    }
  }
  return Status();
}

}  // namespace

Status Index::OpenSegment(const std::shared_ptr<SegmentFile>& file, const std::vector<uint8_t>& removed) {
  PayloadHeader header;
  if (Status s = ReadHeader(*file, options_.columns, &header); !s.ok()) return s;
  SegmentPart part;
  if (header.layout == PayloadLayout::kTables) {
    if (Status s = SegmentOpener::Open(file, header, options_.columns, &part.segment); !s.ok()) return s;
    if (Status s = ReadRemoved(*file, removed, part.segment->slot_count(), header.entries, &part.removed);
        !s.ok())
      return s;
    part.name = std::make_shared<const std::string>(file->name());
  } else {
    EntryColumns entries;
    if (Status s = OpenEntries(*file, header, options_.columns, &entries); !s.ok()) return s;
    Removed slots;
    if (Status s = ReadRemoved(*file, removed, entries.count, entries.count, &slots); !s.ok()) return s;
    EntryList kept(options_.columns);
    if (slots.count() != 0) {
      kept.Reserve(entries.count - static_cast<size_t>(slots.count()));
      for (size_t i = 0; i < entries.count; ++i) {
        if (!slots.Has(i)) kept.Push(entries[i]);
      }
      entries = kept.view();
    }
    if (entries.count < options_.head_entries) return Add(entries);
    BuildOptions build;
    build.threads = std::max(1u, std::thread::hardware_concurrency());
    if (Status s = Segment::Build(entries, options_.columns, *planner_, size() + entries.count, build,
                                  &part.segment);
        !s.ok())
      return s;
    // Where all are compared, slots are as in the file.
    if (part.segment->planned() == nullptr && slots.count() == 0)
      part.name = std::make_shared<const std::string>(file->name());
  }
  parts_.segments.push_back(std::move(part));
  parts_changed_ = true;
  Poll();
  return Status();
}

std::vector<std::shared_ptr<StoredPart>> Index::Checkpoint() {
  const View view = Snapshot();
  std::vector<std::shared_ptr<StoredPart>> parts;
  for (const SegmentPart& part : view.segments)
    parts.push_back(std::make_shared<StoredPart>(part, options_.columns));
  for (const HeadPart& part : view.heads) {
    if (part.size() != 0) parts.push_back(std::make_shared<StoredPart>(part, options_.columns));
  }
  return parts;
}

bool Index::Holds(const StoredPart& part) const {
  return part.segment() != nullptr &&
         std::any_of(parts_.segments.begin(), parts_.segments.end(),
                     [&](auto& held) { return held.segment.get() == part.segment(); });
}

Status Index::Adopt(const StoredPart& part, const std::shared_ptr<SegmentFile>& file) {
  const Segment* before = part.segment();
  const auto held = std::find_if(parts_.segments.begin(), parts_.segments.end(),
                                 [&](auto& each) { return each.segment.get() == before; });
  if (before == nullptr || held == parts_.segments.end()) return Status();
  PayloadHeader header;
  if (Status s = ReadHeader(*file, options_.columns, &header); !s.ok()) return s;
  const bool has_tables = header.layout == PayloadLayout::kTables;
  if (has_tables != (before->planned() != nullptr) || header.entries != before->size())
    return file->Corrupt("it is not the segment that it should be");
  auto name = std::make_shared<const std::string>(file->name());
  if (has_tables) {
    std::shared_ptr<const Segment> mapped;
    if (Status s = SegmentOpener::Open(file, header, options_.columns, &mapped); !s.ok()) return s;
    if (mapped->slot_count() != before->slot_count())
      return file->Corrupt("it is not the segment that it should be");
    for (const auto& merge : {small_, large_}) {
      if (merge != nullptr && merge->Has(before)) merge->Adopt(mapped);
    }
    std::swap(held->segment, mapped);
    Discard(std::move(mapped));
  }
  held->name = std::move(name);
  return Status();
}

}  // namespace neardup
