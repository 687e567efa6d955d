// Threads for work off the JavaScript thread, as many as the processor runs at once. They start when there is
// work for them; tasks begin in the order in which they came. Thread-safe.
//
// Whoever uses the pool shares its ownership; the last owner's release waits for all tasks and joins the
// threads, so that none runs code of a library that is being unloaded. No task may own the pool.
#ifndef NEARDUP_CORE_BASE_THREAD_POOL_H_
#define NEARDUP_CORE_BASE_THREAD_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace neardup {

class ThreadPool {
 public:
  // The pool of the process, made when nobody owns one.
  static std::shared_ptr<ThreadPool> Shared();
  // Others for work behind the scenes, so that it holds up nothing else, and what takes minutes (long) does
  // not hold up what takes moments.
  static std::shared_ptr<ThreadPool> Background(bool is_long);

  explicit ThreadPool(size_t most_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs the task on some thread; it must not throw. False, and the task does not run, where there is no
  // thread and none can be started.
  bool Run(std::function<void()> task);

 private:
  void Work();
  bool StartThread();

  const size_t most_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_THREAD_POOL_H_
