// How background threads reach an index's JavaScript thread. Thread-safe but for Open.
#ifndef NEARDUP_BINDING_MERGE_SIGNAL_H_
#define NEARDUP_BINDING_MERGE_SIGNAL_H_

#include <napi.h>

#include <memory>
#include <mutex>

#include "core/base/status.h"

namespace neardup::binding {

// Tells the JavaScript thread that a merge has ended. Background threads may hold it longer than the index,
// and an environment that ends takes its function away before the index goes.
class MergeSignal {
 public:
  static Status Open(Napi::Env env, void* index, napi_threadsafe_function_call_js call,
                     const std::shared_ptr<MergeSignal>& signal) {
    const auto forget = [](napi_env, void* data, void*) {
      const std::unique_ptr<std::shared_ptr<MergeSignal>> ended(
          static_cast<std::shared_ptr<MergeSignal>*>(data));
      const std::lock_guard<std::mutex> lock((*ended)->mutex_);
      (*ended)->function_ = nullptr;
    };
    auto kept = std::make_unique<std::shared_ptr<MergeSignal>>(signal);
    if (napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, "neardup.merge"), 0, 1,
                                        kept.get(), forget, index, call, &signal->function_) != napi_ok) {
      signal->function_ = nullptr;
      return Status::OutOfMemory("no signal between threads");
    }
    kept.release();
    napi_unref_threadsafe_function(env, signal->function_);
    return Status();
  }
  // On any thread.
  void Send() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (function_ == nullptr) return;
    // An ending environment has released the function by the failed call.
    if (napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking) != napi_ok)
      function_ = nullptr;
  }
  // While wanted, the environment does not end by itself.
  void KeepAlive(Napi::Env env, bool wanted) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (function_ == nullptr) return;
    if (wanted) {
      napi_ref_threadsafe_function(env, function_);
    } else {
      napi_unref_threadsafe_function(env, function_);
    }
  }
  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (function_ != nullptr) napi_release_threadsafe_function(function_, napi_tsfn_abort);
    function_ = nullptr;
  }

 private:
  std::mutex mutex_;
  napi_threadsafe_function function_ = nullptr;
};

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_MERGE_SIGNAL_H_
