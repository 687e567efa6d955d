#include "core/fingerprint/text_hasher.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using neardup::Simhash;
using neardup::Status;
using neardup::TextHasher;
using neardup::TextOptions;
using neardup::Weighting;

namespace {

std::shared_ptr<const TextOptions> Options(TextOptions::Unit unit, size_t min, size_t max,
                                           Weighting weighting) {
  auto options = std::make_shared<TextOptions>();
  options->unit = unit;
  options->min = min;
  options->max = max;
  options->weighting = weighting;
  return options;
}

const uint8_t* Bytes(const std::string& text) { return reinterpret_cast<const uint8_t*>(text.data()); }

Simhash Finish(TextHasher* hasher) {
  hasher->Finish();
  Simhash vote;
  REQUIRE(hasher->Result(&vote).ok());
  return vote;
}

Simhash HashWhole(TextHasher* hasher, const std::string& text) {
  hasher->Clear();
  hasher->Update(Bytes(text), text.size());
  return Finish(hasher);
}

std::string TokensOf(const std::string& text) {
  const std::vector<uint8_t> bytes = neardup::ListTokens(TextOptions(), Bytes(text), text.size());
  return std::string(bytes.begin(), bytes.end());
}

std::string RandomText(std::mt19937* random, size_t pieces) {
  static const std::string kPieces[] = {"a",
                                        "Bc",
                                        "def ",
                                        ", ",
                                        "\xC3\xA9",
                                        "e\xCC\x81",
                                        "\xE6\x9D\xB1",
                                        " ",
                                        "\xCC\xA3",
                                        "\xF0\x9F\x98\x80",
                                        "\xC2\xAD",
                                        "\xFF",
                                        "0123456789012345678901234567890123456789012345678901234567890123"};
  std::string text;
  for (size_t i = 0; i < pieces; i++) text += kPieces[(*random)() % std::size(kPieces)];
  return text;
}

}  // namespace

TEST_CASE("tokens are folded runs with one space between") {
  CHECK(TokensOf("The quick-BROWN\n\nfox; 42") == "the quick brown fox 42");
  CHECK(TokensOf("cafe\xCC\x81 caf\xC3\xA9 Stra\xC3\x9F"
                 "e") == "caf\xC3\xA9 caf\xC3\xA9 strasse");
  CHECK(TokensOf("x\xE6\x9D\xB1\xE4\xBA\xAC\xE9\x83\xBDy \xE6\x9D\xB1") ==
        "x \xE6\x9D\xB1\xE4\xBA\xAC \xE4\xBA\xAC\xE9\x83\xBD y \xE6\x9D\xB1");
  CHECK(TokensOf(" .,") == "");
}

TEST_CASE("a vote is the sum over the features") {
  TextHasher words(Options(TextOptions::Unit::kWords, 2, 2, Weighting::kCount));
  const Simhash got = HashWhole(&words, "a b a b c");
  const std::string features[] = {"a b", "b a", "a b", "b c"};
  uint64_t sums[64] = {};
  for (const std::string& feature : features) {
    const uint64_t hash = neardup::Xxh3(Bytes(feature), feature.size());
    for (int i = 0; i < 64; i++) sums[i] += (hash >> i & 1) * neardup::kWeightSteps;
  }
  CHECK(got.features == 4);
  CHECK(got.total == 4 * neardup::kWeightSteps);
  for (int i = 0; i < 64; i++) CHECK(got.sums[i] == sums[i]);
}

TEST_CASE("a text shorter than the shingle is one feature") {
  TextHasher words(Options(TextOptions::Unit::kWords, 3, 4, Weighting::kCount));
  const std::string joined = "a b";
  CHECK(HashWhole(&words, "A, b").features == 1);
  CHECK(HashWhole(&words, "A, b").fingerprint() == neardup::Xxh3(Bytes(joined), joined.size()));
  CHECK(HashWhole(&words, "a b c").features == 1);
  CHECK(HashWhole(&words, "a b c d").features == 3);
  CHECK(HashWhole(&words, "--").features == 0);
}

TEST_CASE("weights are 1, tf or 1 + ln tf") {
  CHECK(neardup::LogWeight(1) == 65536);
  CHECK(neardup::LogWeight(2) == 65536 + 45426);
  CHECK(neardup::LogWeight(4096) == 610649);
  uint64_t last = 0;
  for (uint64_t tf = 1; tf < 100000; tf++) {
    const uint64_t weight = neardup::LogWeight(tf);
    const double exact = 65536 * (1 + std::log(static_cast<double>(tf)));
    // The table is rounded; beyond it halving loses at most one part in 2048.
    CHECK_MESSAGE(std::fabs(static_cast<double>(weight) - exact) <= (tf <= 4096 ? 0.5 : 34), tf);
    CHECK_MESSAGE(weight + 1 >= last, tf);
    last = weight;
  }
  TextHasher set(Options(TextOptions::Unit::kWords, 1, 1, Weighting::kSet));
  CHECK(HashWhole(&set, "a b a a").total == 2 * neardup::kWeightSteps);
  TextHasher log(Options(TextOptions::Unit::kWords, 1, 1, Weighting::kLog));
  CHECK(HashWhole(&log, "a b a a").total == neardup::LogWeight(1) + neardup::LogWeight(3));
}

TEST_CASE("chunks give the value of the whole, and a hasher can be used again") {
  std::mt19937 random(7);
  TextHasher whole(Options(TextOptions::Unit::kWords, 1, 3, Weighting::kLog));
  TextHasher pieces(Options(TextOptions::Unit::kWords, 1, 3, Weighting::kLog));
  TextHasher whole_chars(Options(TextOptions::Unit::kChars, 4, 4, Weighting::kCount));
  TextHasher char_pieces(Options(TextOptions::Unit::kChars, 4, 4, Weighting::kCount));
  for (int round = 0; round < 300; round++) {
    const std::string text = RandomText(&random, random() % 400);
    pieces.Clear();
    char_pieces.Clear();
    for (size_t at = 0; at < text.size();) {
      const size_t size = std::min<size_t>(text.size() - at, random() % 90);
      pieces.Update(Bytes(text) + at, size);
      char_pieces.Update(Bytes(text) + at, size);
      at += size;
    }
    const Simhash a = HashWhole(&whole, text);
    const Simhash b = Finish(&pieces);
    const Simhash c = HashWhole(&whole_chars, text);
    const Simhash d = Finish(&char_pieces);
    CHECK(a.features == b.features);
    CHECK(a.fingerprint() == b.fingerprint());
    CHECK(c.features == d.features);
    CHECK(c.fingerprint() == d.fingerprint());
  }
}

TEST_CASE("weights that sum to over 2^37 are refused") {
  const uint64_t hashes[] = {1, 2};
  const double fits[] = {137438953471.0, 1.0};
  const double heavy[] = {137438953472.0, 0.00001};
  Simhash vote;
  CHECK(neardup::VoteWeighted(hashes, fits, 2, &vote).ok());
  CHECK(vote.fingerprint() == 1);
  CHECK(neardup::VoteWeighted(hashes, heavy, 2, &vote).code() == neardup::StatusCode::kOutOfRange);
}
