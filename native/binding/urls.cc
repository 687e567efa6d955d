// Key sets and Bloom filters. Each is a plain object whose methods share the core object; close() empties it.
#include <memory>
#include <string>
#include <utility>

#include "binding/errors.h"
#include "binding/register.h"
#include "core/urls/bloom.h"
#include "core/urls/keyset.h"

namespace neardup::binding {

namespace {

// The core object of one JavaScript object, and the bytes of it that V8 has been told of.
template <typename T>
class Held {
 public:
  Held(Napi::Env env, std::unique_ptr<T> value) : env_(env), value_(std::move(value)) {}
  ~Held() { Report(0); }

  T* get() const { return value_.get(); }

  void Close() {
    value_.reset();
    Report(0);
  }

  void Report(uint64_t bytes) {
    const auto now = static_cast<int64_t>(bytes);
    if (now != reported_) Napi::MemoryManagement::AdjustExternalMemory(env_, now - reported_);
    reported_ = now;
  }

 private:
  Napi::Env env_;
  std::unique_ptr<T> value_;
  int64_t reported_ = 0;
};

template <typename T>
using Shared = std::shared_ptr<Held<T>>;

Napi::Value Fail(Napi::Env env, StatusCode code, const char* message) {
  Throw(env, Status(code, message));
  return Napi::Value();
}

bool IsArray(const Napi::Value& value, napi_typedarray_type type) {
  return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type;
}

// Adds a method that runs while the object is open, with the core object.
template <typename T, typename Body>
void AddMethod(Napi::Env env, Napi::Object object, const char* name, Shared<T> held, Body body) {
  object.Set(name, Napi::Function::New(
                       env,
                       [held = std::move(held), body](const Napi::CallbackInfo& info) {
                         return Guard(info.Env(), [&]() -> Napi::Value {
                           if (held->get() == nullptr) return Fail(info.Env(), StatusCode::kClosed, "closed");
                           return body(info, *held);
                         });
                       },
                       name));
}

// Adds a method (keys: BigUint64Array) => Uint8Array of one answer for each key.
template <typename T, typename Body>
void AddKeyMethod(Napi::Env env, Napi::Object object, const char* name, Shared<T> held, Body body) {
  AddMethod<T>(env, object, name, std::move(held),
               [body](const Napi::CallbackInfo& info, Held<T>& held) -> Napi::Value {
                 if (!IsArray(info[0], napi_biguint64_array)) {
                   return Fail(info.Env(), StatusCode::kInvalidType, "keys must be a BigUint64Array");
                 }
                 auto keys = info[0].As<Napi::BigUint64Array>();
                 auto out = NewArray<Napi::Uint8Array>(info.Env(), keys.ElementLength());
                 body(held, keys.Data(), keys.ElementLength(), out.Data());
                 return out;
               });
}

template <typename T>
void AddClose(Napi::Env env, Napi::Object object, Shared<T> held) {
  object.Set("close",
             Napi::Function::New(
                 env, [held = std::move(held)](const Napi::CallbackInfo&) { held->Close(); }, "close"));
}

// createKeySet(expected)
Napi::Value CreateKeySet(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    const double expected = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : 0;
    if (!(expected >= 0 && expected <= 0x1p53))
      return Fail(env, StatusCode::kOutOfRange, "not a number of keys");
    auto held =
        std::make_shared<Held<KeySet>>(env, std::make_unique<KeySet>(static_cast<uint64_t>(expected)));
    held->Report(held->get()->memory_bytes());
    Napi::Object object = Napi::Object::New(env);
    AddMethod<KeySet>(env, object, "size", held,
                      [](const Napi::CallbackInfo& info, Held<KeySet>& held) -> Napi::Value {
                        return Napi::Number::New(info.Env(), static_cast<double>(held.get()->size()));
                      });
    AddMethod<KeySet>(env, object, "memoryBytes", held,
                      [](const Napi::CallbackInfo& info, Held<KeySet>& held) -> Napi::Value {
                        return Napi::Number::New(info.Env(), static_cast<double>(held.get()->memory_bytes()));
                      });
    AddKeyMethod<KeySet>(env, object, "addBatch", held,
                         [](Held<KeySet>& held, const uint64_t* keys, size_t count, uint8_t* out) {
                           held.get()->AddBatch(keys, count, out);
                           held.Report(held.get()->memory_bytes());
                         });
    AddKeyMethod<KeySet>(env, object, "hasBatch", held,
                         [](Held<KeySet>& held, const uint64_t* keys, size_t count, uint8_t* out) {
                           held.get()->HasBatch(keys, count, out);
                         });
    AddMethod<KeySet>(env, object, "readSorted", held,
                      [](const Napi::CallbackInfo& info, Held<KeySet>& held) -> Napi::Value {
                        if (!info[0].IsBigInt() || !IsArray(info[1], napi_biguint64_array)) {
                          return Fail(info.Env(), StatusCode::kInvalidType,
                                      "from must be a bigint, out a BigUint64Array");
                        }
                        bool lossless = false;
                        const uint64_t from = info[0].As<Napi::BigInt>().Uint64Value(&lossless);
                        auto out = info[1].As<Napi::BigUint64Array>();
                        const size_t length = held.get()->ReadSorted(from, out.Data(), out.ElementLength());
                        return Napi::Number::New(info.Env(), static_cast<double>(length));
                      });
    AddClose<KeySet>(env, object, held);
    return object;
  });
}

// Reads {bits, hashes, blocked}; false where they are no shape.
bool ReadShape(const Napi::Value& value, BloomShape* shape) {
  if (!value.IsObject()) return false;
  auto object = value.As<Napi::Object>();
  Napi::Value bits = object.Get("bits");
  Napi::Value hashes = object.Get("hashes");
  if (!bits.IsNumber() || !hashes.IsNumber()) return false;
  const double m = bits.As<Napi::Number>().DoubleValue();
  const double k = hashes.As<Napi::Number>().DoubleValue();
  if (!(m >= 1 && m <= 0x1p53 && k >= 1 && k <= 64)) return false;
  shape->bits = static_cast<uint64_t>(m);
  shape->hashes = static_cast<uint32_t>(k);
  shape->blocked = object.Get("blocked").ToBoolean();
  return !shape->blocked || shape->bits % 512 == 0;
}

// Reads (offset: number, bytes: Uint8Array) that lie within the filter.
bool ReadRange(const Napi::CallbackInfo& info, const BloomBits& bloom, uint64_t* offset) {
  if (!info[0].IsNumber() || !IsArray(info[1], napi_uint8_array)) return false;
  const double at = info[0].As<Napi::Number>().DoubleValue();
  const double length = static_cast<double>(info[1].As<Napi::Uint8Array>().ElementLength());
  if (!(at >= 0 && at + length <= static_cast<double>(bloom.shape().bytes()))) return false;
  *offset = static_cast<uint64_t>(at);
  return true;
}

Napi::Value WrapBloom(Napi::Env env, BloomBits bits) {
  auto held = std::make_shared<Held<BloomBits>>(env, std::make_unique<BloomBits>(std::move(bits)));
  held->Report(held->get()->shape().bytes());
  Napi::Object object = Napi::Object::New(env);
  using Bloom = Held<BloomBits>;
  AddKeyMethod<BloomBits>(env, object, "addBatch", held,
                          [](Bloom& held, const uint64_t* keys, size_t count, uint8_t* out) {
                            held.get()->AddBatch(keys, count, out);
                          });
  AddKeyMethod<BloomBits>(env, object, "hasBatch", held,
                          [](Bloom& held, const uint64_t* keys, size_t count, uint8_t* out) {
                            held.get()->HasBatch(keys, count, out);
                          });
  AddMethod<BloomBits>(env, object, "countOnes", held,
                       [](const Napi::CallbackInfo& info, Bloom& held) -> Napi::Value {
                         return Napi::Number::New(info.Env(), static_cast<double>(held.get()->CountOnes()));
                       });
  AddMethod<BloomBits>(
      env, object, "read", held, [](const Napi::CallbackInfo& info, Bloom& held) -> Napi::Value {
        uint64_t offset = 0;
        if (!ReadRange(info, *held.get(), &offset)) {
          return Fail(info.Env(), StatusCode::kOutOfRange, "offset and out must lie within the filter");
        }
        auto out = info[1].As<Napi::Uint8Array>();
        held.get()->Read(offset, out.Data(), out.ElementLength());
        return info.Env().Undefined();
      });
  AddMethod<BloomBits>(
      env, object, "or", held, [](const Napi::CallbackInfo& info, Bloom& held) -> Napi::Value {
        uint64_t offset = 0;
        if (!ReadRange(info, *held.get(), &offset)) {
          return Fail(info.Env(), StatusCode::kOutOfRange, "offset and bytes must lie within the filter");
        }
        auto bytes = info[1].As<Napi::Uint8Array>();
        held.get()->Or(offset, bytes.Data(), bytes.ElementLength());
        return info.Env().Undefined();
      });
  AddClose<BloomBits>(env, object, held);
  return object;
}

// createBloom(shape)
Napi::Value CreateBloom(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    BloomShape shape;
    if (!ReadShape(info[0], &shape))
      return Fail(env, StatusCode::kInvalidType, "not the shape of a Bloom filter");
    BloomBits bits;
    if (Status status = BloomBits::Create(shape, &bits); !status.ok()) {
      Throw(env, status);
      return Napi::Value();
    }
    return WrapBloom(env, std::move(bits));
  });
}

// mapBloom(shape, path, offset)
Napi::Value MapBloom(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    BloomShape shape;
    if (!ReadShape(info[0], &shape) || !info[1].IsString() || !info[2].IsNumber()) {
      return Fail(env, StatusCode::kInvalidType, "mapBloom takes a shape, a path and an offset");
    }
    const double offset = info[2].As<Napi::Number>().DoubleValue();
    if (!(offset >= 0 && offset <= 0x1p53)) return Fail(env, StatusCode::kOutOfRange, "not an offset");
    BloomBits bits;
    Status status =
        BloomBits::Map(shape, info[1].As<Napi::String>().Utf8Value(), static_cast<uint64_t>(offset), &bits);
    if (!status.ok()) {
      Throw(env, status);
      return Napi::Value();
    }
    return WrapBloom(env, std::move(bits));
  });
}

}  // namespace

void RegisterUrls(Napi::Env env, Napi::Object engine) {
  engine.Set("createKeySet", Napi::Function::New(env, CreateKeySet, "createKeySet"));
  engine.Set("createBloom", Napi::Function::New(env, CreateBloom, "createBloom"));
  engine.Set("mapBloom", Napi::Function::New(env, MapBloom, "mapBloom"));
}

}  // namespace neardup::binding
