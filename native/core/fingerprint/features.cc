#include "core/fingerprint/features.h"

#include <algorithm>

#include "core/fingerprint/xxh3.h"

namespace neardup {

void FeatureHasher::Take(TokenBuffer* tokens) {
  const uint8_t* data = tokens->data();
  const size_t count = tokens->count();
  for (size_t width = min_; width <= max_; width++) {
    for (size_t i = std::max(taken_, width - 1); i < count;) {
      const size_t batch = std::min(kBatch, count - i);
      for (size_t j = 0; j < batch; j++, i++) {
        const size_t start = tokens->Start(i + 1 - width);
        hashes_[j] = Xxh3(data + start, tokens->End(i) - start);
      }
      vote_->Add(hashes_, batch);
      any_ = true;
    }
  }
  taken_ = std::min(count, max_ - 1);
  tokens->Keep(taken_);
}

void FeatureHasher::Finish(TokenBuffer* tokens) {
  Take(tokens);
  const size_t count = tokens->count();
  // Fewer than min tokens: all of them are still there.
  if (count > 0 && !any_) {
    const uint64_t hash = Xxh3(tokens->data(), tokens->End(count - 1));
    vote_->Add(&hash, 1);
  }
  tokens->Clear();
  Clear();
}

}  // namespace neardup
