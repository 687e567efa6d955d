// Work on another thread behind a promise. An environment that ends cancels its jobs and waits for them;
// their promises are then left as they are.
#ifndef NEARDUP_BINDING_ASYNC_JOB_H_
#define NEARDUP_BINDING_ASYNC_JOB_H_

#include <napi.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/job_control.h"
#include "core/base/status.h"

namespace neardup::binding {

// What goes on until it ends by itself or is asked to end, on the JavaScript thread.
class UnderWay {
 public:
  virtual ~UnderWay() = default;
  virtual void Cancel() = 0;
};

// Jobs and cursors that have not ended, on the JavaScript thread.
class Begun {
 public:
  void Add(const std::shared_ptr<UnderWay>& begun) {
    begun_.erase(std::remove_if(begun_.begin(), begun_.end(), [](auto& each) { return each.expired(); }),
                 begun_.end());
    begun_.push_back(begun);
  }
  void Cancel() {
    for (const auto& each : begun_) {
      if (const auto begun = each.lock()) begun->Cancel();
    }
    begun_.clear();
  }

 private:
  std::vector<std::weak_ptr<UnderWay>> begun_;
};

class AsyncJob : public UnderWay {
 public:
  void Cancel() override { control.cancelled = true; }

  // On another thread. May throw std::bad_alloc; looks at control.cancelled now and then.
  virtual Status Work() = 0;
  // On the JavaScript thread, once, after the work; not after a cancellation. The promise's value, or empty
  // with an exception pending, which the promise is rejected with.
  virtual Napi::Value Result(Napi::Env env) = 0;
  // On the JavaScript thread, once, before the promise is settled; whether it ended well, neither failed nor
  // cancelled.
  virtual void End(bool) {}
  // Whether it is a part of longer work, which tells its own progress.
  virtual bool is_part() const { return false; }

  // Outlives the job, and what it holds, in the hands of whoever follows it.
  const std::shared_ptr<JobControl> shared_control = std::make_shared<JobControl>();
  JobControl& control = *shared_control;
};

// {result, cancel(), progress()} of a job that has ended with undefined.
Napi::Value EndedJob(Napi::Env env);

// Starts the job; returns {result, cancel(), progress()}, the promise of undefined after a cancellation.
// Empty with an exception pending where it cannot be started. Call inside Guard.
Napi::Value StartJob(Napi::Env env, const char* name, std::shared_ptr<AsyncJob> job);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_ASYNC_JOB_H_
