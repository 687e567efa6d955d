// Where the entries of a new segment come from.
#ifndef NEARDUP_CORE_INDEX_ENTRY_SOURCE_H_
#define NEARDUP_CORE_INDEX_ENTRY_SOURCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/index/bit_order.h"
#include "core/index/plan.h"

namespace neardup {

// Entries in parts, which threads read at the same time, each part on one thread.
class EntrySource {
 public:
  // Receives a stretch of entries, which are there for the time of the call.
  using Visit = std::function<void(const uint64_t* fingerprints, const uint64_t* ids, size_t count)>;

  virtual ~EntrySource() = default;
  virtual uint64_t count() const = 0;
  // No id is greater.
  virtual uint64_t id_bound() const = 0;
  virtual size_t parts() const = 0;
  // Calls visit for the entries of a part: as often as it is asked, the same ones, in the same order.
  virtual void Read(size_t part, const Visit& visit) = 0;
  // Whether a part can be read only once: reading it gives its memory back.
  virtual bool read_once() const { return false; }
  // The least and the greatest word that a part may hold, when its fingerprints are ordered by `order` and
  // then as in the primary table `table`. The default: any.
  virtual void Range(size_t part, const BitList& order, const TablePlan& table, uint64_t* least,
                     uint64_t* greatest) const;
};

// Two arrays, which the caller keeps.
class ArraySource : public EntrySource {
 public:
  ArraySource(const uint64_t* fingerprints, const uint64_t* ids, size_t count);
  uint64_t count() const override { return count_; }
  uint64_t id_bound() const override { return id_bound_; }
  size_t parts() const override { return (count_ + kPart - 1) / kPart; }
  void Read(size_t part, const Visit& visit) override {
    const size_t from = part * kPart;
    visit(fingerprints_ + from, ids_ + from, std::min(kPart, count_ - from));
  }

 private:
  static constexpr size_t kPart = size_t{1} << 16;
  const uint64_t* fingerprints_;
  const uint64_t* ids_;
  size_t count_;
  uint64_t id_bound_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_ENTRY_SOURCE_H_
