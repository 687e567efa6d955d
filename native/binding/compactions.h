// The compact() calls of an index that have not ended, by number of their requests. On the JavaScript thread
// only.
#ifndef NEARDUP_BINDING_COMPACTIONS_H_
#define NEARDUP_BINDING_COMPACTIONS_H_

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "binding/merge_signal.h"

namespace neardup::binding {

class Compactions {
 public:
  // The signal keeps the environment alive while there are some, and is sent when one is added or cancelled.
  explicit Compactions(std::shared_ptr<MergeSignal> signal) : signal_(std::move(signal)) {}

  bool empty() const { return waiting_.empty(); }
  bool HasUpTo(uint64_t request) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](auto& each) { return each.request <= request; });
  }

  // A Job of lib/engine.ts; progress() gives the share done.
  template <typename Progress>
  Napi::Value Add(Napi::Env env, uint64_t request, const Progress& progress) {
    const Waiting added = {Napi::Promise::Deferred::New(env), request, std::make_shared<bool>(false)};
    Napi::Object job = Napi::Object::New(env);
    job.Set("result", added.deferred.Promise());
    const auto cancel = [cancelled = added.cancelled, signal = signal_](const Napi::CallbackInfo&) {
      *cancelled = true;
      signal->Send();
    };
    job.Set("cancel", Napi::Function::New(env, cancel, "cancel"));
    const auto tell = [progress](const Napi::CallbackInfo& call) -> Napi::Value {
      return Napi::Number::New(call.Env(), progress());
    };
    job.Set("progress", Napi::Function::New(env, tell, "progress"));
    if (waiting_.empty()) signal_->KeepAlive(env, true);
    waiting_.push_back(added);
    signal_->Send();
    return job;
  }

  // Those that were cancelled wait no longer; what is begun goes on, as it is of use.
  void SettleCancelled(Napi::Env env) {
    Settle(env, env.Undefined(), true, [](const Waiting& each) { return *each.cancelled; });
  }
  void SettleUpTo(Napi::Env env, uint64_t request, Napi::Value value, bool resolved) {
    Settle(env, value, resolved, [&](const Waiting& each) { return each.request <= request; });
  }
  void SettleAll(Napi::Env env, Napi::Value value, bool resolved) {
    Settle(env, value, resolved, [](const Waiting&) { return true; });
  }

 private:
  struct Waiting {
    Napi::Promise::Deferred deferred;
    uint64_t request;
    std::shared_ptr<bool> cancelled;
  };

  template <typename IsMeant>
  void Settle(Napi::Env env, Napi::Value value, bool resolved, const IsMeant& is_meant) {
    if (waiting_.empty()) return;
    const auto first = std::stable_partition(waiting_.begin(), waiting_.end(),
                                             [&](const Waiting& each) { return !is_meant(each); });
    const std::vector<Waiting> ended(first, waiting_.end());
    waiting_.erase(first, waiting_.end());
    if (waiting_.empty()) signal_->KeepAlive(env, false);
    for (const Waiting& each : ended) {
      if (resolved) {
        each.deferred.Resolve(value);
      } else {
        each.deferred.Reject(value);
      }
    }
  }

  const std::shared_ptr<MergeSignal> signal_;
  std::vector<Waiting> waiting_;
};

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_COMPACTIONS_H_
