#include "core/base/parallel.h"

#include <atomic>
#include <system_error>
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
  auto work = [&](unsigned worker) {
    for (size_t task = next++; task < tasks; task = next++) body(task, worker);
  };
  std::vector<std::thread> helpers;
  helpers.reserve(threads - 1);
  try {
    while (helpers.size() + 1 < threads && helpers.size() + 1 < tasks) {
      helpers.emplace_back(work, static_cast<unsigned>(helpers.size() + 1));
    }
  } catch (const std::system_error&) {
    // Fewer threads than asked for.
  }
  work(0);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace neardup
