// Normalization Form C of one piece of text (UAX #15): decompose, order the marks, compose. O(n) for any
// input, a long run of marks included. A piece begins at a code point with unicode::kBoundary and holds none
// after it, or is any whole text. Thread-safe: no state.
#ifndef NEARDUP_CORE_TEXT_NFC_H_
#define NEARDUP_CORE_TEXT_NFC_H_

#include <vector>

namespace neardup {

// Replaces `text` by its NFC form; `scratch` is working space that keeps its capacity between calls.
void NormalizeNfc(std::vector<char32_t>* text, std::vector<char32_t>* scratch);

}  // namespace neardup

#endif  // NEARDUP_CORE_TEXT_NFC_H_
