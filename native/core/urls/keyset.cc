#include "core/urls/keyset.h"

#include <algorithm>
#include <limits>
#include <new>

namespace neardup {

namespace {

constexpr uint32_t kDirectoryBits = 12;
constexpr uint32_t kSplitSize = 8192;  // keys at which a partition splits rather than grows
constexpr uint32_t kMinCapacity = 8;
constexpr size_t kGroup = 32;       // keys whose lines are fetched together
constexpr uint32_t kLineSlots = 8;  // slots of a cache line; no more than kMinCapacity

// A partition enlarges before it is fuller than four fifths.
bool IsFull(uint32_t size, uint32_t capacity) { return uint64_t{size} * 5 >= uint64_t{capacity} * 4; }

}  // namespace

KeySet::KeySet(uint64_t expected) : directory_(size_t{1} << kDirectoryBits, 0) {
  uint32_t depth = 0;
  while (depth < kDirectoryBits && expected >> depth > kSplitSize) depth++;
  const uint64_t capacity = kMinCapacity + (expected >> depth) + (expected >> (depth + 2));
  if (capacity > std::numeric_limits<uint32_t>::max()) throw std::bad_alloc();
  const size_t span = directory_.size() >> depth;
  for (size_t i = 0; i < size_t{1} << depth; i++) {
    partitions_.push_back(Build(nullptr, 0, depth, static_cast<uint32_t>(capacity)));
    std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(i * span), span, static_cast<uint16_t>(i));
  }
}

uint32_t KeySet::Home(const Partition& partition, uint64_t key) {
  const uint64_t rest = (key << partition.depth) >> 32;
  return static_cast<uint32_t>((rest * partition.capacity) >> 32);
}

const KeySet::Partition& KeySet::Find(uint64_t key) const {
  return partitions_[directory_[key >> (64 - kDirectoryBits)]];
}

// Brings the lines that a probe reads into the cache. Loads rather than prefetch instructions: those are
// dropped or late where the page is not in the TLB, which is the rule in a large set.
void KeySet::Touch(uint64_t key) const {
  const Partition& partition = Find(key);
  const volatile uint64_t* home = partition.slots.get() + Home(partition, key);
  (void)home[0];
  (void)home[kLineSlots];
}

// `keys` ascending and not 0. The slots past the capacity take what the last homes displace.
KeySet::Partition KeySet::Build(const uint64_t* keys, uint32_t size, uint32_t depth, uint32_t capacity) {
  Partition built;
  built.capacity = capacity;
  built.size = size;
  built.depth = depth;
  uint64_t end = 0;
  for (uint32_t i = 0; i < size; i++) end = std::max<uint64_t>(Home(built, keys[i]), end) + 1;
  const uint64_t total =
      std::max<uint64_t>(end, capacity) + std::min<uint32_t>(capacity, 32) + size / 256 + 1;
  if (total > std::numeric_limits<uint32_t>::max()) throw std::bad_alloc();
  built.total = static_cast<uint32_t>(total);
  built.slots = std::make_unique<uint64_t[]>(built.total);
  uint64_t next = 0;
  for (uint32_t i = 0; i < size; i++) {
    next = std::max<uint64_t>(Home(built, keys[i]), next);
    built.slots[next++] = keys[i];
  }
  built.end = static_cast<uint32_t>(next);
  return built;
}

// Splits the partition of `key`, or gives it a sixth more slots. Changes nothing when memory is refused.
void KeySet::Enlarge(uint64_t key) {
  const uint16_t index = directory_[key >> (64 - kDirectoryBits)];
  const Partition& old = partitions_[index];
  const uint32_t depth = old.depth;
  const uint32_t size = old.size;
  auto keys = std::make_unique<uint64_t[]>(size);
  std::copy_if(old.slots.get(), old.slots.get() + old.total, keys.get(), [](uint64_t k) { return k != 0; });
  if (size < kSplitSize || depth == kDirectoryBits) {
    const uint64_t capacity = uint64_t{old.capacity} + old.capacity / 6 + 2;
    if (capacity > std::numeric_limits<uint32_t>::max()) throw std::bad_alloc();
    partitions_[index] = Build(keys.get(), size, depth, static_cast<uint32_t>(capacity));
    return;
  }
  const uint64_t half = uint64_t{1} << (63 - depth);
  const auto* middle =
      std::partition_point(keys.get(), keys.get() + size, [&](uint64_t k) { return (k & half) == 0; });
  const auto low_size = static_cast<uint32_t>(middle - keys.get());
  const auto capacity_for = [](uint32_t n) { return std::max(kMinCapacity, n + n / 4 + 2); };
  Partition low = Build(keys.get(), low_size, depth + 1, capacity_for(low_size));
  Partition high = Build(middle, size - low_size, depth + 1, capacity_for(size - low_size));
  partitions_.push_back(std::move(high));  // `old` is gone from here on
  partitions_[index] = std::move(low);
  const size_t span = directory_.size() >> depth;
  const size_t first = (key >> (64 - kDirectoryBits)) / span * span;
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(first + span / 2), span / 2,
              static_cast<uint16_t>(partitions_.size() - 1));
}

bool KeySet::Has(uint64_t key) const {
  if (key == 0) return has_zero_;
  const Partition& partition = Find(key);
  const uint64_t* slot = partition.slots.get() + Home(partition, key);
  while (*slot != 0 && *slot < key) slot++;
  return *slot == key;
}

bool KeySet::Add(uint64_t key) {
  if (key == 0) {
    const bool is_new = !has_zero_;
    has_zero_ = true;
    size_ += is_new ? 1 : 0;
    return is_new;
  }
  for (;;) {
    auto& partition = const_cast<Partition&>(Find(key));
    uint64_t* slots = partition.slots.get();
    size_t at = Home(partition, key);
    while (slots[at] != 0 && slots[at] < key) at++;
    if (slots[at] == key) return false;
    if (partition.end + 1 >= partition.total || IsFull(partition.size, partition.capacity)) {
      Enlarge(key);
      continue;
    }
    // Each key up to the next empty slot moves one on.
    for (uint64_t moved = key; moved != 0; at++) std::swap(moved, slots[at]);
    partition.end = std::max(partition.end, static_cast<uint32_t>(at));
    partition.size++;
    size_++;
    return true;
  }
}

void KeySet::AddBatch(const uint64_t* keys, size_t count, uint8_t* added) {
  for (size_t first = 0; first < count; first += kGroup) {
    const size_t end = std::min(count, first + kGroup);
    for (size_t i = first; i < end; i++) Touch(keys[i]);
    for (size_t i = first; i < end; i++) added[i] = Add(keys[i]) ? 1 : 0;
  }
}

void KeySet::HasBatch(const uint64_t* keys, size_t count, uint8_t* found) const {
  for (size_t first = 0; first < count; first += kGroup) {
    const size_t end = std::min(count, first + kGroup);
    for (size_t i = first; i < end; i++) Touch(keys[i]);
    for (size_t i = first; i < end; i++) found[i] = Has(keys[i]) ? 1 : 0;
  }
}

size_t KeySet::ReadSorted(uint64_t from, uint64_t* out, size_t count) const {
  size_t length = 0;
  if (from == 0 && has_zero_ && count > 0) out[length++] = 0;
  uint64_t start = std::max<uint64_t>(from, 1);
  while (length < count) {
    const Partition& partition = Find(start);
    const uint64_t* slots = partition.slots.get();
    for (size_t at = Home(partition, start); at < partition.total && length < count; at++) {
      if (slots[at] >= start) out[length++] = slots[at];
    }
    // The first key of the next partition; 0 where this one was the last.
    const uint64_t span = partition.depth == 0 ? 0 : uint64_t{1} << (64 - partition.depth);
    start = span == 0 ? 0 : (start & ~(span - 1)) + span;
    if (start == 0) break;
  }
  return length;
}

uint64_t KeySet::memory_bytes() const {
  uint64_t bytes = partitions_.capacity() * sizeof(Partition) + directory_.size() * sizeof(uint16_t);
  for (const Partition& partition : partitions_) bytes += uint64_t{partition.total} * sizeof(uint64_t);
  return bytes;
}

}  // namespace neardup
