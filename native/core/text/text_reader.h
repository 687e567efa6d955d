// Reads text in chunks cut anywhere and hands its folded code points to a sink: decodes UTF-8 or UTF-16,
// normalizes to NFC, drops Default_Ignorable code points, folds case fully. ASCII goes to the sink in blocks.
// Between chunks it keeps an unfinished sequence and the last normalization piece (a base and its marks).
// O(n). Not thread-safe.
//
// The sink has Ascii(const AsciiBlock&, size_t n), for the first n units of a block, and
// CodePoint(char32_t folded, uint8_t flags), with the code point's class in the flags.
#ifndef NEARDUP_CORE_TEXT_TEXT_READER_H_
#define NEARDUP_CORE_TEXT_TEXT_READER_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/text/ascii.h"
#include "core/text/nfc.h"
#include "core/text/unicode.h"
#include "core/text/utf.h"

namespace neardup {

template <typename Sink>
class TextReader {
 public:
  explicit TextReader(Sink* sink) : sink_(sink) {}

  // Reads a chunk: uint8_t units are UTF-8, char16_t units UTF-16.
  template <typename Unit>
  void Read(const Unit* p, size_t size) {
    const Unit* end = p + size;
    if (pending_size_ > 0 && p != end) p = ResumeSequence(p, end);
    while (p != end) {
      if (*p < 0x80) {
        p = ReadAscii(p, end);
        continue;
      }
      const utf::Decoded decoded = utf::Decode(p, end);
      if (decoded.size == 0) {
        SetPending(p, end - p);
        return;
      }
      Push(decoded.code_point);
      p += decoded.size;
    }
  }

  // Ends the text; the reader is then ready for another.
  void Finish() {
    DropSequence();
    FlushPiece();
    constexpr size_t kKept = size_t{1} << 16;
    if (piece_.capacity() > kKept) std::vector<char32_t>().swap(piece_);
    if (scratch_.capacity() > kKept) std::vector<char32_t>().swap(scratch_);
  }

  // Forgets a text that was not finished.
  void Clear() {
    pending_size_ = 0;
    piece_.clear();
    must_normalize_ = false;
  }

 private:
  // The last ASCII unit before anything that could be a mark begins a piece of its own and is held back.
  template <typename Unit>
  const Unit* ReadAscii(const Unit* p, const Unit* end) {
    FlushPiece();
    for (;;) {
      ScanAscii(p, end, &block_);
      const Unit* next = p + block_.size;
      if (next != end && *next < 0x80) {
        sink_->Ascii(block_, block_.size);
        p = next;
        continue;
      }
      if (block_.size > 1) sink_->Ascii(block_, block_.size - 1);
      Push(next[-1]);
      return next;
    }
  }

  void Push(char32_t code_point) {
    const unicode::Record& record = unicode::Lookup(code_point);
    if (record.flags & unicode::kBoundary) {
      FlushPiece();
    } else {
      // Yes to the quick check and marks in order: the piece is normalized as it stands.
      if (record.flags & unicode::kNfcCheck) must_normalize_ = true;
      if (record.combining_class != 0 && last_class_ > record.combining_class) must_normalize_ = true;
    }
    last_class_ = record.combining_class;
    piece_.push_back(code_point);
  }

  void FlushPiece() {
    if (must_normalize_) {
      NormalizeNfc(&piece_, &scratch_);
      must_normalize_ = false;
    }
    for (const char32_t code_point : piece_) Emit(code_point);
    piece_.clear();
  }

  void Emit(char32_t code_point) {
    const unicode::Record& record = unicode::Lookup(code_point);
    if (record.flags & unicode::kIgnorable) return;
    if (record.flags & unicode::kFullFold) {
      const unicode::FullFold& fold = unicode::FindFullFold(code_point);
      for (size_t i = 0; i < 3 && fold.folded[i] != 0; i++) sink_->CodePoint(fold.folded[i], record.flags);
      return;
    }
    sink_->CodePoint(code_point + static_cast<char32_t>(record.fold_delta), record.flags);
  }

  template <typename Unit>
  void SetPending(const Unit* p, size_t size) {
    for (size_t i = 0; i < size; i++) pending_[i] = p[i];
    pending_size_ = size;
    pending_is_utf8_ = std::is_same<Unit, uint8_t>::value;
  }

  // Completes the sequence that the last chunk began; returns where reading goes on.
  template <typename Unit>
  const Unit* ResumeSequence(const Unit* p, const Unit* end) {
    if (pending_is_utf8_ != std::is_same<Unit, uint8_t>::value) {
      DropSequence();
      return p;
    }
    Unit units[2 * utf::kMaxUnits];
    size_t size = 0;
    for (; size < pending_size_; size++) units[size] = static_cast<Unit>(pending_[size]);
    for (const Unit* next = p; next != end && size < utf::kMaxUnits; next++) units[size++] = *next;
    const utf::Decoded decoded = utf::Decode(units, units + size);
    if (decoded.size == 0) {
      SetPending(units, size);
      return end;
    }
    p += decoded.size - pending_size_;
    pending_size_ = 0;
    Push(decoded.code_point);
    return p;
  }

  // A sequence that ends with the text (or where the encoding changes) is one U+FFFD.
  void DropSequence() {
    if (pending_size_ > 0) Push(unicode::kReplacement);
    pending_size_ = 0;
  }

  Sink* sink_;
  AsciiBlock block_ = {};
  std::vector<char32_t> piece_;
  std::vector<char32_t> scratch_;
  bool must_normalize_ = false;
  uint8_t last_class_ = 0;
  char16_t pending_[utf::kMaxUnits] = {};
  size_t pending_size_ = 0;
  bool pending_is_utf8_ = false;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_TEXT_TEXT_READER_H_
