#include "binding/text_hasher.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binding/environment.h"
#include "binding/register.h"
#include "binding/text_options.h"
#include "binding/values.h"

namespace neardup::binding {

namespace {

constexpr napi_type_tag kFingerprinterTag = {0x6E65617264757031, 0x66696E6765720001};
constexpr napi_type_tag kHasherTag = {0x6E65617264757031, 0x6861736865720001};

bool HasTag(Napi::Value value, const napi_type_tag& tag) {
  return value.IsObject() && value.As<Napi::Object>().CheckTypeTag(&tag);
}

class Hasher : public Napi::ObjectWrap<Hasher> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "Hasher",
                       {InstanceMethod<&Hasher::Update>("update"), InstanceMethod<&Hasher::Digest>("digest"),
                        InstanceMethod<&Hasher::Merge>("merge")});
  }

  // new Hasher(fingerprinter)
  explicit Hasher(const Napi::CallbackInfo& info) : ObjectWrap(info) {
    Guard(info.Env(), [&]() -> Napi::Value {
      const Options options = OptionsOf(info[0]);
      if (!options) {
        Throw(info.Env(), Status(StatusCode::kInvalidType, "a hasher is made by createHasher"));
        return Napi::Value();
      }
      hasher_ = std::make_unique<TextHasher>(options);
      info.This().As<Napi::Object>().TypeTag(&kHasherTag);
      return Napi::Value();
    });
  }

 private:
  enum class State { kOpen, kFinished, kFailed };

  Napi::Value Update(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (state_ == State::kFinished) {
        return Closed(env, "the hasher was digested or merged; create another one");
      }
      const auto update = [this](auto* text, size_t size) { Change([&] { hasher_->Update(text, size); }); };
      if (state_ == State::kFailed) return Failed(env);
      WithText(env, info[0], &scratch_, update);
      return env.Undefined();
    });
  }

  Napi::Value Digest(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    return Guard(env, [&]() -> Napi::Value {
      if (state_ == State::kFailed) return Failed(env);
      Finish();
      Simhash vote;
      const Status status = hasher_->Result(&vote);
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
      if (!HasTag(info[0], kHasherTag)) {
        Throw(env, Status(StatusCode::kInvalidType, "other must be a hasher of the same engine"));
        return Napi::Value();
      }
      Hasher* other = Unwrap(info[0].As<Napi::Object>());
      if (state_ == State::kFailed || other->state_ == State::kFailed) return Failed(env);
      Finish();
      other->Finish();
      Change([&] { hasher_->Merge(*other->hasher_); });
      return env.Undefined();
    });
  }

  void Finish() {
    if (state_ == State::kFinished) return;
    Change([this] { hasher_->Finish(); });
    state_ = State::kFinished;
  }

  // Runs a step. When it throws halfway, the hasher has a part of its text and takes no other.
  template <typename Step>
  void Change(Step&& step) {
    const State before = state_;
    state_ = State::kFailed;
    step();
    state_ = before;
  }

  static Napi::Value Failed(Napi::Env env) {
    return Closed(env, "the hasher ran out of memory before; create another one");
  }
  static Napi::Value Closed(Napi::Env env, const char* message) {
    Throw(env, Status(StatusCode::kClosed, message));
    return Napi::Value();
  }

  std::unique_ptr<TextHasher> hasher_;
  TextScratch scratch_;
  State state_ = State::kOpen;
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

  // new Fingerprinter(options)
  explicit Fingerprinter(const Napi::CallbackInfo& info) : ObjectWrap(info) {
    Guard(info.Env(), [&]() -> Napi::Value {
      options_ = ReadOptions(info.Env(), info[0]);
      if (!options_) return Napi::Value();
      hasher_ = std::make_unique<TextHasher>(options_);
      info.This().As<Napi::Object>().TypeTag(&kFingerprinterTag);
      return Napi::Value();
    });
  }

  const Options& options() const { return options_; }

 private:
  // Votes on one text; false with an exception pending on failure.
  bool Vote(Napi::Env env, Napi::Value text, Simhash* vote) {
    hasher_->Clear();
    if (!WithText(env, text, &scratch_, [this](auto* units, size_t size) { hasher_->Update(units, size); })) {
      return false;
    }
    hasher_->Finish();
    const Status status = hasher_->Result(vote);
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
      entries.reserve(hasher_->frequencies().size());
      hasher_->frequencies().ForEach(
          [&](uint64_t hash, uint64_t times) { entries.emplace_back(hash, times); });
      std::sort(entries.begin(), entries.end());
      Napi::BigUint64Array hashes = NewArray<Napi::BigUint64Array>(env, entries.size());
      Napi::Float64Array times = NewArray<Napi::Float64Array>(env, entries.size());
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
      TextFingerprints batch;
      for (uint32_t i = 0; i < count; i++) {
        Napi::HandleScope scope(env);
        Simhash vote;
        if (!Vote(env, texts[i], &vote)) return Napi::Value();
        batch.Add(vote);
      }
      return BatchValue(env, batch);
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
      return info.Env().GetInstanceData<EnvironmentData>()->hasher_class.Value().New({info.This()});
    });
  }

  Options options_;
  std::unique_ptr<TextHasher> hasher_;
  TextScratch scratch_;
};

}  // namespace

Options OptionsOf(Napi::Value value) {
  if (!HasTag(value, kFingerprinterTag)) return nullptr;
  return Fingerprinter::Unwrap(value.As<Napi::Object>())->options();
}

void RegisterFingerprinter(Napi::Env env, Napi::Object engine) {
  auto* data = env.GetInstanceData<EnvironmentData>();
  data->fingerprinter_class = Napi::Persistent(Fingerprinter::Define(env));
  data->hasher_class = Napi::Persistent(Hasher::Define(env));
  const auto create = [](const Napi::CallbackInfo& info) -> Napi::Value {
    return info.Env().GetInstanceData<EnvironmentData>()->fingerprinter_class.Value().New({info[0]});
  };
  engine.Set("createFingerprinter", Napi::Function::New(env, create, "createFingerprinter"));
}

}  // namespace neardup::binding
