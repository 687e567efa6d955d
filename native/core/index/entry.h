// What an index holds and what it answers with.
#ifndef NEARDUP_CORE_INDEX_ENTRY_H_
#define NEARDUP_CORE_INDEX_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace neardup {

// Largest distance in bits that an index can be planned for.
constexpr unsigned kMaxDistance = 16;
// Largest id and time: what a double holds exactly.
constexpr uint64_t kMaxId = (uint64_t{1} << 53) - 1;

// Which columns entries have beside fingerprint and id.
struct ColumnSet {
  bool time = false, tag = false, second = false;
  bool any() const { return time || tag || second; }
};

struct Entry {
  uint64_t fingerprint = 0;
  uint64_t id = 0;
  uint64_t time = 0;
  uint64_t second = 0;
  uint32_t tag = 0;
};

// The order in which entries are listed.
inline bool ListedBefore(const Entry& a, const Entry& b) {
  if (a.fingerprint != b.fingerprint) return a.fingerprint < b.fingerprint;
  if (a.id != b.id) return a.id < b.id;
  if (a.time != b.time) return a.time < b.time;
  if (a.tag != b.tag) return a.tag < b.tag;
  return a.second < b.second;
}

// Entries, column by column, owned by someone else. Columns that the index has not are null.
struct EntryColumns {
  size_t count = 0;
  const uint64_t* fingerprints = nullptr;
  const uint64_t* ids = nullptr;
  const uint64_t* times = nullptr;
  const uint32_t* tags = nullptr;
  const uint64_t* seconds = nullptr;

  Entry operator[](size_t i) const {
    Entry entry;
    entry.fingerprint = fingerprints[i];
    entry.id = ids[i];
    if (times != nullptr) entry.time = times[i];
    if (tags != nullptr) entry.tag = tags[i];
    if (seconds != nullptr) entry.second = seconds[i];
    return entry;
  }

  // Entries from..to-1.
  EntryColumns Part(size_t from, size_t to) const {
    const auto at = [from](auto* column) { return column == nullptr ? nullptr : column + from; };
    return {to - from, at(fingerprints), at(ids), at(times), at(tags), at(seconds)};
  }
};

// A growing list of entries, column by column. Not thread-safe.
class EntryList {
 public:
  explicit EntryList(ColumnSet columns = {}) : columns_(columns) {}

  size_t size() const { return fingerprints_.size(); }
  ColumnSet columns() const { return columns_; }
  // Pushing up to `count` entries in all cannot fail.
  void Reserve(size_t count) {
    fingerprints_.reserve(count);
    ids_.reserve(count);
    if (columns_.time) times_.reserve(count);
    if (columns_.tag) tags_.reserve(count);
    if (columns_.second) seconds_.reserve(count);
  }
  void Push(const Entry& entry) {
    fingerprints_.push_back(entry.fingerprint);
    ids_.push_back(entry.id);
    if (columns_.time) times_.push_back(entry.time);
    if (columns_.tag) tags_.push_back(entry.tag);
    if (columns_.second) seconds_.push_back(entry.second);
  }
  EntryColumns view() const {
    return {size(),
            fingerprints_.data(),
            ids_.data(),
            columns_.time ? times_.data() : nullptr,
            columns_.tag ? tags_.data() : nullptr,
            columns_.second ? seconds_.data() : nullptr};
  }
  size_t capacity() const { return fingerprints_.capacity(); }
  size_t bytes() const {
    return 8 * (fingerprints_.capacity() + ids_.capacity() + times_.capacity() + seconds_.capacity()) +
           4 * tags_.capacity();
  }

 private:
  ColumnSet columns_;
  std::vector<uint64_t> fingerprints_, ids_, times_, seconds_;
  std::vector<uint32_t> tags_;
};

struct Match {
  uint64_t id;
  unsigned distance;
};

// Answers are sorted so.
inline bool Nearer(const Match& a, const Match& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
}

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_ENTRY_H_
