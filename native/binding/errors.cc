#include "binding/errors.h"

#include "binding/environment.h"

namespace neardup::binding {

namespace {

const char* CodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
    case StatusCode::kAborted:  // Whoever cancelled gets no error.
      break;
    case StatusCode::kInvalidType:
      return "ERR_NEARDUP_INVALID_TYPE";
    case StatusCode::kOutOfRange:
      return "ERR_NEARDUP_OUT_OF_RANGE";
    case StatusCode::kClosed:
      return "ERR_NEARDUP_CLOSED";
    case StatusCode::kOutOfMemory:
      return "ERR_NEARDUP_OUT_OF_MEMORY";
    case StatusCode::kCorrupt:
      return "ERR_NEARDUP_CORRUPT";
    case StatusCode::kIo:
      return "ERR_NEARDUP_IO";
    case StatusCode::kUnsupported:
      return "ERR_NEARDUP_UNSUPPORTED";
  }
  return "ERR_NEARDUP_UNSUPPORTED";
}

}  // namespace

Napi::Value MakeError(Napi::Env env, const Status& status) {
  const auto* data = env.GetInstanceData<EnvironmentData>();
  return data->make_error.Value().Call(
      {Napi::String::New(env, CodeName(status.code())), Napi::String::New(env, status.message())});
}

void Throw(Napi::Env env, const Status& status) {
  const Napi::Value error = MakeError(env, status);
  if (!env.IsExceptionPending()) napi_throw(env, error);
}

}  // namespace neardup::binding
