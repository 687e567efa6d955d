// What someone who waits for a long job, and the job, tell each other. Thread-safe.
#ifndef NEARDUP_CORE_BASE_JOB_CONTROL_H_
#define NEARDUP_CORE_BASE_JOB_CONTROL_H_

#include <atomic>

namespace neardup {

struct JobControl {
  std::atomic<bool> cancelled{false};  // Asks the job to end soon.
  std::atomic<float> progress{0};      // Share done, 0 to 1.
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_JOB_CONTROL_H_
