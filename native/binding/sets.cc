// minHash and checksums of the engine.
#include "binding/errors.h"
#include "binding/register.h"
#include "core/fingerprint/minhash.h"
#include "core/fingerprint/signature.h"

namespace neardup::binding {

namespace {

constexpr double kMost = 1 << 20;

Napi::Value Refuse(Napi::Env env, StatusCode code, const char* message) {
  Throw(env, Status(code, message));
  return Napi::Value();
}

bool IsHashes(Napi::Value value) {
  return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == napi_biguint64_array;
}

// A count from 1 to kMost; 0 for anything else.
size_t ReadCount(Napi::Value value) {
  if (!value.IsNumber()) return 0;
  const double number = value.As<Napi::Number>().DoubleValue();
  return number >= 1 && number <= kMost ? static_cast<size_t>(number) : 0;
}

Napi::Value MinHashOf(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    if (!IsHashes(info[0])) return Refuse(env, StatusCode::kInvalidType, "set must be a BigUint64Array");
    if (!info[1].IsBigInt()) return Refuse(env, StatusCode::kInvalidType, "seed must be a bigint");
    const size_t count = ReadCount(info[2]);
    if (count == 0) return Refuse(env, StatusCode::kOutOfRange, "count must be from 1 to 1048576");
    bool lossless = false;
    const uint64_t seed = info[1].As<Napi::BigInt>().Uint64Value(&lossless);
    auto set = info[0].As<Napi::BigUint64Array>();
    Napi::BigUint64Array minima = NewArray<Napi::BigUint64Array>(env, count);
    MinHash(set.Data(), set.ElementLength(), seed, minima.Data(), count);
    return minima;
  });
}

Napi::Value ChecksumsOf(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    if (!IsHashes(info[0])) return Refuse(env, StatusCode::kInvalidType, "minima must be a BigUint64Array");
    auto minima = info[0].As<Napi::BigUint64Array>();
    const size_t rows = ReadCount(info[1]);
    if (rows == 0 || minima.ElementLength() % rows != 0) {
      return Refuse(env, StatusCode::kOutOfRange, "rows must divide the number of minima");
    }
    Napi::BigUint64Array checksums = NewArray<Napi::BigUint64Array>(env, minima.ElementLength() / rows);
    Checksums(minima.Data(), rows, checksums.Data(), checksums.ElementLength());
    return checksums;
  });
}

}  // namespace

void RegisterSets(Napi::Env env, Napi::Object engine) {
  engine.Set("minHash", Napi::Function::New(env, MinHashOf, "minHash"));
  engine.Set("checksums", Napi::Function::New(env, ChecksumsOf, "checksums"));
}

}  // namespace neardup::binding
