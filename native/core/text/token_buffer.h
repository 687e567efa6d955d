// Tokens of folded text as one run of UTF-8 bytes, with `gap` bytes between two of them (one space between
// words, nothing between the code points of `chars`). A shingle of consecutive tokens is thus one slice of
// bytes. Holds the tokens not yet used and the last few before them; memory is that of what it holds. Not
// thread-safe.
#ifndef NEARDUP_CORE_TEXT_TOKEN_BUFFER_H_
#define NEARDUP_CORE_TEXT_TOKEN_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace neardup {

class TokenBuffer {
 public:
  explicit TokenBuffer(size_t gap) : gap_(gap), bytes_(1024), ends_(256) {}

  // Tokens that are complete. Bytes after the last one belong to the token being written.
  size_t count() const { return count_; }
  // 8 bytes can be read at any token.
  const uint8_t* data() const { return bytes_.data(); }
  // Where token i begins; i may be count(), the token being written.
  size_t Start(size_t i) const { return i == 0 ? 0 : ends_[i - 1] + gap_; }
  size_t End(size_t i) const { return ends_[i]; }
  // Bytes written of the token not yet complete.
  size_t open_size() const { return used_ - Start(count_); }
  const uint8_t* open_data() const { return bytes_.data() + Start(count_); }

  // Makes room for `bytes` more bytes and `tokens` more tokens.
  void Reserve(size_t bytes, size_t tokens) {
    if (bytes_.size() - used_ < bytes + 8) bytes_.resize(2 * bytes_.size() + bytes);
    if (ends_.size() - count_ < tokens) ends_.resize(2 * ends_.size() + tokens);
  }

  // Appends to the open token. Room for size + 16 bytes is reserved; 16 bytes can be read at `from`.
  void AppendShort(const uint8_t* from, size_t size) {
    uint8_t* to = bytes_.data() + used_;
    std::memcpy(to, from, 16);
    if (size > 16) std::memcpy(to + 16, from + 16, size - 16);
    used_ += size;
  }
  void Append(const uint8_t* from, size_t size) {
    std::memcpy(bytes_.data() + used_, from, size);
    used_ += size;
  }
  void Append(uint8_t byte) { bytes_[used_++] = byte; }

  // Appends a token of one byte for each of `size` bytes, where no token is open and the gap is 0; room for
  // them is reserved.
  void AppendSingles(const uint8_t* from, size_t size) {
    size_t* ends = ends_.data() + count_;
    const size_t used = used_;
    for (size_t i = 0; i < size; i++) ends[i] = used + i + 1;
    Append(from, size);
    count_ += size;
  }
  // Whether every token is one byte and the gap is 0, so that token i is byte i.
  bool AllSingle() const { return gap_ == 0 && count_ > 0 && ends_[count_ - 1] == count_; }

  // Completes the open token; room for its gap and its end is reserved.
  void Close() {
    ends_[count_++] = used_;
    bytes_[used_] = ' ';
    used_ += gap_;
  }
  // Forgets the open token.
  void Drop() { used_ = Start(count_); }

  // Forgets all complete tokens but the last `keep`.
  void Keep(size_t keep) {
    const size_t from = count_ - keep;
    const size_t start = Start(from);
    std::memmove(bytes_.data(), bytes_.data() + start, used_ - start);
    used_ -= start;
    for (size_t i = 0; i < keep; i++) ends_[i] = ends_[from + i] - start;
    count_ = keep;
  }

  // Forgets everything, and gives back the memory of an unusually long text.
  void Clear() {
    constexpr size_t kKept = size_t{1} << 20;
    used_ = 0;
    count_ = 0;
    if (bytes_.size() > kKept) std::vector<uint8_t>(1024).swap(bytes_);
    if (ends_.size() > kKept) std::vector<size_t>(256).swap(ends_);
  }

 private:
  size_t gap_;
  size_t used_ = 0;
  size_t count_ = 0;
  std::vector<uint8_t> bytes_;
  std::vector<size_t> ends_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_TEXT_TOKEN_BUFFER_H_
