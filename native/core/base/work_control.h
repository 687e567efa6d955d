// How whoever waits for long work follows and stops it. Both ends are atomics that the waiting side owns, so
// that any thread may look and ask.
#ifndef NEARDUP_CORE_BASE_WORK_CONTROL_H_
#define NEARDUP_CORE_BASE_WORK_CONTROL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/base/status.h"

namespace neardup {

struct WorkControl {
  const std::atomic<bool>* cancel = nullptr;  // Once true, the work ends soon, with kAborted.
  std::atomic<uint32_t>* progress = nullptr;  // Set to the millionths that are done; never falls.
  static constexpr uint32_t kDone = 1000000;

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

// Counts work of a known total into the control's progress. Thread-safe.
class WorkMeter {
 public:
  WorkMeter(const WorkControl& control, uint64_t total) : control_(control), total_(total) {}
  const WorkControl& control() const { return control_; }

  void Add(uint64_t amount) {
    if (control_.progress == nullptr) return;
    const uint64_t done = std::min(total_, done_ += amount);
    const auto now = static_cast<uint32_t>(static_cast<double>(done) / static_cast<double>(total_ + 1) *
                                           WorkControl::kDone);
    uint32_t before = *control_.progress;
    while (before < now && !control_.progress->compare_exchange_weak(before, now)) {
    }
  }
  void Finish() {
    if (control_.progress != nullptr) *control_.progress = WorkControl::kDone;
  }

 private:
  const WorkControl control_;
  const uint64_t total_;
  std::atomic<uint64_t> done_{0};
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_WORK_CONTROL_H_
