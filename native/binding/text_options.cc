#include "binding/text_options.h"

#include <algorithm>
#include <string>

#include "binding/errors.h"

namespace neardup::binding {

namespace {

// The UTF-8 of a string, or nothing.
std::string Text(Napi::Value value) {
  return value.IsString() ? value.As<Napi::String>().Utf8Value() : std::string();
}

StopWords ReadStopWords(Napi::Env env, Napi::Value value) {
  StopWords words;
  if (!value.IsArray()) return words;
  auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length() && !env.IsExceptionPending(); i++) {
    Napi::HandleScope scope(env);
    const std::string word = Text(array[i]);
    words.insert(Xxh3(reinterpret_cast<const uint8_t*>(word.data()), word.size()));
  }
  return words;
}

size_t ReadWidth(Napi::Value value) {
  const double width = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : 1;
  return width >= 1 && width <= 1e6 ? static_cast<size_t>(width) : 1;
}

}  // namespace

Options ReadOptions(Napi::Env env, Napi::Value value) {
  if (!value.IsObject()) {
    Throw(env, Status(StatusCode::kInvalidType, "options must be an object"));
    return nullptr;
  }
  auto object = value.As<Napi::Object>();
  auto options = std::make_shared<TextOptions>();
  // A getter that throws leaves an exception pending, with which no further call is made.
  const auto get = [&](const char* name) {
    return env.IsExceptionPending() ? env.Undefined() : object.Get(name);
  };
  const Napi::Value unit = get("unit");
  const Napi::Value weight = get("weight");
  const Napi::Value min = get("min");
  const Napi::Value max = get("max");
  const Napi::Value stop_words = get("stopWords");
  if (env.IsExceptionPending()) return nullptr;
  const std::string weighting = Text(weight);
  options->unit = Text(unit) == "chars" ? TextOptions::Unit::kChars : TextOptions::Unit::kWords;
  options->min = ReadWidth(min);
  options->max = std::max(options->min, ReadWidth(max));
  options->weighting = weighting == "set"   ? Weighting::kSet
                       : weighting == "log" ? Weighting::kLog
                                            : Weighting::kCount;
  options->stop_words = ReadStopWords(env, stop_words);
  return env.IsExceptionPending() ? nullptr : options;
}

}  // namespace neardup::binding
