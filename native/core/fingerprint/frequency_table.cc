#include "core/fingerprint/frequency_table.h"

#include <algorithm>

namespace neardup {

void FrequencyTable::Grow() {
  const size_t old_size = mask_ + 1;
  if (spare_.size() < 2 * old_size) spare_.resize(2 * old_size);
  std::fill_n(spare_.begin(), 2 * old_size, Entry());
  entries_.swap(spare_);
  mask_ = 2 * old_size - 1;
  for (size_t i = 0; i < old_size; i++) {
    if (spare_[i].hash == 0) continue;
    size_t j = spare_[i].hash & mask_;
    while (entries_[j].hash != 0) j = (j + 1) & mask_;
    entries_[j] = spare_[i];
  }
}

void FrequencyTable::Clear() {
  if (size() == 0) return;
  constexpr size_t kKept = size_t{1} << 16;
  size_t start = kSmallest;
  while (start < 2 * used_ + 2 && start < kLargestStart) start *= 2;
  if (entries_.size() > kKept) std::vector<Entry>(kLargestStart).swap(entries_);
  if (spare_.size() > kKept) std::vector<Entry>().swap(spare_);
  if (entries_.size() < start) start = entries_.size();
  mask_ = start - 1;
  std::fill_n(entries_.begin(), start, Entry());
  used_ = 0;
  zeros_ = 0;
}

}  // namespace neardup
