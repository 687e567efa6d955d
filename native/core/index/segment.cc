#include "core/index/segment.h"

#include <algorithm>

#include "core/base/bits.h"
#include "core/base/radix_sort.h"
#include "kernels/kernels.h"

namespace neardup {

namespace {

constexpr size_t kSample = size_t{1} << 16;  // Fingerprints looked at to choose a plan, about.
constexpr size_t kSampledParts = 32;

// Some fingerprints from all over the source.
std::vector<uint64_t> SampleOf(EntrySource* entries) {
  std::vector<uint64_t> sample;
  const size_t part_step = entries->parts() / kSampledParts + 1;
  const auto step = static_cast<size_t>(entries->count() / part_step / kSample + 1);
  for (size_t part = 0; part < entries->parts(); part += part_step) {
    size_t at = 0;  // Of the next one, in the stretch.
    entries->Read(part, [&](const uint64_t* fingerprints, const uint64_t*, size_t count) {
      for (; at < count; at += step) sample.push_back(fingerprints[at]);
      at -= count;
    });
  }
  return sample;
}

}  // namespace

Status Segment::Build(EntrySource* entries, const SegmentPlanner& planner, uint64_t held,
                      const BuildOptions& options, std::shared_ptr<const Segment>* out) {
  const auto segment = std::make_shared<Segment>();
  const std::vector<uint64_t> sample = SampleOf(entries);
  Status status = segment->BuildRows(entries, planner, held, sample.data(), sample.size(), options);
  if (status.ok()) *out = segment;
  return status;
}

Status Segment::Build(BulkLoader* loader, const SegmentPlanner& planner, uint64_t held,
                      const BuildOptions& options, std::shared_ptr<const Segment>* out) {
  const auto segment = std::make_shared<Segment>();
  const std::vector<uint64_t> sample = loader->Sample();
  segment->size_ = loader->count();
  const PlanOption option =
      planner.Choose(loader->count(), held, loader->id_bits(), sample.data(), sample.size());
  segment->is_scanned_ = option.scan;
  Status status = option.scan
                      ? ScannedRows::Build(loader->TakeEntries().get(), options.threads, &segment->scanned_)
                      : loader->Finish(option.plan, options, &segment->planned_);
  if (status.ok()) *out = segment;
  return status;
}

Status Segment::Build(const EntryColumns& entries, ColumnSet columns, const SegmentPlanner& planner,
                      uint64_t held, const BuildOptions& options, std::shared_ptr<const Segment>* out) {
  const auto segment = std::make_shared<Segment>();
  const size_t count = entries.count;
  Buffer numbers;
  const uint64_t* values = entries.ids;
  if (columns.any()) {
    segment->columns_ = columns;
    if (Status s = Buffer::AllocateArray(count, 8, &numbers); !s.ok()) return s;
    Buffer by_id;
    if (Status s = Buffer::AllocateArray(count, sizeof(WordAndValue), &by_id); !s.ok()) return s;
    auto* items = by_id.as<WordAndValue>();
    const auto item = [&](size_t i) { return WordAndValue{entries.ids[i], i}; };
    if (Status s = RadixSort(item, count, items, options.threads); !s.ok()) return s;
    // Entries of one id in the order of the listing, so that slots do not depend on how they came.
    for (size_t from = 0, to; from < count; from = to) {
      for (to = from + 1; to < count && items[to].word == items[from].word;) ++to;
      if (to - from == 1) continue;
      std::sort(items + from, items + to, [&](const WordAndValue& a, const WordAndValue& b) {
        return ListedBefore(entries[a.value], entries[b.value]);
      });
    }
    for (size_t i = 0; i < count; ++i) numbers.as<uint64_t>()[items[i].value] = i;
    by_id.Reset();
    values = numbers.as<uint64_t>();
    if (Status s = segment->BuildColumns(entries, values); !s.ok()) return s;
  }
  ArraySource source(entries.fingerprints, values, count);
  Status status = segment->BuildRows(&source, planner, held, entries.fingerprints, count, options);
  if (status.ok()) *out = segment;
  return status;
}

Status Segment::BuildRows(EntrySource* entries, const SegmentPlanner& planner, uint64_t held,
                          const uint64_t* sample, size_t sample_count, const BuildOptions& options) {
  size_ = entries->count();
  const PlanOption option = planner.Choose(size_, held, BitWidth(entries->id_bound()), sample, sample_count);
  is_scanned_ = option.scan;
  return is_scanned_ ? ScannedRows::Build(entries, options.threads, &scanned_)
                     : PlannedSegment::Build(option.plan, entries, options, &planned_);
}

Status Segment::BuildColumns(const EntryColumns& entries, const uint64_t* numbers) {
  const size_t count = entries.count;
  Buffer items;
  if (Status s = Buffer::AllocateArray(count, 8, &items); !s.ok()) return s;
  auto* in_order = items.as<uint64_t>();
  const auto pack = [&](const uint64_t* from, PackedColumn* to) {
    for (size_t i = 0; i < count; ++i) in_order[numbers[i]] = from[i];
    return PackedColumn::Build(
        count, [&](size_t i) { return in_order[i]; }, to);
  };
  if (Status s = pack(entries.ids, &ids_); !s.ok()) return s;
  if (columns_.time) {
    if (Status s = pack(entries.times, &times_); !s.ok()) return s;
  }
  if (columns_.tag) {
    if (Status s = Buffer::AllocateArray(count, 4, &tags_); !s.ok()) return s;
    for (size_t i = 0; i < count; ++i) tags_.as<uint32_t>()[numbers[i]] = entries.tags[i];
  }
  if (columns_.second) {
    for (size_t i = 0; i < count; ++i) in_order[numbers[i]] = entries.seconds[i];
    seconds_ = std::move(items);
  }
  return Status();
}

uint64_t Segment::bytes() const {
  if (file_ != nullptr) return sizeof(*this);
  return sizeof(*this) + (is_scanned_ ? scanned_.bytes() : planned_.bytes()) + ids_.bytes() + times_.bytes() +
         tags_.size() + seconds_.size();
}

uint64_t Segment::longest_bucket() const {
  if (is_scanned_) return 0;
  uint64_t longest = 0;
  for (const Table& table : planned_.tables())
    longest = std::max(longest, kSecondaryCapacity + table.stats().longest_run);
  return longest;
}

size_t Segment::Query(const uint64_t* queries, size_t count, unsigned distance, size_t max_rows,
                      QueryScratch* scratch, std::vector<RowMatch>* rows) const {
  if (!Scans(distance)) return planned_.QueryBatch(queries, count, distance, max_rows, scratch, rows);
  // As many queries at a time as keep to about max_rows even where each finds all.
  const size_t part = std::min<uint64_t>(count, 1 + max_rows / (1 + fingerprint_count()));
  Scan(queries, part, distance, rows);
  return part;
}

void Segment::Scan(const uint64_t* queries, size_t count, unsigned distance,
                   std::vector<RowMatch>* rows) const {
  constexpr size_t kBlock = 2048;
  uint64_t fingerprints[kBlock], row_numbers[kBlock];
  uint32_t near[kBlock];
  size_t filled = 0;
  const size_t start = rows->size();
  const auto compare = [&] {
    for (size_t q = 0; q < count; ++q) {
      const size_t found = kernels::Active().within(fingerprints, filled, queries[q], distance, near);
      for (size_t i = 0; i < found; ++i) {
        const uint64_t fingerprint = fingerprints[near[i]];
        rows->push_back({static_cast<uint32_t>(q), PopCount(fingerprint ^ queries[q]), fingerprint,
                         row_numbers[near[i]]});
      }
    }
    filled = 0;
  };
  ForEachRow([&](uint64_t fingerprint, uint64_t row) {
    fingerprints[filled] = fingerprint;
    row_numbers[filled] = row;
    if (++filled == kBlock) compare();
  });
  compare();
  std::sort(rows->begin() + static_cast<std::ptrdiff_t>(start), rows->end(),
            [](const RowMatch& a, const RowMatch& b) {
              if (a.query != b.query) return a.query < b.query;
              return a.distance != b.distance ? a.distance < b.distance : a.fingerprint < b.fingerprint;
            });
}

}  // namespace neardup
