#include "core/fingerprint/features.h"

#include <algorithm>

#include "core/fingerprint/xxh3.h"

namespace neardup {

namespace {

// The hashes of the n slices of `size` bytes that begin at data, data + 1, ...
void HashSlices(const uint8_t* data, size_t size, size_t n, uint64_t* hashes) {
  if (size >= 4 && size <= 8) {
    for (size_t i = 0; i < n; i++) hashes[i] = xxh3::Hash4To8(data + i, size, 0);
  } else {
    for (size_t i = 0; i < n; i++) hashes[i] = Xxh3(data + i, size);
  }
}

// The hashes of the n features of `width` tokens, the first of which begins with token `first`.
void HashFeatures(const TokenBuffer& tokens, size_t first, size_t width, size_t n, uint64_t* hashes) {
  const uint8_t* data = tokens.data();
  if (tokens.AllSingle()) return HashSlices(data + first, width, n, hashes);
  for (size_t i = 0; i < n; i++) {
    const size_t start = tokens.Start(first + i);
    hashes[i] = Xxh3Short(data + start, tokens.End(first + i + width - 1) - start);
  }
}

}  // namespace

void FeatureHasher::Take(TokenBuffer* tokens) {
  const size_t count = tokens->count();
  for (size_t width = min_; width <= max_; width++) {
    size_t batch = 0;
    for (size_t last = std::max(taken_, width - 1); last < count; last += batch) {
      batch = std::min(kBatch, count - last);
      HashFeatures(*tokens, last + 1 - width, width, batch, hashes_);
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
