// Buffers, packed arrays, radix sort.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/memory.h"
#include "core/base/packed_array.h"
#include "core/base/parallel.h"
#include "core/base/radix_sort.h"
#include "core/base/work_control.h"
#include "test/random.h"
#include "test/refuse_memory.h"

namespace neardup::test {

TEST_CASE("radix sort sorts") {
  Random random{3};
  for (const size_t n : {0, 1, 2, 25, 100, 5000, 300000}) {
    for (const uint64_t mask :
         {~uint64_t{0}, uint64_t{0xff}, uint64_t{0xf} << 60, uint64_t{0}, uint64_t{0x8000000000000001}}) {
      std::vector<uint64_t> words(n), by_key, scratch(n);
      std::vector<WordAndValue> items(n), item_scratch(n);
      for (size_t i = 0; i < n; ++i) {
        words[i] = random.Next() & mask;
        items[i] = {words[i], random.Below(1000)};
      }
      std::vector<uint64_t> sorted = words;
      std::sort(sorted.begin(), sorted.end());
      std::vector<WordAndValue> sorted_items = items;
      std::sort(sorted_items.begin(), sorted_items.end(), [](const WordAndValue& a, const WordAndValue& b) {
        return a.word != b.word ? a.word < b.word : a.value < b.value;
      });
      by_key = words;
      SortPart(words.data(), scratch.data(), n, 64, 0);
      CHECK(words == sorted);
      SortPart(by_key.data(), scratch.data(), n, 64, 51);
      CHECK(std::is_sorted(by_key.begin(), by_key.end(),
                           [](uint64_t a, uint64_t b) { return a >> 51 < b >> 51; }));
      std::sort(by_key.begin(), by_key.end());
      CHECK(by_key == sorted);
      SortPart(items.data(), item_scratch.data(), n, 64, 0);
      CHECK(std::equal(items.begin(), items.end(), sorted_items.begin(),
                       [](auto& a, auto& b) { return a.word == b.word && a.value == b.value; }));
      // Words that agree in their leading bits.
      for (uint64_t& word : scratch) word = uint64_t{5} << 56 | random.Next() >> 8;
      sorted = scratch;
      std::sort(sorted.begin(), sorted.end());
      SortPart(scratch.data(), words.data(), n, 56, 0);
      CHECK(scratch == sorted);
    }
  }
}

TEST_CASE("a task that throws ends the others, and the lowest one's exception arrives" *
          doctest::test_suite("threads")) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    std::atomic<size_t> ran{0};
    try {
      ParallelFor(threads, 100000, [&](size_t task) {
        ++ran;
        if (task >= 40) throw std::runtime_error(std::to_string(task));
      });
      FAIL("nothing was thrown");
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()) == "40");
    }
    CHECK(ran >= 41);
    CHECK(ran < 50000);
    // Refused memory, on the caller's thread and before any other starts: the work is done all the same.
    ran = 0;
    {
      const std::function<void(size_t)> count = [&](size_t) { ++ran; };
      const RefuseMemory refuse(0);
      ParallelFor(threads, 10, count);
    }
    CHECK(ran == 10);
  }
}

TEST_CASE("progress rises to its end") {
  std::atomic<uint32_t> progress{0};
  WorkMeter meter({nullptr, &progress}, 1000);
  uint32_t last = 0;
  for (int i = 0; i < 20; ++i) {
    meter.Add(100);
    CHECK(progress >= last);
    CHECK(progress < WorkControl::kDone);
    last = progress;
  }
  CHECK(last > WorkControl::kDone / 100 * 99);
  meter.Finish();
  CHECK(progress == WorkControl::kDone);
}

TEST_CASE("packed arrays hold what several writers put in" * doctest::test_suite("threads")) {
  Random random{4};
  for (unsigned width = 1; width <= kPackedMaxWidth; ++width) {
    const size_t n = 5000, chunk = 123;
    std::vector<uint64_t> values(n);
    for (uint64_t& value : values) value = random.Next() >> (64 - width);
    Buffer buffer;
    REQUIRE(Buffer::Allocate(PackedBytes(n, width), &buffer).ok());
    ParallelFor(3, (n + chunk - 1) / chunk, [&](size_t c) {
      PackedWriter writer(buffer.data(), c * chunk, width);
      for (size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) writer.Push(values[i]);
    });
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i) wrong += PackedGet(buffer.data(), i, width) != values[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("a buffer is zeroed and aligned; a refused allocation is reported") {
  for (const size_t bytes : {1, 100, 3 << 20}) {
    Buffer buffer;
    REQUIRE(Buffer::Allocate(bytes, &buffer).ok());
    CHECK(reinterpret_cast<uintptr_t>(buffer.data()) % 64 == 0);
    CHECK(std::all_of(buffer.data(), buffer.data() + bytes, [](uint8_t byte) { return byte == 0; }));
    const Buffer moved = std::move(buffer);
    CHECK(moved.size() == bytes);
    CHECK(buffer.data() == nullptr);
  }
  Buffer buffer;
  CHECK(Buffer::Allocate(SIZE_MAX / 4, &buffer).code() == StatusCode::kOutOfMemory);
  CHECK(Buffer::AllocateArray(SIZE_MAX / 4, 8, &buffer).code() == StatusCode::kOutOfMemory);
  CHECK(buffer.data() == nullptr);
}

}  // namespace neardup::test
