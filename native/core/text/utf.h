// Decoding of UTF-8 and UTF-16, one code point at a time, as the Encoding Standard's TextDecoder does it:
// each maximal invalid subpart of UTF-8 and each lone surrogate is one U+FFFD. Encoding to UTF-8.
// Thread-safe: no state.
#ifndef NEARDUP_CORE_TEXT_UTF_H_
#define NEARDUP_CORE_TEXT_UTF_H_

#include <cstddef>
#include <cstdint>

#include "core/text/unicode.h"

namespace neardup::utf {

struct Decoded {
  char32_t code_point;
  // Units read; 0 when the input ends inside a sequence that more units could complete.
  size_t size;
};

// The longest sequence in units: what a reader must keep between chunks is one unit less.
constexpr size_t kMaxUnits = 4;

// Decodes at p < end.
inline Decoded Decode(const uint8_t* p, const uint8_t* end) {
  const uint8_t lead = p[0];
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {unicode::kReplacement, 1};
  const size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code_point = lead & (0x7F >> size);
  // The second byte's range excludes overlong forms, surrogates and values over U+10FFFF.
  uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < size; i++) {
    if (p + i == end) return {0, 0};
    if (p[i] < low || p[i] > high) return {unicode::kReplacement, i};
    code_point = code_point << 6 | (p[i] & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, size};
}

inline Decoded Decode(const char16_t* p, const char16_t* end) {
  const char16_t unit = p[0];
  if (unit < 0xD800 || unit > 0xDFFF) return {unit, 1};
  if (unit > 0xDBFF) return {unicode::kReplacement, 1};
  if (p + 1 == end) return {0, 0};
  if (p[1] < 0xDC00 || p[1] > 0xDFFF) return {unicode::kReplacement, 1};
  return {0x10000 + (static_cast<char32_t>(unit - 0xD800) << 10) + (p[1] - 0xDC00u), 2};
}

// Writes 1 to 4 bytes at `out` and returns how many. `code_point` is a scalar value.
inline size_t Encode(char32_t code_point, uint8_t* out) {
  if (code_point < 0x80) {
    out[0] = static_cast<uint8_t>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<uint8_t>(0xC0 | code_point >> 6);
    out[1] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<uint8_t>(0xE0 | code_point >> 12);
    out[1] = static_cast<uint8_t>(0x80 | (code_point >> 6 & 0x3F));
    out[2] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
    return 3;
  }
  out[0] = static_cast<uint8_t>(0xF0 | code_point >> 18);
  out[1] = static_cast<uint8_t>(0x80 | (code_point >> 12 & 0x3F));
  out[2] = static_cast<uint8_t>(0x80 | (code_point >> 6 & 0x3F));
  out[3] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
  return 4;
}

}  // namespace neardup::utf

#endif  // NEARDUP_CORE_TEXT_UTF_H_
