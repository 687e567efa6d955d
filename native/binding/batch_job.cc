// fingerprintBatchAsync(fingerprinters, texts) -> {result, cancel, progress}: copies the texts on the
// JavaScript thread and hashes them on another.
#include <memory>
#include <utility>
#include <vector>

#include "binding/async_job.h"
#include "binding/errors.h"
#include "binding/register.h"
#include "binding/text_hasher.h"
#include "binding/values.h"
#include "core/fingerprint/text_batch.h"

namespace neardup::binding {

namespace {

class BatchJob : public AsyncJob {
 public:
  std::vector<Options> options;
  TextBatch texts;

  Status Work() override {
    results_.resize(options.size());
    for (size_t i = 0; i < options.size(); i++) {
      const Status status = HashBatch(texts, options[i], control.cancelled, &results_[i]);
      if (!status.ok()) return status;
      control.SetProgress(static_cast<double>(i + 1) / static_cast<double>(options.size()));
    }
    return Status();
  }
  // One batch for each fingerprinter.
  Napi::Value Result(Napi::Env env) override {
    Napi::Array batches = Napi::Array::New(env, results_.size());
    for (uint32_t i = 0; i < results_.size(); i++) batches.Set(i, BatchValue(env, results_[i]));
    return batches;
  }

 private:
  std::vector<TextFingerprints> results_;
};

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

Napi::Value FingerprintBatchAsync(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    const auto job = std::make_shared<BatchJob>();
    if (!ReadArguments(info, job.get())) return Napi::Value();
    return StartJob(env, "neardup.fingerprintBatchAsync", job);
  });
}

}  // namespace

void RegisterBatchJob(Napi::Env env, Napi::Object engine) {
  engine.Set("fingerprintBatchAsync",
             Napi::Function::New(env, FingerprintBatchAsync, "fingerprintBatchAsync"));
}

}  // namespace neardup::binding
