// The order of the bits in one table. A fingerprint becomes a word, one to one:
//   [bucket number | syndromes of the codes | the other bits .......... | lane: the last 32 bits]
// so that sorting words groups buckets, and the lane holds 32 bits of the fingerprint that are no part of the
// key. Immutable, thread-safe; each call is some tens of instructions.
#ifndef NEARDUP_CORE_INDEX_WORD_MAP_H_
#define NEARDUP_CORE_INDEX_WORD_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/plan.h"

namespace neardup {

class WordMap {
 public:
  WordMap() = default;
  // `last` is a mask of bits that should stand in the lane (as many as fit).
  WordMap(const TablePlan& table, uint64_t last);

  unsigned bucket_bits() const { return bucket_bits_; }
  uint32_t BucketOf(uint64_t word) const { return static_cast<uint32_t>(word >> (64 - bucket_bits_)); }
  // The fingerprint's bits that the lane holds.
  uint64_t lane_mask() const { return lane_mask_; }

  uint64_t Encode(uint64_t fingerprint) const {
    return codes_.empty() ? Permute(fingerprint) : EncodeCodes(fingerprint);
  }
  uint64_t Decode(uint64_t word) const;
  // The same for `count` values at once, at most kMaxAll, in place; faster.
  static constexpr size_t kMaxAll = 512;
  void EncodeAll(uint64_t* values, size_t count) const;
  void DecodeAll(uint64_t* values, size_t count) const;

  // The bits of the fingerprint that these bits of the lane stand for.
  uint64_t SpreadLane(uint32_t lane) const { return Unpermute(lane); }

  // Buckets that can hold entries whose key is within the radius of this word's key; the word's own first, no
  // bucket twice. Writes at most max_probes(), returns how many.
  unsigned Probes(uint64_t word, uint32_t* buckets) const {
    if (max_probes_ > 1) return AllProbes(word, buckets);
    *buckets = BucketOf(word);
    return 1;
  }
  unsigned max_probes() const { return max_probes_; }

 private:
  struct Move {
    uint64_t mask;   // In place in the permuted word.
    unsigned right;  // Rotation that brings the fingerprint's bits there.
  };
  struct Code {
    const BlockCode* code;
    unsigned value_shift;     // Of its value in the permuted word.
    unsigned bucket_shift;    // Of its bucket in the word.
    unsigned syndrome_shift;  // Of its syndrome in the word.
  };

  uint64_t Permute(uint64_t fingerprint) const {
    if (moves_.size() == 1)
      return fingerprint >> moves_[0].right | fingerprint << ((64 - moves_[0].right) & 63);
    uint64_t word = 0;
    for (const Move& move : moves_) {
      word |= (fingerprint >> move.right | fingerprint << ((64 - move.right) & 63)) & move.mask;
    }
    return word;
  }
  uint64_t Unpermute(uint64_t word) const {
    uint64_t fingerprint = 0;
    for (const Move& move : moves_) {
      const uint64_t bits = word & move.mask;
      fingerprint |= bits << move.right | bits >> ((64 - move.right) & 63);
    }
    return fingerprint;
  }
  unsigned AllProbes(uint64_t word, uint32_t* buckets) const;
  void PermuteAll(uint64_t* values, size_t count, bool back) const;
  uint64_t EncodeCodes(uint64_t fingerprint) const;

  std::vector<Move> moves_;
  std::vector<Code> codes_;
  std::vector<uint32_t> flips_;  // Exclusive-or masks over plain bucket bits, from none on.
  unsigned bucket_bits_ = 1;
  unsigned raw_from_ = 0, raw_to_ = 0;  // Shifts of the plain key bits behind the codes: permuted word, word.
  uint64_t raw_mask_ = 0;               // Those bits, at the low end.
  uint64_t rest_mask_ = 0;              // Bits of the word that the permutation alone fills.
  uint64_t lane_mask_ = 0;
  unsigned max_probes_ = 1;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_WORD_MAP_H_
