#include "core/index/segment_planner.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace neardup {

namespace {

// Up to so many entries, plans are remembered, for counts in steps of an eighth of an octave.
constexpr uint64_t kRemembered = uint64_t{1} << 23;
constexpr uint64_t kSmallShare = 64;  // A segment is small beside an index so many times as large.

}  // namespace

double CompactBytes(uint64_t count) {
  // 24 bytes at a million, 20 at ten, 16 at a hundred, 15 at a thousand.
  const double digits = std::log10(std::max(1.0, static_cast<double>(count)));
  return digits < 8 ? 16 + 4 * (8 - digits) : std::max(15.0, 16 - (digits - 8));
}

PlanOption SegmentPlanner::Choose(uint64_t count, uint64_t held, unsigned id_bits, const uint64_t* sample,
                                  size_t sample_count) const {
  const bool is_small = count <= held / kSmallShare;
  const double bytes = bytes_per_entry_ == 0 && !is_small ? CompactBytes(count)
                       : is_small                         ? kFastBytes
                                                          : std::min(bytes_per_entry_, kFastBytes);
  PlanOption option;
  if (count > kRemembered) {
    option = ChooseUniform(count, bytes, id_bits);
  } else {
    const double octaves = std::log2(static_cast<double>(std::max<uint64_t>(2, count)));
    const auto step = static_cast<uint64_t>(std::ceil(8 * octaves));
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, added] = remembered_.try_emplace({step, id_bits, is_small});
    if (added)
      at->second =
          ChooseUniform(static_cast<uint64_t>(std::exp2(static_cast<double>(step) / 8)), bytes, id_bits);
    option = at->second;
  }
  if (!option.scan) FitToData(sample, sample_count, &option.plan, count);
  return option;
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
