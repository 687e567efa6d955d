#include "core/index/block_code.h"

#include <algorithm>

namespace neardup {

namespace {

// Columns of the parity check matrix, by bit of the value: unit vectors for the check bits, then one column
// per information bit.
std::vector<uint32_t> Columns(CodeKind kind) {
  std::vector<uint32_t> columns;
  if (kind == CodeKind::kGolay23) {
    constexpr unsigned kCheck = 11;
    constexpr uint32_t kGenerator = 0xAE3;  // x^11 + x^9 + x^7 + x^6 + x^5 + x + 1
    for (unsigned i = 0; i < kCheck; ++i) columns.push_back(1u << i);
    uint32_t power = 1u << (kCheck - 1);
    for (unsigned i = kCheck; i < 23; ++i) {
      power <<= 1;
      if (power >> kCheck) power ^= kGenerator;
      columns.push_back(power);
    }
    return columns;
  }
  const unsigned check = kind == CodeKind::kHamming7 ? 3 : kind == CodeKind::kHamming15 ? 4 : 5;
  for (unsigned i = 0; i < check; ++i) columns.push_back(1u << i);
  for (uint32_t column = 1; column < (1u << check); ++column) {
    if ((column & (column - 1)) != 0) columns.push_back(column);
  }
  return columns;
}

}  // namespace

const BlockCode& BlockCode::Get(CodeKind kind) {
  static const BlockCode codes[] = {BlockCode(CodeKind::kHamming7), BlockCode(CodeKind::kHamming15),
                                    BlockCode(CodeKind::kHamming31), BlockCode(CodeKind::kGolay23)};
  return codes[static_cast<int>(kind)];
}

BlockCode::BlockCode(CodeKind kind) {
  const std::vector<uint32_t> columns = Columns(kind);
  length_ = static_cast<unsigned>(columns.size());
  unsigned check = 0;
  while (check < length_ && columns[check] == 1u << check) ++check;
  information_ = length_ - check;

  for (unsigned byte = 0; byte < 4; ++byte) {
    for (unsigned value = 0; value < 256; ++value) {
      uint32_t syndrome = 0;
      for (unsigned bit = 0; bit < 8; ++bit) {
        if ((value >> bit & 1) != 0 && byte * 8 + bit < length_) syndrome ^= columns[byte * 8 + bit];
      }
      bytes_[byte][value] = static_cast<uint16_t>(syndrome);
    }
  }

  // Errors by weight, until every syndrome has its lightest one.
  const uint32_t syndromes = 1u << check;
  std::vector<bool> known(syndromes);
  leader_.assign(syndromes, 0);
  std::vector<uint32_t> errors = {0};
  known[0] = true;
  for (uint32_t found = 1; found < syndromes;) {
    std::vector<uint32_t> heavier;
    for (uint32_t error : errors) {
      for (unsigned bit = 0; bit < length_; ++bit) {
        if ((error >> bit) != 0) continue;  // Each error once: bits in ascending order.
        const uint32_t next = error | 1u << bit;
        heavier.push_back(next);
        const uint32_t syndrome = Syndrome(next);
        if (known[syndrome]) continue;
        known[syndrome] = true;
        leader_[syndrome] = next >> check;
        ++found;
      }
    }
    errors = std::move(heavier);
  }

  for (uint32_t syndrome = 0; syndrome < syndromes; ++syndrome) {
    starts_.push_back(static_cast<uint32_t>(masks_.size()));
    std::vector<uint32_t> masks;
    for (unsigned bit = 0; bit < length_; ++bit) {
      const uint32_t mask = ((1u << bit) >> check) ^ leader_[syndrome ^ columns[bit]] ^ leader_[syndrome];
      if (mask != 0) masks.push_back(mask);
    }
    std::sort(masks.begin(), masks.end());
    masks.erase(std::unique(masks.begin(), masks.end()), masks.end());
    masks_.insert(masks_.end(), masks.begin(), masks.end());
  }
  starts_.push_back(static_cast<uint32_t>(masks_.size()));
}

}  // namespace neardup
