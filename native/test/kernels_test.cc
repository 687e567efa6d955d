#include "kernels/kernels.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cpu.h"

namespace neardup::kernels {

TEST_CASE("the best kernels come first, scalar is always there") {
  REQUIRE_FALSE(Available().empty());
  CHECK(std::string(Available().back()->name) == "scalar");
  const std::string best = Available().front()->name;
  CHECK((best == "avx512") == Cpu().avx512);
  CHECK((best == "avx2") == (Cpu().avx2 && !Cpu().avx512));
  CHECK((best == "neon") == Cpu().neon);
}

// Runs on emulated processors say what should be found (scripts/test-processors.mjs).
TEST_CASE("the kernels are those that the processor is known to have") {
  const char* expected = std::getenv("NEARDUP_EXPECT_KERNEL");
  if (expected != nullptr) CHECK(std::string(Active().name) == expected);
}

TEST_CASE("Select makes any available set the active one") {
  for (const Kernels* set : Available()) {
    REQUIRE(Select(set->name).ok());
    CHECK(&Active() == set);
  }
  REQUIRE(Select(Available().front()->name).ok());
}

TEST_CASE("Select refuses what the processor lacks and says what it has") {
  const Kernels& before = Active();
  const std::string other = Cpu().neon ? "avx2" : "neon";
  for (const std::string& name : {other, std::string("sse9"), std::string()}) {
    const Status status = Select(name);
    CHECK(status.code() == StatusCode::kUnsupported);
    CHECK(status.message().find("\"" + name + "\"") != std::string::npos);
    for (const Kernels* set : Available()) CHECK(status.message().find(set->name) != std::string::npos);
    CHECK(&Active() == &before);
  }
}

TEST_CASE("of the calls of SelectOnce the first that names an available set decides") {
  CHECK(SelectOnce("sse9").code() == StatusCode::kUnsupported);
  CHECK(SelectOnce("scalar").ok());
  CHECK(std::string(Active().name) == "scalar");
  CHECK(SelectOnce("").ok());
  CHECK(SelectOnce(Available().front()->name).ok());
  CHECK(std::string(Active().name) == "scalar");
  CHECK(SelectOnce("sse9").code() == StatusCode::kUnsupported);
  REQUIRE(Select(Available().front()->name).ok());
}

TEST_CASE("threads may select while others use the active set" * doctest::test_suite("threads")) {
  const std::string best = Available().front()->name;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &best] {
      const uint64_t hash = 1;
      for (int i = 0; i < 2000; ++i) {
        uint64_t counts[64] = {};
        CHECK(Select(t % 2 == 0 ? "scalar" : best).ok());
        Active().count_ones(&hash, 1, counts);
        CHECK(counts[0] == 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(Select(best).ok());
}

}  // namespace neardup::kernels
