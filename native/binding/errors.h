// The one place where the core's failures become JavaScript errors with a `code`.
#ifndef NEARDUP_BINDING_ERRORS_H_
#define NEARDUP_BINDING_ERRORS_H_

#include <napi.h>

#include <new>
#include <string>

#include "core/base/status.h"

namespace neardup::binding {

// The status as an error object; empty with an exception pending where making it throws.
Napi::Value MakeError(Napi::Env env, const Status& status);

// Throws the status as a JavaScript error. Call only for a status that is not ok, and return at once.
void Throw(Napi::Env env, const Status& status);

// Runs `body` (returning Napi::Value) and turns a refused allocation into ERR_NEARDUP_OUT_OF_MEMORY.
template <typename Body>
Napi::Value Guard(Napi::Env env, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    Throw(env, Status::OutOfMemory("an allocation was refused"));
    return Napi::Value();
  }
}

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_ERRORS_H_
