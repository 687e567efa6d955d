// The vote of weighted features over 64 bits (Charikar's SimHash). With W the total weight and S[i] the
// weight of the features whose hash has bit i set, V[i] = 2 S[i] - W and bit i of the fingerprint is 1 where
// V[i] > 0. Integers throughout: the result does not depend on order, and votes add up. Not thread-safe.
#ifndef NEARDUP_CORE_FINGERPRINT_SIMHASH_H_
#define NEARDUP_CORE_FINGERPRINT_SIMHASH_H_

#include <cstddef>
#include <cstdint>

#include "core/base/status.h"
#include "core/fingerprint/frequency_table.h"
#include "core/fingerprint/weights.h"

namespace neardup {

// What a vote says.
struct Simhash {
  // Features counted, repetitions included; 0 means that there is no fingerprint.
  uint64_t features = 0;
  // Their weight together, in steps.
  uint64_t total = 0;
  // S[i] of the text above, in steps.
  uint64_t sums[64] = {};

  uint64_t fingerprint() const {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= static_cast<uint64_t>(2 * sums[i] > total) << i;
    return bits;
  }
};

// Gathers the features of one text and weighs them by how often each occurs.
class FeatureVote {
 public:
  explicit FeatureVote(Weighting weighting) : weighting_(weighting) {}

  // Adds one occurrence of each of n hashes.
  void Add(const uint64_t* hashes, size_t n);
  // Adds the occurrences that another vote of the same weighting has gathered.
  void Merge(const FeatureVote& other);
  void Clear();

  // The features and how often each occurs. Empty with kCount, which needs no table.
  const FrequencyTable& frequencies() const { return table_; }

  // The vote so far; out of range where the weights sum to over kMaxTotalWeight.
  Status Result(Simhash* result) const;

 private:
  Weighting weighting_;
  uint64_t features_ = 0;
  // kCount: occurrences by bit. Otherwise: the table.
  uint64_t counts_[64] = {};
  FrequencyTable table_;
};

// The vote of n hashes that weigh 1 each.
Status VoteEqual(const uint64_t* hashes, size_t n, Simhash* result);
// The vote of n hashes given with their weights in units of 1.
Status VoteWeighted(const uint64_t* hashes, const double* weights, size_t n, Simhash* result);

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_SIMHASH_H_
