#include "core/base/parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace neardup {

void ParallelFor(unsigned threads, size_t tasks, const std::function<void(size_t)>& body) {
  ParallelForWorkers(threads, tasks, [&](size_t task, unsigned) { body(task); });
}

void ParallelForWorkers(unsigned threads, size_t tasks, const std::function<void(size_t, unsigned)>& body) {
  if (threads <= 1 || tasks <= 1) {
    for (size_t task = 0; task < tasks; ++task) body(task, 0);
    return;
  }
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  size_t thrower = 0;
  auto work = [&](unsigned worker) {
    for (size_t task = next++; task < tasks; task = next++) {
      try {
        body(task, worker);
      } catch (...) {
        next = tasks;
        const std::lock_guard<std::mutex> lock(mutex);
        if (thrown == nullptr || task < thrower) {
          thrown = std::current_exception();
          thrower = task;
        }
      }
    }
  };
  std::vector<std::thread> helpers;
  try {
    helpers.reserve(threads - 1);
    while (helpers.size() + 1 < threads && helpers.size() + 1 < tasks) {
      helpers.emplace_back(work, static_cast<unsigned>(helpers.size() + 1));
    }
  } catch (const std::exception&) {
    // Fewer threads than asked for: none to be had, or no memory for one.
  }
  work(0);
  for (std::thread& helper : helpers) helper.join();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace neardup
