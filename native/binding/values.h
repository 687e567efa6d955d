// Reading of texts and writing of votes, shared by the fingerprint part of the binding. On the JavaScript
// thread only.
#ifndef NEARDUP_BINDING_VALUES_H_
#define NEARDUP_BINDING_VALUES_H_

#include <napi.h>

#include <cstring>
#include <memory>
#include <vector>

#include "binding/errors.h"
#include "core/fingerprint/simhash.h"
#include "core/fingerprint/text_batch.h"

namespace neardup::binding {

// Room that texts are copied into: kept from call to call, an unusually large one given back.
class TextScratch {
 public:
  // Copies a string as UTF-16; the result is valid until the next call.
  const char16_t* Copy(Napi::Env env, Napi::Value value, size_t* size) {
    size_t length = 0;
    napi_get_value_string_utf16(env, value, nullptr, 0, &length);
    Reserve(length + 1);
    napi_get_value_string_utf16(env, value, units_.get(), capacity_, size);
    return units_.get();
  }

  // Copies bytes; the result is valid until the next call.
  const uint8_t* Copy(const uint8_t* bytes, size_t size) {
    Reserve(size / sizeof(char16_t) + 1);
    if (size > 0) std::memcpy(units_.get(), bytes, size);
    return reinterpret_cast<const uint8_t*>(units_.get());
  }

 private:
  void Reserve(size_t units) {
    if (units <= capacity_ && (capacity_ <= kKept || units > kKept)) return;
    const size_t wanted = units > kSmallest ? units : kSmallest;
    units_.reset();
    capacity_ = 0;
    units_.reset(new char16_t[wanted]);
    capacity_ = wanted;
  }

  static constexpr size_t kSmallest = size_t{1} << 12;
  static constexpr size_t kKept = size_t{1} << 20;

  std::unique_ptr<char16_t[]> units_;
  size_t capacity_ = 0;
};

// A typed array's elements of one type; `data` may be null where there are none.
template <typename Element>
struct Elements {
  const Element* data = nullptr;
  size_t size = 0;
  // Other threads may write to them meanwhile.
  bool is_shared = false;
};

// False where the value is not a typed array of that type.
template <typename Element>
bool ReadElements(Napi::Env env, Napi::Value value, napi_typedarray_type type, Elements<Element>* elements) {
  if (!value.IsTypedArray()) return false;
  napi_typedarray_type actual;
  void* data = nullptr;
  napi_value buffer;
  bool is_plain = false;
  napi_get_typedarray_info(env, value, &actual, &elements->size, &data, &buffer, nullptr);
  if (actual != type) return false;
  napi_is_arraybuffer(env, buffer, &is_plain);
  elements->data = static_cast<const Element*>(data);
  elements->is_shared = !is_plain;
  return true;
}

// Calls body(units, size) with the UTF-16 of a string or the UTF-8 of a Uint8Array; false, with an exception
// pending, for any other value. What other threads could write to is copied first.
template <typename Body>
bool WithText(Napi::Env env, Napi::Value value, TextScratch* scratch, Body&& body) {
  if (value.IsString()) {
    size_t size = 0;
    const char16_t* units = scratch->Copy(env, value, &size);
    body(units, size);
    return true;
  }
  Elements<uint8_t> bytes;
  if (ReadElements(env, value, napi_uint8_array, &bytes)) {
    body(bytes.is_shared ? scratch->Copy(bytes.data, bytes.size) : bytes.data, bytes.size);
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
  Napi::Float64Array margins = NewArray<Napi::Float64Array>(env, 64);
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

// A typed array with a copy of the values; empty, with an exception pending, where memory is refused.
template <typename Array, typename Element>
Napi::Value ArrayValue(Napi::Env env, const std::vector<Element>& values) {
  Array array = NewArray<Array>(env, values.size());
  if (!values.empty()) {
    std::memcpy(array.Data(), values.data(), values.size() * sizeof(Element));
  }
  return array;
}

// {fingerprints, features}.
inline Napi::Value BatchValue(Napi::Env env, const TextFingerprints& batch) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("fingerprints", ArrayValue<Napi::BigUint64Array>(env, batch.fingerprints));
  object.Set("features", ArrayValue<Napi::Float64Array>(env, batch.features));
  return object;
}

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_VALUES_H_
