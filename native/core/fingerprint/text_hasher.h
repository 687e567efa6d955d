// Text in, vote out: reader, tokens, features and counters of one set of options, with their working memory,
// which is reused from text to text. Takes text in chunks cut anywhere; the value is that of the whole.
// Memory is bounded, but for the longest token or run of marks and, for set and log weights, the distinct
// features. Not thread-safe.
#ifndef NEARDUP_CORE_FINGERPRINT_TEXT_HASHER_H_
#define NEARDUP_CORE_FINGERPRINT_TEXT_HASHER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/fingerprint/features.h"
#include "core/fingerprint/simhash.h"
#include "core/text/text_reader.h"
#include "core/text/token_buffer.h"
#include "core/text/tokens.h"

namespace neardup {

struct TextOptions {
  enum class Unit { kWords, kChars };

  Unit unit = Unit::kWords;
  // Features are runs of `min` to `max` units, 1 <= min <= max.
  size_t min = 1;
  size_t max = 1;
  Weighting weighting = Weighting::kCount;
  // Of kWords only.
  StopWords stop_words;
};

class TextHasher {
 public:
  explicit TextHasher(std::shared_ptr<const TextOptions> options);
  TextHasher(const TextHasher&) = delete;
  TextHasher& operator=(const TextHasher&) = delete;

  // Reads a chunk of UTF-8 (uint8_t) or UTF-16 (char16_t).
  void Update(const uint8_t* text, size_t size);
  void Update(const char16_t* text, size_t size);
  // Ends the text. Result and Merge speak of finished text only.
  void Finish();
  // Forgets everything, also after an allocation failed halfway.
  void Clear();

  // Adds the features that another hasher of the same options has finished.
  void Merge(const TextHasher& other) { vote_.Merge(other.vote_); }
  Status Result(Simhash* result) const { return vote_.Result(result); }
  const FrequencyTable& frequencies() const { return vote_.frequencies(); }

 private:
  std::shared_ptr<const TextOptions> options_;
  FeatureVote vote_;
  FeatureHasher features_;
  TokenBuffer tokens_;
  WordSink<FeatureHasher> word_sink_;
  CharSink<FeatureHasher> char_sink_;
  TextReader<WordSink<FeatureHasher>> words_;
  TextReader<CharSink<FeatureHasher>> chars_;
};

// The tokens of a text of kWords, stop words left out, separated by one space, as UTF-8.
template <typename Unit>
std::vector<uint8_t> ListTokens(const TextOptions& options, const Unit* text, size_t size) {
  struct KeepAll {
    void Take(TokenBuffer*) {}
  } keep_all;
  TokenBuffer tokens(1);
  WordSink<KeepAll> sink(&tokens, &options.stop_words, &keep_all);
  TextReader<WordSink<KeepAll>> reader(&sink);
  reader.Read(text, size);
  reader.Finish();
  sink.Finish();
  const size_t end = tokens.count() == 0 ? 0 : tokens.End(tokens.count() - 1);
  return std::vector<uint8_t>(tokens.data(), tokens.data() + end);
}

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_TEXT_HASHER_H_
