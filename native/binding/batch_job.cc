// fingerprintBatchAsync(fingerprinters, texts) -> {result, cancel}: copies the texts on the JavaScript
// thread, hashes them on another, settles the promise on the JavaScript thread again. An environment that
// ends cancels its jobs and waits for them; their promises are then left as they are.
#include <memory>
#include <utility>
#include <vector>

#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/jobs.h"
#include "binding/register.h"
#include "binding/text_hasher.h"
#include "binding/values.h"
#include "core/fingerprint/text_batch.h"

namespace neardup::binding {

namespace {

struct BatchJob {
  // Written before the work begins.
  std::vector<Options> options;
  TextBatch texts;
  CancelFlag cancelled = MakeCancelFlag();
  napi_deferred deferred = nullptr;
  napi_threadsafe_function settle = nullptr;
  // Written by the work.
  Status status;
  std::vector<TextFingerprints> results;
};

void Hash(BatchJob* job) {
  try {
    job->results.resize(job->options.size());
    for (size_t i = 0; i < job->options.size() && job->status.ok(); i++) {
      job->status = HashBatch(job->texts, job->options[i], *job->cancelled, &job->results[i]);
    }
  } catch (const std::bad_alloc&) {
    job->status = Status::OutOfMemory("an allocation was refused");
  }
}

// On another thread.
void Work(BatchJob* job) {
  napi_threadsafe_function settle = job->settle;
  Hash(job);
  if (napi_call_threadsafe_function(settle, job, napi_tsfn_nonblocking) == napi_ok) {
    napi_release_threadsafe_function(settle, napi_tsfn_release);
  } else {
    // The environment is ending; the failed call has released the function.
    delete job;
  }
}

// The promise's value: one batch for each fingerprinter; undefined after a cancellation.
Napi::Value ResultValue(Napi::Env env, const BatchJob& job) {
  if (*job.cancelled) return env.Undefined();
  Napi::Array batches = Napi::Array::New(env, job.results.size());
  for (uint32_t i = 0; i < job.results.size(); i++) batches.Set(i, BatchValue(env, job.results[i]));
  return batches;
}

// A napi_threadsafe_function_call_js; env is null where the environment is ending.
void Settle(napi_env raw_env, napi_value, void*, void* data) {
  const std::unique_ptr<BatchJob> job(static_cast<BatchJob*>(data));
  if (raw_env == nullptr) return;
  Napi::Env env(raw_env);
  const bool resolved = job->status.ok() || *job->cancelled;
  const Napi::Value value =
      Guard(env, [&] { return resolved ? ResultValue(env, *job) : MakeError(env, job->status); });
  if (!env.IsExceptionPending()) {
    if (resolved) {
      napi_resolve_deferred(env, job->deferred, value);
    } else {
      napi_reject_deferred(env, job->deferred, value);
    }
    return;
  }
  napi_value error = nullptr;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) {
    napi_reject_deferred(env, job->deferred, error);
  }
}

// False with an exception pending for a value that is no text.
bool CopyText(Napi::Env env, Napi::Value value, TextBatch* texts) {
  Elements<uint8_t> bytes;
  if (value.IsString()) {
    size_t size = 0;
    napi_get_value_string_utf16(env, value, nullptr, 0, &size);
    napi_get_value_string_utf16(env, value, texts->AddUtf16(size), size + 1, nullptr);
    return true;
  }
  if (ReadElements(env, value, napi_uint8_array, &bytes)) {
    uint8_t* room = texts->AddUtf8(bytes.size);
    if (bytes.size > 0) std::memcpy(room, bytes.data, bytes.size);
    return true;
  }
  Throw(env, Status(StatusCode::kInvalidType, "text must be a string or a Uint8Array"));
  return false;
}

bool ReadArguments(const Napi::CallbackInfo& info, BatchJob* job) {
  Napi::Env env = info.Env();
  if (!info[0].IsArray() || !info[1].IsArray()) {
    Throw(env, Status(StatusCode::kInvalidType, "fingerprinters and texts must be arrays"));
    return false;
  }
  auto fingerprinters = info[0].As<Napi::Array>();
  for (uint32_t i = 0; i < fingerprinters.Length(); i++) {
    Napi::HandleScope scope(env);
    const Napi::Value fingerprinter = fingerprinters[i];
    if (env.IsExceptionPending()) return false;
    job->options.push_back(OptionsOf(fingerprinter));
    if (!job->options.back()) {
      Throw(env, Status(StatusCode::kInvalidType, "fingerprinters must be of the native engine"));
      return false;
    }
  }
  auto texts = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < texts.Length(); i++) {
    Napi::HandleScope scope(env);
    const Napi::Value text = texts[i];
    if (env.IsExceptionPending() || !CopyText(env, text, &job->texts)) return false;
  }
  return true;
}

// Hands the job to another thread, which owns it from then on; false with an exception pending.
bool Start(Napi::Env env, Jobs* jobs, std::unique_ptr<BatchJob> job) {
  const Napi::String name = Napi::String::New(env, "neardup.fingerprintBatchAsync");
  const napi_status status = napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr,
                                                             nullptr, nullptr, Settle, &job->settle);
  bool started = false;
  if (status == napi_ok) {
    BatchJob* raw = job.get();
    try {
      started = jobs->Run(job->cancelled, [raw] { Work(raw); });
    } catch (const std::bad_alloc&) {
    }
    if (!started) napi_release_threadsafe_function(job->settle, napi_tsfn_abort);
  }
  if (started) {
    job.release();
  } else if (!env.IsExceptionPending()) {
    Throw(env, Status::OutOfMemory("no thread could be started"));
  }
  return started;
}

Napi::Value FingerprintBatchAsync(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    auto job = std::make_unique<BatchJob>();
    if (!ReadArguments(info, job.get())) return Napi::Value();
    napi_value promise = nullptr;
    if (napi_create_promise(env, &job->deferred, &promise) != napi_ok) return Napi::Value();
    const CancelFlag cancelled = job->cancelled;
    if (!Start(env, &JobsOf(env), std::move(job))) return Napi::Value();
    Napi::Object object = Napi::Object::New(env);
    object.Set("result", Napi::Value(env, promise));
    object.Set("cancel",
               Napi::Function::New(
                   env, [cancelled](const Napi::CallbackInfo&) { cancelled->store(true); }, "cancel"));
    return object;
  });
}

}  // namespace

void RegisterBatchJob(Napi::Env env, Napi::Object engine) {
  engine.Set("fingerprintBatchAsync",
             Napi::Function::New(env, FingerprintBatchAsync, "fingerprintBatchAsync"));
}

}  // namespace neardup::binding
