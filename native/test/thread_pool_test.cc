#include "core/base/thread_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

namespace {

using neardup::ThreadPool;

TEST_CASE("every task runs once, and the end of the pool waits for all of them" *
          doctest::test_suite("threads")) {
  std::atomic<int> runs{0};
  for (size_t threads : {1, 2, 8}) {
    runs = 0;
    {
      ThreadPool pool(threads);
      for (int i = 0; i < 1000; i++) REQUIRE(pool.Run([&] { runs++; }));
    }
    CHECK(runs == 1000);
  }
}

TEST_CASE("tasks run at the same time, on no more threads than allowed" * doctest::test_suite("threads")) {
  constexpr size_t kThreads = 3;
  std::mutex mutex;
  std::condition_variable all_here;
  size_t here = 0;
  std::set<std::thread::id> ids;
  {
    ThreadPool pool(kThreads);
    // Each waits for the others: with fewer threads this would not end.
    for (size_t i = 0; i < 2 * kThreads; i++) {
      pool.Run([&] {
        std::unique_lock<std::mutex> lock(mutex);
        ids.insert(std::this_thread::get_id());
        here++;
        all_here.notify_all();
        all_here.wait(lock, [&] { return here >= kThreads; });
      });
    }
  }
  CHECK(here == 2 * kThreads);
  CHECK(ids.size() == kThreads);
}

TEST_CASE("the process's pool is one while somebody owns it" * doctest::test_suite("threads")) {
  const auto one = ThreadPool::Shared();
  CHECK(ThreadPool::Shared().get() == one.get());
}

}  // namespace
