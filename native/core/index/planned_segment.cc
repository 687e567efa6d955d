#include "core/index/planned_segment.h"

#include <algorithm>
#include <string>

#include "core/base/parallel.h"
#include "core/base/radix_sort.h"

namespace neardup {

namespace {

constexpr size_t kChunk = size_t{1} << 16;

// Calls body(i) for i < count, in chunks on the threads.
template <typename Body>
void ForRange(unsigned threads, size_t count, Body&& body) {
  ParallelFor(threads, (count + kChunk - 1) / kChunk, [&](size_t chunk) {
    for (size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i) body(i);
  });
}

}  // namespace

Status PlannedSegment::Build(const Plan& plan, const uint64_t* fingerprints, const uint64_t* ids,
                             size_t count, unsigned threads, PlannedSegment* out) {
  std::string why;
  if (!IsBuildable(plan, &why)) return Status(StatusCode::kOutOfRange, "the plan cannot be built: " + why);
  PlannedSegment segment;
  segment.plan_ = plan;
  segment.size_ = count;
  for (const TablePlan& table : plan.tables) segment.key_masks_.push_back(table.key_mask());
  segment.tables_.resize(plan.tables.size());
  const uint64_t primary_key = segment.key_masks_[0];

  // Entries in the order of the primary table's words; equal fingerprints meet.
  Buffer entries_buffer, scratch_buffer;
  if (Status s = Buffer::AllocateArray(count, sizeof(WordAndValue), &entries_buffer); !s.ok()) return s;
  if (Status s = Buffer::AllocateArray(count, sizeof(WordAndValue), &scratch_buffer); !s.ok()) return s;
  auto* entries = entries_buffer.as<WordAndValue>();
  const WordMap map(plan.tables[0], 0);
  ForRange(threads, count, [&](size_t i) { entries[i] = {map.Encode(fingerprints[i]), ids[i]}; });
  RadixSort(entries, scratch_buffer.as<WordAndValue>(), count, threads);

  // The distinct words go to the first half of the scratch memory.
  auto* words = scratch_buffer.as<uint64_t>();
  size_t distinct = 0;
  uint64_t max_id = 0;
  for (size_t i = 0; i < count; ++i) {
    max_id = std::max(max_id, entries[i].value);
    if (i == 0 || entries[i].word != entries[i - 1].word) words[distinct++] = entries[i].word;
  }
  segment.distinct_ = distinct;
  Table& primary = segment.tables_[0];
  if (Status s = Table::Build(plan.tables[0], true, 0, plan.load, words, distinct, threads, &primary);
      !s.ok())
    return s;

  {
    Buffer firsts_buffer;
    const uint64_t rows = primary.row_count();
    if (Status s = Buffer::AllocateArray(rows, 8, &firsts_buffer); !s.ok()) return s;
    auto* firsts = firsts_buffer.as<uint64_t>();
    ForRange(threads, rows, [&](size_t row) { firsts[row] = IdList::kNone; });
    ParallelFor(threads, primary.superblocks(), [&](size_t s) {
      const WordAndValue* at = entries;
      bool located = false;
      primary.ForEach(s, s + 1, [&](uint64_t word, uint64_t row) {
        if (!located) {
          at = std::lower_bound(entries, entries + count, word,
                                [](auto& entry, uint64_t w) { return entry.word < w; });
          located = true;
        }
        while (at->word != word) ++at;
        firsts[row] = static_cast<uint64_t>(at - entries);
      });
    });
    const auto count_of = [&](uint64_t first) {
      uint64_t end = first + 1;
      while (end < count && entries[end].word == entries[first].word) ++end;
      return end - first;
    };
    const auto id_at = [&](uint64_t i) { return entries[i].value; };
    if (Status s = IdList::Build(firsts, rows, count_of, id_at, max_id, threads, &segment.ids_); !s.ok())
      return s;
  }
  entries_buffer.Reset();

  Buffer words_buffer, sort_buffer;
  if (plan.tables.size() > 1) {
    if (Status s = Buffer::AllocateArray(distinct, 8, &words_buffer); !s.ok()) return s;
    if (Status s = Buffer::AllocateArray(distinct, 8, &sort_buffer); !s.ok()) return s;
  }
  for (size_t t = 1; t < plan.tables.size(); ++t) {
    const WordMap to(plan.tables[t], primary_key);
    auto* table_words = words_buffer.as<uint64_t>();
    ForRange(threads, distinct, [&](size_t i) { table_words[i] = to.Encode(map.Decode(words[i])); });
    RadixSort(table_words, sort_buffer.as<uint64_t>(), distinct, threads);
    Status s = Table::Build(plan.tables[t], false, primary_key, plan.load, table_words, distinct, threads,
                            &segment.tables_[t]);
    if (!s.ok()) return s;
  }
  *out = std::move(segment);
  return Status();
}

uint64_t PlannedSegment::bytes() const {
  uint64_t bytes = ids_.bytes();
  for (const Table& table : tables_) bytes += table.bytes();
  return bytes;
}

bool PlannedSegment::Find(uint64_t fingerprint, uint64_t* row) const {
  if (tables_.empty()) return false;
  const Table& primary = tables_[0];
  const uint64_t wanted = primary.map().Encode(fingerprint);
  const uint32_t bucket = primary.map().BucketOf(wanted);
  const uint8_t* line = primary.LineOf(bucket);
  uint64_t word;
  for (unsigned slot = 0; slot < (line[63] & 15u); ++slot) {
    if (!primary.WordAt(line, slot, bucket, &word) || word != wanted) continue;
    *row = primary.RowAt(line, slot);
    return true;
  }
  if ((line[63] & kLineContinues) == 0) return false;
  Table::Run run = primary.Continuation(line, bucket);
  primary.Resolve(&run);
  const auto* words = reinterpret_cast<const uint64_t*>(run.data);
  const uint64_t* at = std::lower_bound(words, words + run.count, wanted);
  if (at == words + run.count || *at != wanted) return false;
  *row = primary.RowOfOverflow(at);
  return true;
}

}  // namespace neardup
