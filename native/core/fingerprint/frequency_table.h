// How often each feature hash occurs in one text: open addressing, linear probing, doubled at half full. The
// hash is its own address, as XXH3 spreads well; O(1) expected. Memory is kept for the next text. Not
// thread-safe.
#ifndef NEARDUP_CORE_FINGERPRINT_FREQUENCY_TABLE_H_
#define NEARDUP_CORE_FINGERPRINT_FREQUENCY_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace neardup {

// Occurrences are counted up to here and no further: beyond, numbers are not exact in both engines.
constexpr uint64_t kMaxOccurrences = uint64_t{1} << 53;

class FrequencyTable {
 public:
  FrequencyTable() : entries_(kSmallest) {}

  // Distinct hashes held.
  size_t size() const { return used_ + (zeros_ > 0 ? 1 : 0); }

  void Add(uint64_t hash, uint64_t times = 1) {
    if (hash == 0) {
      zeros_ = Sum(zeros_, times);
      return;
    }
    size_t i = hash & mask_;
    while (entries_[i].hash != hash) {
      if (entries_[i].hash == 0) {
        entries_[i].hash = hash;
        if (++used_ > mask_ / 2) {
          entries_[i].times = times;
          return Grow();
        }
        break;
      }
      i = (i + 1) & mask_;
    }
    entries_[i].times = Sum(entries_[i].times, times);
  }

  // Calls body(hash, times) for each distinct hash, in no particular order.
  template <typename Body>
  void ForEach(Body&& body) const {
    if (zeros_ > 0) body(uint64_t{0}, zeros_);
    for (size_t i = 0; i <= mask_; i++) {
      if (entries_[i].hash != 0) body(entries_[i].hash, entries_[i].times);
    }
  }

  // Forgets all. The table keeps the size that this text would have needed, within limits, as texts of one
  // source are alike: growing and clearing cost little then.
  void Clear();

 private:
  // 0 marks a free entry: the hash 0 is counted apart.
  struct Entry {
    uint64_t hash = 0;
    uint64_t times = 0;
  };

  static constexpr size_t kSmallest = 512;
  static constexpr size_t kLargestStart = 8192;

  static uint64_t Sum(uint64_t a, uint64_t b) { return std::min(a + b, kMaxOccurrences); }

  void Grow();

  std::vector<Entry> entries_;
  std::vector<Entry> spare_;
  size_t mask_ = kSmallest - 1;
  size_t used_ = 0;
  uint64_t zeros_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_FREQUENCY_TABLE_H_
