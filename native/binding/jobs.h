// The work that an environment has on other threads: so that the environment can end in the middle of it, as
// worker.terminate() does. Thread-safe.
#ifndef NEARDUP_BINDING_JOBS_H_
#define NEARDUP_BINDING_JOBS_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "core/base/thread_pool.h"

namespace neardup::binding {

// A job's flag: true asks it to end soon.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

class Jobs {
 public:
  Jobs() : pool_(ThreadPool::Shared()) {}

  // Runs `work`, which must not throw, on another thread; false where there is none.
  template <typename Work>
  bool Run(const CancelFlag& flag, Work work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      running_.insert(flag);
    }
    bool started = false;
    try {
      started = pool_->Run([this, flag, work] {
        work();
        Leave(flag);
      });
    } catch (...) {
      Leave(flag);
      throw;
    }
    if (!started) Leave(flag);
    return started;
  }

  // Cancels all jobs and waits for their end.
  void End() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (const CancelFlag& flag : running_) flag->store(true);
    done_.wait(lock, [this] { return running_.empty(); });
  }

 private:
  void Leave(const CancelFlag& flag) {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_.erase(flag);
    done_.notify_all();
  }

  std::shared_ptr<ThreadPool> pool_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::unordered_set<CancelFlag> running_;
};

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_JOBS_H_
