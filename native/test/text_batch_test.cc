#include "core/fingerprint/text_batch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "test/refuse_memory.h"

namespace {

using neardup::HashBatch;
using neardup::Simhash;
using neardup::TextBatch;
using neardup::TextFingerprints;
using neardup::TextHasher;
using neardup::TextOptions;

std::shared_ptr<const TextOptions> LogWords() {
  auto options = std::make_shared<TextOptions>();
  options->weighting = neardup::Weighting::kLog;
  return options;
}

// Texts of sizes around those at which blocks and strides end.
std::vector<std::string> Texts() {
  std::vector<std::string> texts;
  for (size_t size : {0, 1, 2, 3, 1000, 32765, 32766, 32767, 65535, 65536, 262143, 262144, 262145, 600000}) {
    std::string text;
    while (text.size() < size) text += "word" + std::to_string(text.size() % 977) + " ";
    text.resize(size);
    texts.push_back(text);
  }
  return texts;
}

TextBatch Copy(const std::vector<std::string>& texts) {
  TextBatch batch;
  for (size_t i = 0; i < texts.size(); i++) {
    const std::string& text = texts[i];
    if (i % 2 == 0) {
      std::copy(text.begin(), text.end(), batch.AddUtf8(text.size()));
    } else {
      char16_t* room = batch.AddUtf16(text.size());
      std::copy(text.begin(), text.end(), room);
      room[text.size()] = 0;
    }
  }
  return batch;
}

TextFingerprints Expected(const std::vector<std::string>& texts) {
  TextFingerprints expected;
  for (const std::string& text : texts) {
    TextHasher hasher(LogWords());
    hasher.Update(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    hasher.Finish();
    Simhash vote;
    REQUIRE(hasher.Result(&vote).ok());
    expected.Add(vote);
  }
  return expected;
}

TEST_CASE("a batch gives the fingerprints of its texts, on any number of threads" *
          doctest::test_suite("threads")) {
  const std::vector<std::string> texts = Texts();
  const TextBatch batch = Copy(texts);
  const TextFingerprints expected = Expected(texts);
  const std::atomic<bool> cancelled{false};
  std::vector<TextFingerprints> results(3);
  std::vector<std::thread> threads;
  for (TextFingerprints& result : results) {
    threads.emplace_back([&] { CHECK(HashBatch(batch, LogWords(), cancelled, &result).ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TextFingerprints& result : results) {
    CHECK(result.fingerprints == expected.fingerprints);
    CHECK(result.features == expected.features);
  }
}

TEST_CASE("a cancelled batch ends early" * doctest::test_suite("threads")) {
  const TextBatch batch = Copy(Texts());
  const std::atomic<bool> cancelled{true};
  TextFingerprints result;
  CHECK(HashBatch(batch, LogWords(), cancelled, &result).ok());
  CHECK(result.fingerprints.empty());
}

TEST_CASE("memory refused: an exception, and the hasher is as new after Clear") {
  const std::string text = Texts().back();
  TextHasher hasher(LogWords());
  size_t refusals = 0;
  for (size_t allowed = 0;; allowed++) {
    try {
      const neardup::RefuseMemory refuse(allowed);
      hasher.Clear();
      hasher.Update(reinterpret_cast<const uint8_t*>(text.data()), text.size());
      hasher.Finish();
    } catch (const std::bad_alloc&) {
      refusals++;
      continue;
    }
    break;
  }
  CHECK(refusals > 0);
  Simhash vote;
  REQUIRE(hasher.Result(&vote).ok());
  CHECK(vote.fingerprint() == Expected({text}).fingerprints[0]);
}

TEST_CASE("a size that no memory can hold is refused") {
  TextBatch batch;
  CHECK_THROWS_AS(batch.AddUtf16(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
