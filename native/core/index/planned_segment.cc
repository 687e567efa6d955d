#include "core/index/planned_segment.h"

#include <algorithm>
#include <string>

#include "core/base/radix_sort.h"

namespace neardup {

Status PlannedSegment::Build(const Plan& plan, const uint64_t* fingerprints, const uint64_t* ids,
                             size_t count, unsigned threads, PlannedSegment* out) {
  std::string why;
  if (!IsBuildable(plan, &why)) return Status(StatusCode::kOutOfRange, "the plan cannot be built: " + why);
  PlannedSegment segment;
  segment.plan_ = plan;
  if (plan.order != BitList{}) segment.order_ = BitOrder(plan.order);
  const BitOrder& order = segment.order_;
  segment.size_ = count;
  for (const TablePlan& table : plan.tables) segment.key_masks_.push_back(table.key_mask());
  segment.tables_.resize(plan.tables.size());
  const uint64_t primary_key = segment.key_masks_[0];

  // Entries in the order of the primary table's words; equal fingerprints meet.
  const WordMap map(plan.tables[0], 0);
  Buffer entries_buffer, words_buffer;
  if (Status s = Buffer::AllocateArray(count, sizeof(WordAndValue), &entries_buffer); !s.ok()) return s;
  auto* entries = entries_buffer.as<WordAndValue>();
  const auto entry = [&](size_t i) {
    return WordAndValue{map.Encode(order.Arrange(fingerprints[i])), ids[i]};
  };
  if (Status s = RadixSort(entry, count, entries, threads); !s.ok()) return s;

  if (Status s = Buffer::AllocateArray(count, 8, &words_buffer); !s.ok()) return s;
  auto* words = words_buffer.as<uint64_t>();
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
  if (Status s = IdList::Build(primary, entries, count, max_id, threads, &segment.ids_); !s.ok()) return s;

  // The other tables are sorted where the entries were.
  auto* table_words = entries_buffer.as<uint64_t>();
  for (size_t t = 1; t < plan.tables.size(); ++t) {
    const WordMap to(plan.tables[t], primary_key);
    const auto word = [&](size_t i) { return to.Encode(map.Decode(words[i])); };
    if (Status s = RadixSort(word, distinct, table_words, threads); !s.ok()) return s;
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
  const uint64_t wanted = primary.map().Encode(order_.Arrange(fingerprint));
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
