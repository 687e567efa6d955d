// hashBytes, hashStrings and accumulate of the engine; createFingerprinter is text_hasher.cc.
#include "binding/register.h"
#include "binding/text_hasher.h"
#include "binding/values.h"
#include "core/fingerprint/xxh3.h"
#include "core/text/utf.h"

namespace neardup::binding {

namespace {

Napi::Value InvalidType(Napi::Env env, const char* message) {
  Throw(env, Status(StatusCode::kInvalidType, message));
  return Napi::Value();
}

Napi::Value HashBytes(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
      return InvalidType(env, "bytes must be a Uint8Array");
    }
    if (!info[1].IsBigInt()) return InvalidType(env, "seed must be a bigint");
    auto bytes = info[0].As<Napi::Uint8Array>();
    bool lossless = false;
    const uint64_t seed = info[1].As<Napi::BigInt>().Uint64Value(&lossless);
    return Napi::BigInt::New(env, Xxh3(bytes.Data(), bytes.ElementLength(), seed));
  });
}

// UTF-8 of a string, each lone surrogate as U+FFFD.
void EncodeUtf8(const char16_t* units, size_t size, std::vector<uint8_t>* out) {
  out->clear();
  for (const char16_t* end = units + size; units != end;) {
    utf::Decoded decoded = utf::Decode(units, end);
    if (decoded.size == 0) decoded = {unicode::kReplacement, 1};
    uint8_t bytes[4];
    const size_t count = utf::Encode(decoded.code_point, bytes);
    out->insert(out->end(), bytes, bytes + count);
    units += decoded.size;
  }
}

Napi::Value HashStrings(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    if (!info[0].IsArray()) return InvalidType(env, "features must be an array of strings");
    auto strings = info[0].As<Napi::Array>();
    const uint32_t count = strings.Length();
    Napi::BigUint64Array hashes = Napi::BigUint64Array::New(env, count);
    StringScratch scratch;
    std::vector<uint8_t> utf8;
    for (uint32_t i = 0; i < count; i++) {
      Napi::HandleScope scope(env);
      Napi::Value string = strings[i];
      if (!string.IsString()) return InvalidType(env, "features must be an array of strings");
      size_t size = 0;
      const char16_t* units = scratch.Copy(env, string, &size);
      EncodeUtf8(units, size, &utf8);
      hashes[i] = Xxh3(utf8.data(), utf8.size());
    }
    return hashes;
  });
}

Napi::Value Accumulate(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_biguint64_array) {
      return InvalidType(env, "hashes must be a BigUint64Array");
    }
    auto hashes = info[0].As<Napi::BigUint64Array>();
    const double* weights = nullptr;
    if (!info[1].IsUndefined()) {
      if (!info[1].IsTypedArray() || info[1].As<Napi::TypedArray>().TypedArrayType() != napi_float64_array ||
          info[1].As<Napi::Float64Array>().ElementLength() != hashes.ElementLength()) {
        return InvalidType(env, "weights must be a Float64Array with one weight for each hash");
      }
      weights = info[1].As<Napi::Float64Array>().Data();
    }
    Simhash vote;
    const Status status = VoteWeighted(hashes.Data(), weights, hashes.ElementLength(), &vote);
    if (status.ok()) return VoteValue(env, vote);
    Throw(env, status);
    return Napi::Value();
  });
}

}  // namespace

void RegisterFingerprint(Napi::Env env, Napi::Object engine) {
  engine.Set("hashBytes", Napi::Function::New(env, HashBytes, "hashBytes"));
  engine.Set("hashStrings", Napi::Function::New(env, HashStrings, "hashStrings"));
  engine.Set("accumulate", Napi::Function::New(env, Accumulate, "accumulate"));
  RegisterFingerprinter(env, engine);
}

}  // namespace neardup::binding
