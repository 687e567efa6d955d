#include "core/fingerprint/text_hasher.h"

#include <utility>

namespace neardup {

TextHasher::TextHasher(std::shared_ptr<const TextOptions> options)
    : options_(std::move(options)),
      vote_(options_->weighting),
      features_(options_->min, options_->max, &vote_),
      tokens_(options_->unit == TextOptions::Unit::kWords ? 1 : 0),
      word_sink_(&tokens_, &options_->stop_words, &features_),
      char_sink_(&tokens_, &features_),
      words_(&word_sink_),
      chars_(&char_sink_) {}

void TextHasher::Update(const uint8_t* text, size_t size) {
  if (options_->unit == TextOptions::Unit::kWords) {
    words_.Read(text, size);
  } else {
    chars_.Read(text, size);
  }
}

void TextHasher::Update(const char16_t* text, size_t size) {
  if (options_->unit == TextOptions::Unit::kWords) {
    words_.Read(text, size);
  } else {
    chars_.Read(text, size);
  }
}

void TextHasher::Finish() {
  if (options_->unit == TextOptions::Unit::kWords) {
    words_.Finish();
    word_sink_.Finish();
  } else {
    chars_.Finish();
    char_sink_.Finish();
  }
  features_.Finish(&tokens_);
}

void TextHasher::Clear() {
  vote_.Clear();
  features_.Clear();
  tokens_.Clear();
  word_sink_.Clear();
  char_sink_.Clear();
  words_.Clear();
  chars_.Clear();
}

}  // namespace neardup
