// Reading of texts and writing of votes, shared by the fingerprint part of the binding. On the JavaScript
// thread only.
#ifndef NEARDUP_BINDING_VALUES_H_
#define NEARDUP_BINDING_VALUES_H_

#include <napi.h>

#include <memory>

#include "binding/errors.h"
#include "core/fingerprint/simhash.h"

namespace neardup::binding {

// Room that strings are copied into as UTF-16: kept from call to call, an unusually large one given back.
class StringScratch {
 public:
  // Copies a string; the result is valid until the next call. Null with an exception pending on failure.
  const char16_t* Copy(Napi::Env env, Napi::Value value, size_t* size) {
    size_t length = 0;
    napi_get_value_string_utf16(env, value, nullptr, 0, &length);
    if (length + 1 > capacity_ || (capacity_ > kKept && length + 1 <= kKept)) {
      const size_t wanted = length + 1 > kSmallest ? length + 1 : kSmallest;
      units_.reset();
      capacity_ = 0;
      units_.reset(new char16_t[wanted]);
      capacity_ = wanted;
    }
    napi_get_value_string_utf16(env, value, units_.get(), capacity_, size);
    return units_.get();
  }

 private:
  static constexpr size_t kSmallest = size_t{1} << 12;
  static constexpr size_t kKept = size_t{1} << 20;

  std::unique_ptr<char16_t[]> units_;
  size_t capacity_ = 0;
};

// Calls body(units, size) with the UTF-16 of a string or the UTF-8 of a Uint8Array; false, with an exception
// pending, for any other value.
template <typename Body>
bool WithText(Napi::Env env, Napi::Value value, StringScratch* scratch, Body&& body) {
  if (value.IsString()) {
    size_t size = 0;
    const char16_t* units = scratch->Copy(env, value, &size);
    body(units, size);
    return true;
  }
  if (value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == napi_uint8_array) {
    auto bytes = value.As<Napi::Uint8Array>();
    body(static_cast<const uint8_t*>(bytes.Data()), bytes.ElementLength());
    return true;
  }
  Throw(env, Status(StatusCode::kInvalidType, "text must be a string or a Uint8Array"));
  return false;
}

inline Napi::Value FingerprintValue(Napi::Env env, const Simhash& vote) {
  if (vote.features == 0) return env.Undefined();
  return Napi::BigInt::New(env, vote.fingerprint());
}

// {fingerprint, features, weight, margins}.
inline Napi::Value VoteValue(Napi::Env env, const Simhash& vote) {
  constexpr double kStep = 1.0 / static_cast<double>(kWeightSteps);
  Napi::Float64Array margins = Napi::Float64Array::New(env, 64);
  for (int i = 0; i < 64; i++) {
    margins[i] = static_cast<double>(static_cast<int64_t>(2 * vote.sums[i] - vote.total)) * kStep;
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("fingerprint", FingerprintValue(env, vote));
  object.Set("features", static_cast<double>(vote.features));
  object.Set("weight", static_cast<double>(vote.total) * kStep);
  object.Set("margins", margins);
  return object;
}

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_VALUES_H_
