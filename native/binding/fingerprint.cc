// hashBytes, hashStrings, accumulate and distances of the engine; fingerprinters are text_hasher.cc.
#include "binding/register.h"
#include "binding/values.h"
#include "core/fingerprint/xxh3.h"
#include "core/text/utf.h"
#include "kernels/kernels.h"

namespace neardup::binding {

namespace {

Napi::Value InvalidType(Napi::Env env, const char* message) {
  Throw(env, Status(StatusCode::kInvalidType, message));
  return Napi::Value();
}

Napi::Value HashBytes(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    Elements<uint8_t> bytes;
    if (!ReadElements(env, info[0], napi_uint8_array, &bytes)) {
      return InvalidType(env, "bytes must be a Uint8Array");
    }
    if (!info[1].IsBigInt()) return InvalidType(env, "seed must be a bigint");
    bool lossless = false;
    const uint64_t seed = info[1].As<Napi::BigInt>().Uint64Value(&lossless);
    return Napi::BigInt::New(env, Xxh3(bytes.data, bytes.size, seed));
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
    std::vector<uint64_t> hashes;
    TextScratch scratch;
    std::vector<uint8_t> utf8;
    for (uint32_t i = 0; i < count; i++) {
      Napi::HandleScope scope(env);
      const Napi::Value string = strings[i];
      if (env.IsExceptionPending()) return Napi::Value();
      if (!string.IsString()) return InvalidType(env, "features must be an array of strings");
      size_t size = 0;
      const char16_t* units = scratch.Copy(env, string, &size);
      EncodeUtf8(units, size, &utf8);
      hashes.push_back(Xxh3(utf8.data(), utf8.size()));
    }
    return ArrayValue<Napi::BigUint64Array>(env, hashes);
  });
}

Napi::Value Accumulate(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    Elements<uint64_t> hashes;
    Elements<double> weights;
    if (!ReadElements(env, info[0], napi_biguint64_array, &hashes)) {
      return InvalidType(env, "hashes must be a BigUint64Array");
    }
    const bool weighted = !info[1].IsUndefined();
    if (weighted &&
        (!ReadElements(env, info[1], napi_float64_array, &weights) || weights.size != hashes.size)) {
      return InvalidType(env, "weights must be a Float64Array with one weight for each hash");
    }
    Simhash vote;
    const Status status = weighted ? VoteWeighted(hashes.data, weights.data, hashes.size, &vote)
                                   : VoteEqual(hashes.data, hashes.size, &vote);
    if (status.ok()) return VoteValue(env, vote);
    Throw(env, status);
    return Napi::Value();
  });
}

Napi::Value Distances(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    Elements<uint64_t> codes;
    if (!ReadElements(env, info[0], napi_biguint64_array, &codes)) {
      return InvalidType(env, "codes must be a BigUint64Array");
    }
    if (!info[1].IsBigInt()) return InvalidType(env, "query must be a bigint");
    bool lossless = false;
    const uint64_t query = info[1].As<Napi::BigInt>().Uint64Value(&lossless);
    Napi::Uint8Array distances = NewArray<Napi::Uint8Array>(env, codes.size);
    if (distances.IsEmpty()) return Napi::Value();
    kernels::Active().distances(codes.data, codes.size, query, distances.Data());
    return distances;
  });
}

}  // namespace

void RegisterFingerprint(Napi::Env env, Napi::Object engine) {
  engine.Set("hashBytes", Napi::Function::New(env, HashBytes, "hashBytes"));
  engine.Set("hashStrings", Napi::Function::New(env, HashStrings, "hashStrings"));
  engine.Set("accumulate", Napi::Function::New(env, Accumulate, "accumulate"));
  engine.Set("distances", Napi::Function::New(env, Distances, "distances"));
}

}  // namespace neardup::binding
