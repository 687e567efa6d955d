// Texts copied into memory of their own, and their fingerprints: what is needed to hash texts on another
// thread than the one that owns them. A batch is filled by one thread, then read by any number.
#ifndef NEARDUP_CORE_FINGERPRINT_TEXT_BATCH_H_
#define NEARDUP_CORE_FINGERPRINT_TEXT_BATCH_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/status.h"
#include "core/fingerprint/text_hasher.h"

namespace neardup {

class TextBatch {
 public:
  // Adds a text of `size` units and returns the room to write it to, with one unit more for a terminator.
  char16_t* AddUtf16(size_t size);
  uint8_t* AddUtf8(size_t size);

  size_t count() const { return texts_.size(); }
  // Feeds text i to the hasher, looking at `cancelled` now and then.
  void Read(size_t i, const std::atomic<bool>& cancelled, TextHasher* hasher) const;

 private:
  struct Text {
    const uint8_t* units;
    size_t size;
    bool is_utf16;
  };

  uint8_t* Add(size_t size, size_t bytes, bool is_utf16);

  std::vector<Text> texts_;
  // Texts stand in blocks, one after the other; a long text has a block of its own.
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
  uint8_t* free_ = nullptr;
  size_t free_bytes_ = 0;
};

// Entry i is that of text i; 0 and 0 where it has no features.
struct TextFingerprints {
  std::vector<uint64_t> fingerprints;
  std::vector<double> features;

  void Add(const Simhash& vote) {
    fingerprints.push_back(vote.features == 0 ? 0 : vote.fingerprint());
    features.push_back(static_cast<double>(vote.features));
  }
};

// Fingerprints of all texts by `options`. Ends early, with a part of them, once `cancelled` is true.
Status HashBatch(const TextBatch& texts, std::shared_ptr<const TextOptions> options,
                 const std::atomic<bool>& cancelled, TextFingerprints* result);

}  // namespace neardup

#endif  // NEARDUP_CORE_FINGERPRINT_TEXT_BATCH_H_
