// The one place where the core's failures become JavaScript errors with a `code`.
#ifndef NEARDUP_BINDING_ERRORS_H_
#define NEARDUP_BINDING_ERRORS_H_

#include <napi.h>

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "core/base/status.h"

namespace neardup::binding {

// The status as an error object; empty with an exception pending where making it throws.
Napi::Value MakeError(Napi::Env env, const Status& status);

// Throws the status as a JavaScript error. Call only for a status that is not ok, and return at once.
void Throw(Napi::Env env, const Status& status);

// Runs `body` (returning Napi::Value); no C++ exception leaves it. A refused allocation, or a size beyond
// what a container can hold, becomes ERR_NEARDUP_OUT_OF_MEMORY; what else the library throws (a thread that
// the system refuses), ERR_NEARDUP_UNSUPPORTED.
template <typename Body>
Napi::Value Guard(Napi::Env env, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    Throw(env, Status::OutOfMemory("an allocation was refused"));
  } catch (const std::length_error&) {
    Throw(env, Status::OutOfMemory("a size is beyond what memory can hold"));
  } catch (const std::exception& error) {
    Throw(env, Status(StatusCode::kUnsupported, error.what()));
  }
  return Napi::Value();
}

// A typed array of n elements, for use inside Guard: refused memory is thrown as std::bad_alloc.
template <typename Array>
Array NewArray(Napi::Env env, size_t n) {
  Array array = Array::New(env, n);
  if (array.IsEmpty()) {
    env.GetAndClearPendingException();
    throw std::bad_alloc();
  }
  return array;
}

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_ERRORS_H_
