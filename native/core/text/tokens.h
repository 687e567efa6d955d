// Sinks of TextReader that write tokens into a TokenBuffer and hand full buffers on. Not thread-safe.
//
// Words: runs of letters, marks and numbers. In scripts without spaces between words a run gives its bigrams
// of code points, a run of one that code point; such a run and a word next to it are separate. Everything
// else separates. Chars: each code point is a token; a run of separators is one space, none at either end.
#ifndef NEARDUP_CORE_TEXT_TOKENS_H_
#define NEARDUP_CORE_TEXT_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_set>

#include "core/fingerprint/xxh3.h"
#include "core/text/ascii.h"
#include "core/text/token_buffer.h"
#include "core/text/unicode.h"
#include "core/text/utf.h"

namespace neardup {

// Words to be left out, by the XXH3-64 of their folded UTF-8.
using StopWords = std::unordered_set<uint64_t>;

// Tokens gathered before they are handed on.
constexpr size_t kTokenBatch = 1024;

// `Consumer` has Take(TokenBuffer*), which is called now and then and may forget tokens.
template <typename Consumer>
class WordSink {
 public:
  WordSink(TokenBuffer* tokens, const StopWords* stop_words, Consumer* consumer)
      : tokens_(tokens), stop_words_(stop_words->empty() ? nullptr : stop_words), consumer_(consumer) {}

  void Ascii(const AsciiBlock& block, size_t n) {
    const uint64_t word = block.word & LowBits(n);
    if (run_ == Run::kSpaceless || (run_ == Run::kWord && !(word & 1))) EndRun();
    tokens_->Reserve(2 * kAsciiBlock + 16, kAsciiBlock);
    const uint64_t last = uint64_t{1} << (n - 1);
    uint64_t starts = word & ~(word << 1);
    uint64_t ends = word & ~(word >> 1) & ~last;
    for (; ends != 0; ends &= ends - 1, starts &= starts - 1) {
      const unsigned start = CountTrailingZeros64(starts);
      tokens_->AppendShort(block.folded + start, CountTrailingZeros64(ends) + 1 - start);
      Close();
    }
    run_ = Run::kNone;
    if (starts != 0) {
      const unsigned start = CountTrailingZeros64(starts);
      tokens_->AppendShort(block.folded + start, n - start);
      run_ = Run::kWord;
    }
    HandOn();
  }

  void CodePoint(char32_t folded, uint8_t flags) {
    uint8_t bytes[4];
    if (flags & unicode::kWord) {
      if (run_ == Run::kSpaceless) EndRun();
      run_ = Run::kWord;
      tokens_->Reserve(8, 2);
      tokens_->Append(bytes, utf::Encode(folded, bytes));
    } else if (flags & unicode::kSpaceless) {
      if (run_ == Run::kWord) EndRun();
      run_ = Run::kSpaceless;
      tokens_->Reserve(16, 2);
      const size_t size = utf::Encode(folded, bytes);
      const bool bigram = previous_size_ > 0;
      if (bigram) {
        tokens_->Append(previous_, previous_size_);
        tokens_->Append(bytes, size);
        Close();
      }
      previous_is_unigram_ = !bigram;
      std::memcpy(previous_, bytes, sizeof previous_);
      previous_size_ = size;
      HandOn();
    } else {
      EndRun();
    }
  }

  // Ends the text; the sink is then ready for another.
  void Finish() { EndRun(); }
  // Forgets a text that was not finished.
  void Clear() {
    run_ = Run::kNone;
    previous_size_ = 0;
  }

 private:
  enum class Run { kNone, kWord, kSpaceless };

  void EndRun() {
    tokens_->Reserve(16, 2);
    if (run_ == Run::kWord) {
      Close();
    } else if (run_ == Run::kSpaceless) {
      if (previous_is_unigram_) {
        tokens_->Append(previous_, previous_size_);
        Close();
      }
      previous_size_ = 0;
    }
    run_ = Run::kNone;
    HandOn();
  }

  void Close() {
    if (stop_words_ != nullptr && stop_words_->count(Xxh3(tokens_->open_data(), tokens_->open_size())) > 0) {
      tokens_->Drop();
    } else {
      tokens_->Close();
    }
  }

  void HandOn() {
    if (tokens_->count() >= kTokenBatch) consumer_->Take(tokens_);
  }

  TokenBuffer* tokens_;
  const StopWords* stop_words_;
  Consumer* consumer_;
  Run run_ = Run::kNone;
  // The last code point of a run of a script without spaces, as UTF-8.
  uint8_t previous_[4] = {};
  size_t previous_size_ = 0;
  bool previous_is_unigram_ = false;
};

template <typename Consumer>
class CharSink {
 public:
  CharSink(TokenBuffer* tokens, Consumer* consumer) : tokens_(tokens), consumer_(consumer) {}

  void Ascii(const AsciiBlock& block, size_t n) {
    const uint64_t word = block.word & LowBits(n);
    if (word == 0) {
      separated_ = true;
      return;
    }
    // What is in words, one space between two runs; a run is copied 16 bytes at a time.
    uint8_t kept[kAsciiBlock + 1 + 16];
    size_t size = 0;
    uint64_t starts = word & ~(word << 1);
    uint64_t ends = word & ~(word >> 1);
    bool separated = started_ && (separated_ || !(word & 1));
    for (; ends != 0; ends &= ends - 1, starts &= starts - 1) {
      const unsigned start = CountTrailingZeros64(starts);
      const unsigned length = CountTrailingZeros64(ends) + 1 - start;
      kept[size] = ' ';
      size += separated;
      std::memcpy(kept + size, block.folded + start, 16);
      if (length > 16) std::memcpy(kept + size + 16, block.folded + start + 16, length - 16);
      size += length;
      separated = true;
    }
    tokens_->Reserve(size, size);
    tokens_->AppendSingles(kept, size);
    started_ = true;
    separated_ = !(word >> (n - 1) & 1);
    HandOn();
  }

  void CodePoint(char32_t folded, uint8_t flags) {
    if (!(flags & (unicode::kWord | unicode::kSpaceless))) {
      separated_ = true;
      return;
    }
    uint8_t bytes[4];
    tokens_->Reserve(8, 2);
    Separate();
    tokens_->Append(bytes, utf::Encode(folded, bytes));
    tokens_->Close();
    HandOn();
  }

  // Ends the text; the sink is then ready for another.
  void Finish() { Clear(); }
  // Forgets a text that was not finished.
  void Clear() {
    started_ = false;
    separated_ = false;
  }

 private:
  void Separate() {
    if (separated_ && started_) {
      tokens_->Append(static_cast<uint8_t>(' '));
      tokens_->Close();
    }
    started_ = true;
    separated_ = false;
  }

  void HandOn() {
    if (tokens_->count() >= kTokenBatch) consumer_->Take(tokens_);
  }

  TokenBuffer* tokens_;
  Consumer* consumer_;
  // A character has been written; separators stand between it and the next.
  bool started_ = false;
  bool separated_ = false;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_TEXT_TOKENS_H_
