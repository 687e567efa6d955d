#include "core/index/segment_planner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace neardup {

namespace {

constexpr uint64_t kScanned = 512;  // So few entries are compared all.
// Up to so many entries, plans are remembered for the process, for counts in steps.
constexpr uint64_t kRemembered = uint64_t{1} << 18;
constexpr double kStepsPerOctave = 4;
constexpr uint64_t kSmallShare = 64;  // A segment is small beside an index so many times as large.

}  // namespace

double CompactBytes(uint64_t count) {
  // 24 bytes at a million, 20 at ten, 16 at a hundred; at a thousand million 15.5, as with less a query takes
  // ten times as long.
  const double digits = std::log10(std::max(1.0, static_cast<double>(count)));
  return digits < 8 ? 16 + 4 * (8 - digits) : std::max(15.5, 16 - (digits - 8));
}

PlanOption SegmentPlanner::Choose(uint64_t count, uint64_t held, unsigned id_bits, const uint64_t* sample,
                                  size_t sample_count) const {
  PlanOption option;
  option.scan = count <= kScanned;
  if (option.scan) return option;
  const bool is_small = count <= held / kSmallShare;
  const double wanted = bytes_per_entry_ == 0 ? CompactBytes(count) : std::min(bytes_per_entry_, kFastBytes);
  const double bytes = is_small ? kFastBytes : wanted;
  option = count > kRemembered ? ChooseUniform(count, bytes, id_bits) : Remembered(count, bytes, id_bits);
  if (!option.scan) FitToData(sample, sample_count, &option.plan, count);
  return option;
}

PlanOption SegmentPlanner::Remembered(uint64_t count, double bytes, unsigned id_bits) const {
  using Key = std::tuple<unsigned, uint64_t, unsigned, double>;
  static std::mutex mutex;
  static std::map<Key, PlanOption> remembered;
  // The least count of the step, so that the memory of the plan is that of every count.
  const auto step = static_cast<uint64_t>(kStepsPerOctave * std::log2(static_cast<double>(count)));
  const auto rounded = static_cast<uint64_t>(std::exp2(static_cast<double>(step) / kStepsPerOctave));
  id_bits = (id_bits + 3) / 4 * 4;
  const double rounded_bytes = bytes_per_entry_ == 0 && bytes < kFastBytes ? CompactBytes(rounded) : bytes;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, added] = remembered.try_emplace(Key{max_distance_, step, id_bits, rounded_bytes});
  if (added) {
    try {
      at->second = ChooseUniform(rounded, rounded_bytes, id_bits);
    } catch (...) {
      remembered.erase(at);
      throw;
    }
  }
  return at->second;
}

PlanOption SegmentPlanner::ChooseUniform(uint64_t count, double bytes, unsigned id_bits) const {
  PlanRequest request;
  request.count = count;
  request.max_distance = max_distance_;
  request.id_bits = id_bits;
  request.memory = bytes * static_cast<double>(count);
  const std::vector<PlanOption> options = ListPlans(request);
  if (options.front().fits) return options.front();
  return *std::min_element(options.begin(), options.end(),
                           [](const PlanOption& a, const PlanOption& b) { return a.bytes < b.bytes; });
}

}  // namespace neardup
