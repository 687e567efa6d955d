#include "core/text/utf.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using neardup::utf::Decode;
using neardup::utf::Decoded;
using neardup::utf::Encode;

namespace {

// Decodes all; an unfinished sequence at the end is one U+FFFD.
template <typename Unit>
std::vector<char32_t> DecodeAll(const std::vector<Unit>& units) {
  std::vector<char32_t> out;
  const Unit* end = units.data() + units.size();
  for (const Unit* p = units.data(); p != end;) {
    const Decoded decoded = Decode(p, end);
    out.push_back(decoded.size == 0 ? 0xFFFD : decoded.code_point);
    p = decoded.size == 0 ? end : p + decoded.size;
  }
  return out;
}

using Bytes = std::vector<uint8_t>;
using Units = std::vector<char16_t>;
using CodePoints = std::vector<char32_t>;

}  // namespace

TEST_CASE("every scalar value goes through UTF-8 and UTF-16 unchanged") {
  bool same = true;
  for (char32_t cp = 0; cp <= 0x10FFFF; cp++) {
    if (cp >= 0xD800 && cp <= 0xDFFF) continue;
    uint8_t bytes[4];
    const size_t size = Encode(cp, bytes);
    const Decoded utf8 = Decode(bytes, bytes + size);
    same = same && utf8.code_point == cp && utf8.size == size;
    char16_t units[2] = {static_cast<char16_t>(cp), 0};
    if (cp > 0xFFFF) {
      units[0] = static_cast<char16_t>(0xD7C0 + (cp >> 10));
      units[1] = static_cast<char16_t>(0xDC00 + (cp & 0x3FF));
    }
    const Decoded utf16 = Decode(units, units + 2);
    same = same && utf16.code_point == cp && utf16.size == (cp > 0xFFFF ? 2u : 1u);
  }
  CHECK(same);
}

TEST_CASE("invalid UTF-8 gives U+FFFD for each maximal subpart") {
  // The Unicode Standard 15.0, section 3.9, tables 3-8 to 3-11.
  CHECK(DecodeAll(Bytes{0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41}) ==
        CodePoints{0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41});
  CHECK(DecodeAll(Bytes{0xED, 0xA0, 0x80, 0xED, 0xBF, 0xBF, 0xED, 0xAF, 0x41}) ==
        CodePoints{0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41});
  CHECK(DecodeAll(Bytes{0xF4, 0x91, 0x92, 0x93, 0xFF, 0x41, 0x80, 0xBF, 0x42}) ==
        CodePoints{0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41, 0xFFFD, 0xFFFD, 0x42});
  CHECK(DecodeAll(Bytes{0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41}) ==
        CodePoints{0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41});
}

TEST_CASE("an unfinished sequence asks for more") {
  const Bytes bytes = {0xF0, 0x9F, 0x98};
  CHECK(Decode(bytes.data(), bytes.data() + 3).size == 0);
  const Units units = {0xD83D};
  CHECK(Decode(units.data(), units.data() + 1).size == 0);
}

TEST_CASE("a lone surrogate is U+FFFD") {
  CHECK(DecodeAll(Units{0xD83D, 'a', 0xDE00, 0xD83D, 0xD83D, 0xDE00}) ==
        CodePoints{0xFFFD, 'a', 0xFFFD, 0xFFFD, 0x1F600});
}
