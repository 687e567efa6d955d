// Features of a text: every run of min to max consecutive tokens, hashed where it stands in the token buffer.
// A text with fewer than min tokens is one feature; one without tokens has none. Not thread-safe.
#ifndef NEARDUP_CORE_FINGERPRINT_FEATURES_H_
#define NEARDUP_CORE_FINGERPRINT_FEATURES_H_

#include <cstddef>
#include <cstdint>

#include "core/fingerprint/simhash.h"
#include "core/text/token_buffer.h"

namespace neardup {

class FeatureHasher {
 public:
  // 1 <= min <= max.
  FeatureHasher(size_t min, size_t max, FeatureVote* vote) : min_(min), max_(max), vote_(vote) {}

  // Hashes the features that end at tokens not taken before, and forgets the tokens that no later one needs.
  void Take(TokenBuffer* tokens);
  // Ends the text: takes what is left and empties the buffer; ready for another text.
  void Finish(TokenBuffer* tokens);
  // Forgets a text that was not finished.
  void Clear() {
    taken_ = 0;
    any_ = false;
  }

 private:
  static constexpr size_t kBatch = 256;

  size_t min_;
  size_t max_;
  FeatureVote* vote_;
  // Tokens at the head of the buffer that are there only for features that end later.
  size_t taken_ = 0;
  // Whether the text has had a feature.
  bool any_ = false;
  uint64_t hashes_[kBatch];
};

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_FEATURES_H_
