// What a code point is, from tables of one pinned Unicode version (generated into both engines by
// scripts/generate-unicode.mjs), so that no platform's Unicode data changes a fingerprint.
// Every lookup is O(1) or O(log n) in read-only data. Thread-safe.
#ifndef NEARDUP_CORE_TEXT_UNICODE_H_
#define NEARDUP_CORE_TEXT_UNICODE_H_

#include <cstddef>
#include <cstdint>

namespace neardup::unicode {

// The Unicode version of the tables.
extern const char kVersion[];

constexpr char32_t kMax = 0x10FFFF;
constexpr char32_t kReplacement = 0xFFFD;

// Flags of a record.
enum : uint8_t {
  // A letter, mark or number of a script with spaces between words.
  kWord = 1,
  // A letter, mark or number of Han, Hiragana, Katakana, Thai, Lao, Khmer or Myanmar.
  kSpaceless = 2,
  // Default_Ignorable_Code_Point: dropped.
  kIgnorable = 4,
  // Combining class 0 and NFC_Quick_Check Yes: normalizes independently of what precedes it.
  kBoundary = 8,
  // NFC_Quick_Check is No or Maybe.
  kNfcCheck = 16,
  // Folds to more than one code point (FindFullFold).
  kFullFold = 32,
};

struct Record {
  // Folded code point less the code point; 0 where kFullFold is set.
  int32_t fold_delta;
  // Canonical combining class.
  uint8_t combining_class;
  uint8_t flags;
};

struct FullFold {
  char32_t code_point;
  // Ends at the first 0.
  char32_t folded[3];
};

// A canonical mapping as UnicodeData.txt has it; `second` is 0 for a mapping to one code point.
struct Decomposition {
  char32_t code_point;
  char32_t first;
  char32_t second;
};

struct Composition {
  char32_t first;
  char32_t second;
  char32_t composite;
};

extern const Record kRecords[];
extern const uint16_t kStage1[];
extern const uint8_t kStage2[];
extern const FullFold kFullFolds[];
extern const size_t kFullFoldCount;
extern const Decomposition kDecompositions[];
extern const size_t kDecompositionCount;
extern const Composition kCompositions[];
extern const size_t kCompositionCount;

// The record of a code point, which must not be over kMax.
inline const Record& Lookup(char32_t code_point) {
  return kRecords[kStage2[kStage1[code_point >> 7] << 7 | (code_point & 127)]];
}

// The full folding of a code point whose record has kFullFold.
const FullFold& FindFullFold(char32_t code_point);

// The canonical mapping of a code point, Hangul syllables excepted; null when it has none.
const Decomposition* FindDecomposition(char32_t code_point);

// The primary composite of a pair, Hangul excepted; 0 when there is none.
char32_t FindComposite(char32_t first, char32_t second);

}  // namespace neardup::unicode

#endif  // NEARDUP_CORE_TEXT_UNICODE_H_
