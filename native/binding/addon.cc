// The addon's entry: one function, createEngine(makeError, kernel), that returns the engine's methods.
#include <napi.h>

#include <string>

#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/register.h"
#include "kernels/kernels.h"

namespace neardup::binding {

namespace {

Napi::Value CreateEngine(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  env.GetInstanceData<EnvironmentData>()->make_error = Napi::Persistent(info[0].As<Napi::Function>());
  const std::string asked = info[1].IsString() ? info[1].As<Napi::String>().Utf8Value() : std::string();
  const Status status = kernels::SelectOnce(asked);
  if (!status.ok()) {
    Throw(env, status);
    return Napi::Value();
  }
  Napi::Object engine = Napi::Object::New(env);
  engine.Set("kernel", kernels::Active().name);
  engine.Set("preferredKernel", asked.empty() ? kernels::Available().front()->name : asked);
  RegisterFingerprint(env, engine);
  RegisterSets(env, engine);
  RegisterFingerprinter(env, engine);
  RegisterBatchJob(env, engine);
  RegisterIndex(env, engine);
  RegisterPlans(env, engine);
  RegisterStorage(env, engine);
  RegisterFileLock(env, engine);
  RegisterUrls(env, engine);
  return engine;
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new EnvironmentData());
  exports.Set("createEngine", Napi::Function::New(env, CreateEngine, "createEngine"));
  return exports;
}

}  // namespace

NODE_API_MODULE(neardup, Init)

}  // namespace neardup::binding
