// Weights are integers in steps of 1/65536, so that sums are exact and independent of order.
// Thread-safe: no state.
#ifndef NEARDUP_CORE_FINGERPRINT_WEIGHTS_H_
#define NEARDUP_CORE_FINGERPRINT_WEIGHTS_H_

#include <cstddef>
#include <cstdint>

namespace neardup {

// What a feature that occurs tf times weighs: 1, tf or 1 + ln tf.
enum class Weighting { kSet, kCount, kLog };

// Steps in a weight of 1.
constexpr uint64_t kWeightSteps = 65536;

// The most that all features of a text may weigh together, in steps: exact also in a double.
constexpr uint64_t kMaxTotalWeight = uint64_t{1} << 53;

// round(65536 (1 + ln tf)) for tf = 1 to kLogWeightCount at index tf - 1; the generated table.
constexpr uint64_t kLogWeightCount = 4096;
extern const uint32_t kLogWeights[kLogWeightCount];

// round(65536 ln 2): what doubling tf adds beyond the table.
constexpr uint64_t kLogWeightOctave = 45426;

// 1 + ln tf in steps, tf > 0. Beyond the table tf is halved, rounding down, until it is inside, and each
// halving adds one octave.
inline uint64_t LogWeight(uint64_t tf) {
  uint64_t octaves = 0;
  for (; tf > kLogWeightCount; tf >>= 1) octaves += kLogWeightOctave;
  return kLogWeights[tf - 1] + octaves;
}

// A caller's weight in steps, halves rounded up. False where it is not finite, negative or over
// kMaxTotalWeight; the steps are 0 then.
inline bool WeightToSteps(double weight, uint64_t* steps) {
  const double given = weight * static_cast<double>(kWeightSteps);
  const bool fits = given >= 0 && given <= static_cast<double>(kMaxTotalWeight);
  const double scaled = fits ? given : 0;
  const auto whole = static_cast<int64_t>(scaled);
  *steps = static_cast<uint64_t>(whole) + (scaled - static_cast<double>(whole) >= 0.5 ? 1 : 0);
  return fits;
}

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_WEIGHTS_H_
