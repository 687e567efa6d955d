#include "core/fingerprint/text_batch.h"

#include <algorithm>
#include <new>
#include <utility>

namespace neardup {

namespace {

constexpr size_t kBlockBytes = size_t{1} << 18;
// Units read between two looks at the flag.
constexpr size_t kStride = size_t{1} << 18;

template <typename Unit>
void ReadInStrides(const Unit* units, size_t size, const std::atomic<bool>& cancelled, TextHasher* hasher) {
  while (size > 0 && !cancelled.load(std::memory_order_relaxed)) {
    const size_t stride = std::min(size, kStride);
    hasher->Update(units, stride);
    units += stride;
    size -= stride;
  }
}

}  // namespace

char16_t* TextBatch::AddUtf16(size_t size) {
  if (size >= SIZE_MAX / sizeof(char16_t)) throw std::bad_alloc();
  return reinterpret_cast<char16_t*>(Add(size, (size + 1) * sizeof(char16_t), true));
}

uint8_t* TextBatch::AddUtf8(size_t size) {
  // A whole number of UTF-16 units, so that the next text is aligned.
  return Add(size, (size / 2 + 1) * 2, false);
}

uint8_t* TextBatch::Add(size_t size, size_t bytes, bool is_utf16) {
  if (bytes > free_bytes_) {
    const bool own_block = bytes > kBlockBytes / 4;
    const size_t block_bytes = own_block ? bytes : kBlockBytes;
    blocks_.emplace_back(new uint8_t[block_bytes]);
    if (own_block) {
      texts_.push_back({blocks_.back().get(), size, is_utf16});
      return blocks_.back().get();
    }
    free_ = blocks_.back().get();
    free_bytes_ = block_bytes;
  }
  uint8_t* room = free_;
  texts_.push_back({room, size, is_utf16});
  free_ += bytes;
  free_bytes_ -= bytes;
  return room;
}

void TextBatch::Read(size_t i, const std::atomic<bool>& cancelled, TextHasher* hasher) const {
  const Text& text = texts_[i];
  if (text.is_utf16) {
    ReadInStrides(reinterpret_cast<const char16_t*>(text.units), text.size, cancelled, hasher);
  } else {
    ReadInStrides(text.units, text.size, cancelled, hasher);
  }
}

Status HashBatch(const TextBatch& texts, std::shared_ptr<const TextOptions> options,
                 const std::atomic<bool>& cancelled, TextFingerprints* result) {
  TextHasher hasher(std::move(options));
  result->fingerprints.reserve(texts.count());
  result->features.reserve(texts.count());
  for (size_t i = 0; i < texts.count() && !cancelled.load(std::memory_order_relaxed); i++) {
    hasher.Clear();
    texts.Read(i, cancelled, &hasher);
    hasher.Finish();
    Simhash vote;
    const Status status = hasher.Result(&vote);
    if (!status.ok()) return status;
    result->Add(vote);
  }
  return Status();
}

}  // namespace neardup
