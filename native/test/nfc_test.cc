#include "core/text/nfc.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "core/text/unicode.h"

namespace {

using CodePoints = std::vector<char32_t>;

CodePoints Nfc(CodePoints text) {
  CodePoints scratch;
  neardup::NormalizeNfc(&text, &scratch);
  return text;
}

CodePoints ParseField(const std::string& field) {
  CodePoints out;
  std::istringstream words(field);
  for (std::string word; words >> word;) out.push_back(static_cast<char32_t>(std::stoul(word, nullptr, 16)));
  return out;
}

}  // namespace

TEST_CASE("NFC passes the committed part of NormalizationTest.txt") {
  const std::string here = __FILE__;
  std::ifstream file(here.substr(0, here.rfind("native")) + "test/text/normalization-sample.txt");
  REQUIRE(file);
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    CAPTURE(line);
    std::istringstream fields(line);
    std::string source, nfc, nfd;
    std::getline(fields, source, ';');
    std::getline(fields, nfc, ';');
    std::getline(fields, nfd, ';');
    const CodePoints expected = ParseField(nfc);
    CHECK(Nfc(ParseField(source)) == expected);
    CHECK(Nfc(expected) == expected);
    CHECK(Nfc(ParseField(nfd)) == expected);
    checked++;
  }
  CHECK(checked == 501);
}

TEST_CASE("Hangul composes by formula") {
  for (char32_t syllable = 0xAC00; syllable < 0xD7A4; syllable += 7) {
    CHECK(Nfc({syllable}) == CodePoints{syllable});
  }
  CHECK(Nfc({0x1112, 0x1161, 0x11AB}) == CodePoints{0xD55C});
  CHECK(Nfc({0xAC00, 0x11A7}) == CodePoints{0xAC00, 0x11A7});
}

TEST_CASE("marks are ordered stably, in short runs and long ones") {
  for (const size_t pairs : {3, 500000}) {
    CodePoints text = {0x78};
    for (size_t i = 0; i < pairs; i++) {
      text.push_back(i % 2 == 0 ? 0x301 : 0x302);  // both of class 230: their order stays
      text.push_back(0x323);                       // class 220: goes first
    }
    const CodePoints got = Nfc(text);
    REQUIRE(got.size() == 2 * pairs + 1);
    CHECK(std::count(got.begin() + 1, got.begin() + 1 + pairs, char32_t{0x323}) ==
          static_cast<ptrdiff_t>(pairs));
    CHECK(got[pairs + 1] == 0x301);
    CHECK(got[pairs + 2] == 0x302);
    CHECK(got[pairs + 3] == 0x301);
  }
}

TEST_CASE("the tables are of the pinned version") {
  CHECK(std::string(neardup::unicode::kVersion) == "15.0.0");
  CHECK(neardup::unicode::Lookup('A').fold_delta == 32);
  CHECK((neardup::unicode::Lookup(0x4E00).flags & neardup::unicode::kSpaceless) != 0);
  CHECK((neardup::unicode::Lookup(0xAD).flags & neardup::unicode::kIgnorable) != 0);
  CHECK(neardup::unicode::Lookup(0x10FFFF).flags == neardup::unicode::kBoundary);
  // U+1E030 is new in Unicode 15.
  CHECK((neardup::unicode::Lookup(0x1E030).flags & neardup::unicode::kWord) != 0);
}
