// What someone who waits for a long job, and the job, tell each other. Thread-safe.
#ifndef NEARDUP_CORE_BASE_JOB_CONTROL_H_
#define NEARDUP_CORE_BASE_JOB_CONTROL_H_

#include <atomic>
#include <cstdint>

#include "core/base/work_control.h"

namespace neardup {

struct JobControl {
  std::atomic<bool> cancelled{false};   // Asks the job to end soon.
  std::atomic<uint32_t> millionths{0};  // Of the work that are done.

  void SetProgress(double share) { millionths = static_cast<uint32_t>(share * WorkControl::kDone); }
  double progress() const { return static_cast<double>(millionths) / WorkControl::kDone; }
  // For the steps of the job.
  WorkControl work() { return {&cancelled, &millionths}; }
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_JOB_CONTROL_H_
