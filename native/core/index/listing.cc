#include "core/index/listing.h"

#include <algorithm>
#include <utility>

namespace neardup {

Status Listing::Build(const View& view, ColumnSet columns, unsigned threads, JobControl* control,
                      Listing* out) {
  if (Status s = view.EnsureVerified(&control->cancelled); !s.ok()) return s;
  EntryList entries(columns);
  entries.Reserve(static_cast<size_t>(view.size()));
  view.ForEachEntry([&](const Entry& entry) { entries.Push(entry); });
  if (control->cancelled) return Status::Aborted();

  Listing listing;
  listing.columns_ = columns;
  listing.size_ = entries.size();
  if (Status s = Buffer::AllocateArray(entries.size(), sizeof(WordAndValue), &listing.sorted_); !s.ok())
    return s;
  const EntryColumns held = entries.view();
  auto* items = listing.sorted_.as<WordAndValue>();
  const auto item = [&](size_t i) {
    return WordAndValue{held.fingerprints[i], columns.any() ? i : held.ids[i]};
  };
  if (Status s = RadixSort(item, held.count, items, threads); !s.ok()) return s;
  if (control->cancelled) return Status::Aborted();
  if (columns.any()) {
    for (size_t from = 0, to; from < held.count; from = to) {
      to = from + 1;
      while (to < held.count && items[to].word == items[from].word) ++to;
      std::sort(items + from, items + to, [&](const WordAndValue& a, const WordAndValue& b) {
        return ListedBefore(held[a.value], held[b.value]);
      });
    }
    listing.entries_ = std::move(entries);
  }
  *out = std::move(listing);
  return Status();
}

Status Listing::Join(const std::vector<std::vector<WordAndValue>>& parts, Listing* out) {
  Listing listing;
  for (const auto& part : parts) listing.size_ += part.size();
  if (Status s = Buffer::AllocateArray(listing.size_, sizeof(WordAndValue), &listing.sorted_); !s.ok())
    return s;
  auto* items = listing.sorted_.as<WordAndValue>();
  for (const auto& part : parts) items = std::copy(part.begin(), part.end(), items);
  *out = std::move(listing);
  return Status();
}

size_t Listing::LowerBound(uint64_t fingerprint, size_t from) const {
  // Steps that double: what is looked for is often near.
  size_t step = 1, low = from;
  while (low + step < size_ && FingerprintAt(low + step) < fingerprint) {
    low += step;
    step *= 2;
  }
  const auto below = [](const WordAndValue& item, uint64_t wanted) { return item.word < wanted; };
  const WordAndValue* end = items() + std::min(size_, low + step + 1);
  return static_cast<size_t>(std::lower_bound(items() + low, end, fingerprint, below) - items());
}

}  // namespace neardup
