#include "core/base/thread_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace neardup {

namespace {

// The pool that *pool refers to, made when nobody owns it.
std::shared_ptr<ThreadPool> OwnedBySome(std::weak_ptr<ThreadPool>* pool) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<ThreadPool> owned = pool->lock();
  if (!owned) {
    owned = std::make_shared<ThreadPool>(std::max(1u, std::thread::hardware_concurrency()));
    *pool = owned;
  }
  return owned;
}

}  // namespace

std::shared_ptr<ThreadPool> ThreadPool::Shared() {
  static std::weak_ptr<ThreadPool> pool;
  return OwnedBySome(&pool);
}

std::shared_ptr<ThreadPool> ThreadPool::Background(bool is_long) {
  static std::weak_ptr<ThreadPool> pools[2];
  return OwnedBySome(&pools[is_long]);
}

ThreadPool::ThreadPool(size_t most_threads) : most_threads_(most_threads) { threads_.reserve(most_threads); }

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool ThreadPool::Run(std::function<void()> task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  if (idle_ < tasks_.size() && threads_.size() < most_threads_ && !StartThread() && threads_.empty()) {
    tasks_.pop_back();
    return false;
  }
  wake_.notify_one();
  return true;
}

bool ThreadPool::StartThread() {
  try {
    threads_.emplace_back([this] { Work(); });
    return true;
  } catch (const std::exception&) {  // no thread, or no memory for one
    return false;
  }
}

void ThreadPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    idle_++;
    wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    idle_--;
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace neardup
