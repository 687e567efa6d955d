#include "binding/async_job.h"

#include <new>
#include <utility>

#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/jobs.h"

namespace neardup::binding {

namespace {

struct Running {
  std::shared_ptr<AsyncJob> job;
  napi_deferred deferred = nullptr;
  napi_threadsafe_function settle = nullptr;
  Status status;
};

// On another thread.
void Work(Running* running) {
  napi_threadsafe_function settle = running->settle;
  try {
    running->status = running->job->Work();
  } catch (const std::bad_alloc&) {
    running->status = Status::OutOfMemory();
  } catch (const std::length_error&) {
    running->status = Status::OutOfMemory();
  } catch (const std::exception& error) {
    running->status = Status(StatusCode::kUnsupported, error.what());
  }
  if (napi_call_threadsafe_function(settle, running, napi_tsfn_nonblocking) == napi_ok) {
    napi_release_threadsafe_function(settle, napi_tsfn_release);
  } else {
    // The environment is ending; the failed call has released the function.
    delete running;
  }
}

// A napi_threadsafe_function_call_js; env is null where the environment is ending.
void Settle(napi_env raw_env, napi_value, void*, void* data) {
  const std::unique_ptr<Running> running(static_cast<Running*>(data));
  if (raw_env == nullptr) return;
  Napi::Env env(raw_env);
  AsyncJob& job = *running->job;
  const bool cancelled = job.control.cancelled || running->status.code() == StatusCode::kAborted;
  const bool resolved = cancelled || running->status.ok();
  if (running->status.ok() && !job.is_part()) job.control.SetProgress(1);
  job.End(resolved && !cancelled);
  const Napi::Value value = Guard(env, [&]() -> Napi::Value {
    if (cancelled) return env.Undefined();
    return resolved ? job.Result(env) : MakeError(env, running->status);
  });
  if (!env.IsExceptionPending()) {
    if (resolved) {
      napi_resolve_deferred(env, running->deferred, value);
    } else {
      napi_reject_deferred(env, running->deferred, value);
    }
    return;
  }
  napi_value error = nullptr;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) {
    napi_reject_deferred(env, running->deferred, error);
  }
}

}  // namespace

Napi::Value EndedJob(Napi::Env env) {
  const Napi::Promise::Deferred deferred = Napi::Promise::Deferred::New(env);
  deferred.Resolve(env.Undefined());
  Napi::Object object = Napi::Object::New(env);
  object.Set("result", deferred.Promise());
  object.Set("cancel", Napi::Function::New(
                           env, [](const Napi::CallbackInfo&) {}, "cancel"));
  object.Set(
      "progress",
      Napi::Function::New(
          env, [](const Napi::CallbackInfo& info) -> Napi::Value { return Napi::Number::New(info.Env(), 1); },
          "progress"));
  return object;
}

Napi::Value StartJob(Napi::Env env, const char* name, std::shared_ptr<AsyncJob> job) {
  auto running = std::make_unique<Running>();
  const std::shared_ptr<JobControl> control = job->shared_control;
  running->job = job;
  napi_value promise = nullptr;
  if (napi_create_promise(env, &running->deferred, &promise) != napi_ok) return Napi::Value();
  const napi_status status =
      napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, name), 0, 1, nullptr,
                                      nullptr, nullptr, Settle, &running->settle);
  if (status != napi_ok) throw std::bad_alloc();
  Running* raw = running.get();
  const CancelFlag flag(job->shared_control, &job->control.cancelled);
  bool started = false;
  try {
    started = JobsOf(env).Run(flag, [raw] { Work(raw); });
  } catch (const std::bad_alloc&) {
  }
  if (!started) {
    napi_release_threadsafe_function(running->settle, napi_tsfn_abort);
    Throw(env, Status::OutOfMemory("no thread could be started"));
    return Napi::Value();
  }
  running.release();
  Napi::Object object = Napi::Object::New(env);
  object.Set("result", Napi::Value(env, promise));
  object.Set("cancel",
             Napi::Function::New(
                 env, [control](const Napi::CallbackInfo&) { control->cancelled = true; }, "cancel"));
  object.Set("progress", Napi::Function::New(
                             env,
                             [control](const Napi::CallbackInfo& info) -> Napi::Value {
                               return Napi::Number::New(info.Env(), control->progress());
                             },
                             "progress"));
  return object;
}

}  // namespace neardup::binding
