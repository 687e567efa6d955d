#include "core/base/parallel.h"

#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace neardup {

void ParallelFor(unsigned threads, size_t tasks, const std::function<void(size_t)>& body) {
  if (threads <= 1 || tasks <= 1) {
    for (size_t task = 0; task < tasks; ++task) body(task);
    return;
  }
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t task = next++; task < tasks; task = next++) body(task);
  };
  std::vector<std::thread> helpers;
  helpers.reserve(threads - 1);
  try {
    while (helpers.size() + 1 < threads && helpers.size() + 1 < tasks) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer threads than asked for.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace neardup
