// What one JavaScript environment (main thread or worker) owns. On its thread only, but for Jobs.
#ifndef NEARDUP_BINDING_ENVIRONMENT_H_
#define NEARDUP_BINDING_ENVIRONMENT_H_

#include <napi.h>

#include <memory>

#include "binding/jobs.h"

namespace neardup::binding {

struct EnvironmentData {
  // (code, message) => Error (errors.h).
  Napi::FunctionReference make_error;
  // The classes of text_hasher.cc.
  Napi::FunctionReference fingerprinter_class;
  Napi::FunctionReference hasher_class;
  // Made with the first job.
  std::shared_ptr<Jobs> jobs;
  // Kept from the first index on, so that closing one does not wait for the threads.
  std::shared_ptr<ThreadPool> background[2];
};

// The jobs of an environment, which ends them when it ends.
inline Jobs& JobsOf(Napi::Env env) {
  auto* data = env.GetInstanceData<EnvironmentData>();
  if (!data->jobs) {
    data->jobs = std::make_shared<Jobs>();
    env.AddCleanupHook([jobs = data->jobs] { jobs->End(); });
  }
  return *data->jobs;
}

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_ENVIRONMENT_H_
