#include "binding/text_hasher.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "binding/values.h"
#include "core/fingerprint/text_hasher.h"

namespace neardup::binding {

namespace {

using Options = std::shared_ptr<const TextOptions>;

constexpr napi_type_tag kHasherTag = {0x6E65617264757031, 0x6861736865720001};

// What the constructors of the classes are given: options by pointer, so that JavaScript cannot forge them.
using OptionsHandle = Napi::External<Options>;

StopWords ReadStopWords(Napi::Env env, Napi::Value value) {
  StopWords words;
  if (!value.IsArray()) return words;
  auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length() && !env.IsExceptionPending(); i++) {
    const std::string word = Napi::Value(array[i]).ToString().Utf8Value();
    words.insert(Xxh3(reinterpret_cast<const uint8_t*>(word.data()), word.size()));
  }
  return words;
}

size_t ReadWidth(Napi::Value value) {
  const double width = value.ToNumber().DoubleValue();
  return width >= 1 && width <= 1e6 ? static_cast<size_t>(width) : 1;
}

// The facade has checked the options; what it would refuse is read as some valid value here.
Options ReadOptions(Napi::Env env, Napi::Object object) {
  auto options = std::make_shared<TextOptions>();
  const std::string unit = object.Get("unit").ToString().Utf8Value();
  const std::string weight = object.Get("weight").ToString().Utf8Value();
  options->unit = unit == "chars" ? TextOptions::Unit::kChars : TextOptions::Unit::kWords;
  options->min = ReadWidth(object.Get("min"));
  options->max = std::max(options->min, ReadWidth(object.Get("max")));
  options->weighting = weight == "set"   ? Weighting::kSet
                       : weight == "log" ? Weighting::kLog
                                         : Weighting::kCount;
  options->stop_words = ReadStopWords(env, object.Get("stopWords"));
  return options;
}

class Hasher : public Napi::ObjectWrap<Hasher> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "Hasher",
                       {InstanceMethod<&Hasher::Update>("update"), InstanceMethod<&Hasher::Digest>("digest"),
                        InstanceMethod<&Hasher::Merge>("merge")});
  }

  explicit Hasher(const Napi::CallbackInfo& info)
      : ObjectWrap(info), hasher_(*info[0].As<OptionsHandle>().Data()) {
    info.This().As<Napi::Object>().TypeTag(&kHasherTag);
  }

 private:
  Napi::Value Update(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (finished_) return Finished(env);
      WithText(env, info[0], &scratch_, [this](auto* text, size_t size) { hasher_.Update(text, size); });
      return env.Undefined();
    });
  }

  Napi::Value Digest(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      Finish();
      Simhash vote;
      const Status status = hasher_.Result(&vote);
      if (!status.ok()) {
        Throw(env, status);
        return Napi::Value();
      }
      return VoteValue(env, vote);
    });
  }

  Napi::Value Merge(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (!info[0].IsObject() || !info[0].As<Napi::Object>().CheckTypeTag(&kHasherTag)) {
        Throw(env, Status(StatusCode::kInvalidType, "other must be a hasher of the same engine"));
        return Napi::Value();
      }
      Hasher* other = Unwrap(info[0].As<Napi::Object>());
      Finish();
      other->Finish();
      hasher_.Merge(other->hasher_);
      return env.Undefined();
    });
  }

  void Finish() {
    if (!finished_) hasher_.Finish();
    finished_ = true;
  }

  static Napi::Value Finished(Napi::Env env) {
    Throw(env, Status(StatusCode::kClosed, "the hasher was digested or merged; create another one"));
    return Napi::Value();
  }

  TextHasher hasher_;
  StringScratch scratch_;
  bool finished_ = false;
};

class Fingerprinter : public Napi::ObjectWrap<Fingerprinter> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "Fingerprinter",
                       {InstanceMethod<&Fingerprinter::Fingerprint>("fingerprint"),
                        InstanceMethod<&Fingerprinter::FingerprintBatch>("fingerprintBatch"),
                        InstanceMethod<&Fingerprinter::Describe>("describe"),
                        InstanceMethod<&Fingerprinter::Frequencies>("frequencies"),
                        InstanceMethod<&Fingerprinter::Tokens>("tokens"),
                        InstanceMethod<&Fingerprinter::CreateHasher>("createHasher")});
  }

  explicit Fingerprinter(const Napi::CallbackInfo& info)
      : ObjectWrap(info),
        options_(*info[0].As<OptionsHandle>().Data()),
        hasher_(options_),
        hasher_class_(Napi::Persistent(info[1].As<Napi::Function>())) {}

 private:
  // Votes on one text; false with an exception pending on failure.
  bool Vote(Napi::Env env, Napi::Value text, Simhash* vote) {
    hasher_.Clear();
    if (!WithText(env, text, &scratch_, [this](auto* units, size_t size) { hasher_.Update(units, size); })) {
      return false;
    }
    hasher_.Finish();
    const Status status = hasher_.Result(vote);
    if (!status.ok()) Throw(env, status);
    return status.ok();
  }

  Napi::Value Fingerprint(const Napi::CallbackInfo& info) {
    return Guard(info.Env(), [&]() -> Napi::Value {
      Simhash vote;
      return Vote(info.Env(), info[0], &vote) ? FingerprintValue(info.Env(), vote) : Napi::Value();
    });
  }

  Napi::Value Describe(const Napi::CallbackInfo& info) {
    return Guard(info.Env(), [&]() -> Napi::Value {
      Simhash vote;
      return Vote(info.Env(), info[0], &vote) ? VoteValue(info.Env(), vote) : Napi::Value();
    });
  }

  Napi::Value Frequencies(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      Simhash vote;
      if (!Vote(env, info[0], &vote)) return Napi::Value();
      std::vector<std::pair<uint64_t, uint64_t>> entries;
      entries.reserve(hasher_.frequencies().size());
      hasher_.frequencies().ForEach(
          [&](uint64_t hash, uint64_t times) { entries.emplace_back(hash, times); });
      std::sort(entries.begin(), entries.end());
      Napi::BigUint64Array hashes = Napi::BigUint64Array::New(env, entries.size());
      Napi::Float64Array times = Napi::Float64Array::New(env, entries.size());
      for (size_t i = 0; i < entries.size(); i++) {
        hashes[i] = entries[i].first;
        times[i] = static_cast<double>(entries[i].second);
      }
      Napi::Object result = Napi::Object::New(env);
      result.Set("hashes", hashes);
      result.Set("times", times);
      return result;
    });
  }

  Napi::Value FingerprintBatch(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (!info[0].IsArray()) {
        Throw(env, Status(StatusCode::kInvalidType, "texts must be an array"));
        return Napi::Value();
      }
      auto texts = info[0].As<Napi::Array>();
      const uint32_t count = texts.Length();
      Napi::BigUint64Array fingerprints = Napi::BigUint64Array::New(env, count);
      Napi::Float64Array features = Napi::Float64Array::New(env, count);
      for (uint32_t i = 0; i < count; i++) {
        Napi::HandleScope scope(env);
        Simhash vote;
        if (!Vote(env, texts[i], &vote)) return Napi::Value();
        fingerprints[i] = vote.features == 0 ? 0 : vote.fingerprint();
        features[i] = static_cast<double>(vote.features);
      }
      Napi::Object result = Napi::Object::New(env);
      result.Set("fingerprints", fingerprints);
      result.Set("features", features);
      return result;
    });
  }

  Napi::Value Tokens(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      Napi::Array tokens = Napi::Array::New(env);
      uint32_t count = 0;
      const auto list = [&](auto* units, size_t size) {
        const std::vector<uint8_t> bytes = ListTokens(*options_, units, size);
        for (size_t start = 0; start < bytes.size();) {
          size_t end = start;
          while (end < bytes.size() && bytes[end] != ' ') end++;
          tokens.Set(count++,
                     Napi::String::New(env, reinterpret_cast<const char*>(&bytes[start]), end - start));
          start = end + 1;
        }
      };
      return WithText(env, info[0], &scratch_, list) ? tokens : Napi::Value();
    });
  }

  Napi::Value CreateHasher(const Napi::CallbackInfo& info) {
    return Guard(info.Env(), [&]() -> Napi::Value {
      return hasher_class_.Value().New({OptionsHandle::New(info.Env(), &options_)});
    });
  }

  Options options_;
  TextHasher hasher_;
  StringScratch scratch_;
  Napi::FunctionReference hasher_class_;
};

}  // namespace

void RegisterFingerprinter(Napi::Env env, Napi::Object engine) {
  // Kept alive by the function's own data; freed with the environment.
  auto* classes = new std::pair<Napi::FunctionReference, Napi::FunctionReference>(
      Napi::Persistent(Fingerprinter::Define(env)), Napi::Persistent(Hasher::Define(env)));
  env.AddCleanupHook([classes] { delete classes; });
  engine.Set("createFingerprinter",
             Napi::Function::New(
                 env,
                 [classes](const Napi::CallbackInfo& info) -> Napi::Value {
                   return Guard(info.Env(), [&]() -> Napi::Value {
                     Options options = ReadOptions(info.Env(), info[0].ToObject());
                     if (info.Env().IsExceptionPending()) return Napi::Value();
                     return classes->first.Value().New(
                         {OptionsHandle::New(info.Env(), &options), classes->second.Value()});
                   });
                 },
                 "createFingerprinter"));
}

}  // namespace neardup::binding
