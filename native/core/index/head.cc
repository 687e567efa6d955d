#include "core/index/head.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"

namespace neardup {

namespace {

constexpr size_t kScanned = 512;  // So few entries are compared all.
constexpr unsigned kMaxKey = 16;  // Bits of a key.
constexpr unsigned kMaxTables = 8;
constexpr unsigned kMaxRadius = 4;

double Choices(unsigned n, unsigned k) {
  double result = 1;
  for (unsigned i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

}  // namespace

Head::Layout Head::ChooseLayout(size_t capacity) const {
  constexpr double kProbe = 3, kCandidate = 4, kScan = 0.15;  // Nanoseconds.
  Layout best;
  if (capacity <= kScanned) return best;
  const auto n = static_cast<double>(capacity);
  double least = kScan * n;
  const auto key_bits = std::min<unsigned>(kMaxKey, static_cast<unsigned>(std::ceil(std::log2(n))));
  for (unsigned tables = 1; tables <= std::min(kMaxTables, max_distance_ + 1); ++tables) {
    const unsigned bits = std::min(key_bits, 64 / tables);
    double probes = 0;
    bool possible = true;
    for (unsigned t = 0; t < tables; ++t) {
      const int radius = Radius(tables, max_distance_, t);
      possible = possible && radius <= static_cast<int>(kMaxRadius);
      for (int r = 0; r <= radius && possible; ++r) probes += Choices(bits, static_cast<unsigned>(r));
    }
    const double cost = probes * (kProbe + kCandidate * std::ldexp(n, -static_cast<int>(bits)));
    if (!possible || cost >= least) continue;
    least = cost;
    best = {tables, bits};
  }
  return best;
}

void Head::Reserve(size_t more) {
  const size_t wanted = size() + more;
  if (wanted <= planned_for_) return;
  const size_t capacity = std::max({wanted, 2 * planned_for_, size_t{64}});
  const Layout layout = ChooseLayout(capacity);
  BitOrder order;
  std::vector<uint32_t> first(layout.tables << layout.key_bits), next, flips;
  next.reserve(capacity * layout.tables);
  std::array<uint32_t, 6> ends{};
  if (layout.tables != 0) {
    BitList list{};
    std::vector<unsigned> widths(layout.tables, layout.key_bits);
    if (layout.tables * layout.key_bits < 64) widths.push_back(64 - layout.tables * layout.key_bits);
    if (ArrangeByEntropy(BitEntropies(entries_.view().fingerprints, size()), widths, &list))
      order = BitOrder(list);
    const int radius = Radius(layout.tables, max_distance_, 0);
    for (unsigned weight = 0; static_cast<int>(weight) <= radius; ++weight) {
      for (uint32_t mask = 0; mask < 1u << layout.key_bits; ++mask) {
        if (PopCount(mask) == weight) flips.push_back(mask);
      }
      ends[weight] = static_cast<uint32_t>(flips.size());
    }
  }
  entries_.Reserve(capacity);
  // Nothing below allocates.
  layout_ = layout;
  order_ = std::move(order);
  first_ = std::move(first);
  next_ = std::move(next);
  flips_ = std::move(flips);
  flip_ends_ = ends;
  planned_for_ = capacity;
  const EntryColumns held = entries_.view();
  for (size_t i = 0; i < held.count; ++i) Chain(held.fingerprints[i], static_cast<uint32_t>(i));
}

void Head::Push(const Entry& entry) {
  entries_.Push(entry);
  Chain(entry.fingerprint, static_cast<uint32_t>(size() - 1));
}

void Head::Chain(uint64_t fingerprint, uint32_t position) {
  const uint64_t arranged = order_.Arrange(fingerprint);
  for (unsigned t = 0; t < layout_.tables; ++t) {
    uint32_t& first = first_[(t << layout_.key_bits) + Key(arranged, t)];
    next_.push_back(first);
    first = position + 1;
  }
}

void Head::Find(uint64_t fingerprint, unsigned distance, std::vector<uint32_t>* found) const {
  const bool planned = layout_.tables != 0 && distance <= max_distance_;
  if (!planned || !FindByTables(fingerprint, distance, found)) FindByScan(fingerprint, distance, found);
}

bool Head::FindByTables(uint64_t fingerprint, unsigned distance, std::vector<uint32_t>* found) const {
  const uint64_t* fingerprints = entries_.view().fingerprints;
  const size_t before = found->size(), most_steps = 64 + size() / 32;
  const uint64_t arranged = order_.Arrange(fingerprint);
  const unsigned tables = layout_.tables;
  size_t steps = 0;
  for (unsigned t = 0; t < tables; ++t) {
    const int radius = Radius(tables, distance, t);
    if (radius < 0) break;  // Neither has any later one.
    const uint32_t* first = &first_[t << layout_.key_bits];
    const uint32_t key = Key(arranged, t);
    for (uint32_t flip = 0; flip < flip_ends_[static_cast<unsigned>(radius)]; ++flip) {
      for (uint32_t at = first[key ^ flips_[flip]]; at != 0; at = next_[(at - 1) * tables + t]) {
        if (++steps > most_steps) {
          found->resize(before);
          return false;
        }
        const uint64_t difference = fingerprints[at - 1] ^ fingerprint;
        if (PopCount(difference) > distance) continue;
        // The first table that tells that the difference is small reports it.
        const uint64_t by_key = order_.Arrange(difference);
        bool is_first = true;
        for (unsigned i = 0; i < t && is_first; ++i) {
          is_first = static_cast<int>(PopCount(Key(by_key, i))) > Radius(tables, distance, i);
        }
        if (is_first) found->push_back(at - 1);
      }
    }
  }
  return true;
}

void Head::FindByScan(uint64_t fingerprint, unsigned distance, std::vector<uint32_t>* found) const {
  constexpr size_t kBlock = 1024;
  const EntryColumns held = entries_.view();
  uint32_t near[kBlock];
  for (size_t from = 0; from < held.count; from += kBlock) {
    const size_t count = kernels::Active().within(
        held.fingerprints + from, std::min(kBlock, held.count - from), fingerprint, distance, near);
    for (size_t i = 0; i < count; ++i) found->push_back(static_cast<uint32_t>(from) + near[i]);
  }
}

size_t Head::bytes() const {
  return sizeof(*this) + entries_.bytes() + 4 * (first_.capacity() + next_.capacity() + flips_.capacity());
}

}  // namespace neardup
