#include "core/text/nfc.h"

#include <cstddef>
#include <cstdint>

#include "core/text/unicode.h"

namespace neardup {

namespace {

using unicode::Lookup;

// Hangul syllables are composed of a leading consonant, a vowel and an optional trailing consonant by
// formula.
constexpr char32_t kSyllables = 0xAC00;
constexpr char32_t kLeading = 0x1100;
constexpr char32_t kVowels = 0x1161;
constexpr char32_t kTrailing = 0x11A7;  // one before the first: index 0 is "none"
constexpr char32_t kLeadingCount = 19;
constexpr char32_t kVowelCount = 21;
constexpr char32_t kTrailingCount = 28;
constexpr char32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;

void Decompose(char32_t code_point, std::vector<char32_t>* out) {
  if (code_point - kSyllables < kSyllableCount) {
    const char32_t index = code_point - kSyllables;
    out->push_back(kLeading + index / (kVowelCount * kTrailingCount));
    out->push_back(kVowels + index / kTrailingCount % kVowelCount);
    if (index % kTrailingCount != 0) out->push_back(kTrailing + index % kTrailingCount);
    return;
  }
  const unicode::Decomposition* row = unicode::FindDecomposition(code_point);
  if (row == nullptr) {
    out->push_back(code_point);
    return;
  }
  Decompose(row->first, out);
  if (row->second != 0) Decompose(row->second, out);
}

char32_t Compose(char32_t first, char32_t second) {
  if (first - kLeading < kLeadingCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
  }
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailingCount == 0 &&
      second - kTrailing - 1 < kTrailingCount - 1) {
    return first + (second - kTrailing);
  }
  return unicode::FindComposite(first, second);
}

// Stable order by combining class of [first, last), none of which has class 0.
void OrderMarks(char32_t* first, char32_t* last, std::vector<char32_t>* scratch) {
  constexpr ptrdiff_t kInsertionLimit = 16;
  if (last - first <= kInsertionLimit) {
    for (char32_t* i = first + 1; i < last; i++) {
      const char32_t moved = *i;
      char32_t* j = i;
      for (; j > first && Lookup(j[-1]).combining_class > Lookup(moved).combining_class; j--) *j = j[-1];
      *j = moved;
    }
    return;
  }
  size_t starts[257] = {};
  for (const char32_t* i = first; i < last; i++) starts[Lookup(*i).combining_class + 1]++;
  for (size_t i = 1; i < 257; i++) starts[i] += starts[i - 1];
  scratch->assign(first, last);
  for (const char32_t mark : *scratch) first[starts[Lookup(mark).combining_class]++] = mark;
}

// Composes in place and returns the new length.
size_t ComposeAll(char32_t* text, size_t size) {
  size_t out = 0;
  size_t starter = size;  // index of the last starter written, `size` while there is none
  unsigned last_class = 0;
  for (size_t i = 0; i < size; i++) {
    const unsigned combining_class = Lookup(text[i]).combining_class;
    const bool blocked = starter == size || (out - starter > 1 && last_class >= combining_class);
    const char32_t composite = blocked ? 0 : Compose(text[starter], text[i]);
    if (composite != 0) {
      text[starter] = composite;
      continue;
    }
    if (combining_class == 0) starter = out;
    last_class = combining_class;
    text[out++] = text[i];
  }
  return out;
}

}  // namespace

void NormalizeNfc(std::vector<char32_t>* text, std::vector<char32_t>* scratch) {
  scratch->clear();
  for (const char32_t code_point : *text) Decompose(code_point, scratch);
  text->swap(*scratch);
  const size_t size = text->size();
  char32_t* data = text->data();
  for (size_t i = 0; i < size; i++) {
    if (Lookup(data[i]).combining_class == 0) continue;
    size_t end = i + 1;
    while (end < size && Lookup(data[end]).combining_class != 0) end++;
    OrderMarks(data + i, data + end, scratch);
    i = end;
  }
  text->resize(ComposeAll(data, size));
}

}  // namespace neardup
