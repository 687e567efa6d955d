#include "core/fingerprint/simhash.h"

#include <algorithm>

#include "kernels/kernels.h"

namespace neardup {

namespace {

constexpr size_t kBatch = 256;

Status TooHeavy() {
  return Status(StatusCode::kOutOfRange,
                "the weights of the features must sum to at most 2^37 (137438953472)");
}

// Hands (hash, weight) pairs to the kernel in batches and keeps the total.
class WeightedBatch {
 public:
  explicit WeightedBatch(Simhash* result) : result_(result) {}

  // False once the total is too large.
  bool Add(uint64_t hash, uint64_t weight) {
    result_->total += weight;
    if (result_->total > kMaxTotalWeight) return false;
    hashes_[size_] = hash;
    weights_[size_] = weight;
    if (++size_ == kBatch) Flush();
    return true;
  }

  void Flush() {
    kernels::Active().sum_weights(hashes_, weights_, size_, result_->sums);
    size_ = 0;
  }

 private:
  Simhash* result_;
  size_t size_ = 0;
  uint64_t hashes_[kBatch];
  uint64_t weights_[kBatch];
};

Status ScaleCounts(const uint64_t counts[64], uint64_t features, Simhash* result) {
  if (features > kMaxTotalWeight / kWeightSteps) return TooHeavy();
  result->features = features;
  result->total = features * kWeightSteps;
  for (int i = 0; i < 64; i++) result->sums[i] = counts[i] * kWeightSteps;
  return Status();
}

}  // namespace

void FeatureVote::Add(const uint64_t* hashes, size_t n) {
  features_ += n;
  if (weighting_ == Weighting::kCount) {
    kernels::Active().count_ones(hashes, n, counts_);
  } else {
    for (size_t i = 0; i < n; i++) table_.Add(hashes[i]);
  }
}

void FeatureVote::Merge(const FeatureVote& other) {
  if (weighting_ == Weighting::kCount) {
    for (int i = 0; i < 64; i++) counts_[i] = std::min(counts_[i] + other.counts_[i], kMaxOccurrences);
  } else if (&other == this) {
    const FrequencyTable copy = table_;
    copy.ForEach([this](uint64_t hash, uint64_t times) { table_.Add(hash, times); });
  } else {
    other.table_.ForEach([this](uint64_t hash, uint64_t times) { table_.Add(hash, times); });
  }
  features_ = std::min(features_ + other.features_, kMaxOccurrences);
}

void FeatureVote::Clear() {
  features_ = 0;
  if (weighting_ == Weighting::kCount) {
    std::fill(counts_, counts_ + 64, 0);
  } else {
    table_.Clear();
  }
}

Status FeatureVote::Result(Simhash* result) const {
  *result = Simhash();
  if (weighting_ == Weighting::kCount) return ScaleCounts(counts_, features_, result);
  result->features = features_;
  WeightedBatch batch(result);
  bool fits = true;
  table_.ForEach([&](uint64_t hash, uint64_t times) {
    fits = fits && batch.Add(hash, weighting_ == Weighting::kSet ? kWeightSteps : LogWeight(times));
  });
  if (!fits) return TooHeavy();
  batch.Flush();
  return Status();
}

Status VoteEqual(const uint64_t* hashes, size_t n, Simhash* result) {
  *result = Simhash();
  uint64_t counts[64] = {};
  kernels::Active().count_ones(hashes, n, counts);
  return ScaleCounts(counts, n, result);
}

Status VoteWeighted(const uint64_t* hashes, const double* weights, size_t n, Simhash* result) {
  *result = Simhash();
  result->features = n;
  // A block of weights that fit each cannot overflow the total.
  constexpr size_t kBlock = 512;
  static_assert(kMaxTotalWeight <= UINT64_MAX / (kBlock + 1), "a sum must fit 64 bits");
  uint64_t steps[kBlock];
  for (size_t at = 0; at < n; at += kBlock) {
    const size_t block = std::min(kBlock, n - at);
    bool fits = true;
    for (size_t i = 0; i < block; i++) {
      fits &= WeightToSteps(weights[at + i], &steps[i]);
      result->total += steps[i];
    }
    if (!fits || result->total > kMaxTotalWeight) return TooHeavy();
    kernels::Active().sum_weights(hashes + at, steps, block, result->sums);
  }
  return Status();
}

}  // namespace neardup
