// Published values of XXH3-64: xxHash v0.8.2, tests/sanity_test_vectors.h (XSUM_XXH3_testdata).
#include "core/fingerprint/xxh3.h"

#include <doctest/doctest.h>

#include <vector>

namespace {

constexpr uint64_t kSeed = 0x9E3779B185EBCA8D;

struct Vector {
  size_t size;
  uint64_t unseeded;
  uint64_t seeded;
};

const Vector kVectors[] = {
    {0, 0x2D06800538D394C2, 0xA8A6B918B2F0364A},    {1, 0xC44BDFF4074EECDB, 0x032BE332DD766EF8},
    {2, 0x7A9978044CB8A8BB, 0x764B35C90519AD88},    {3, 0x54247382A8D6B94D, 0x634B8990B4976373},
    {4, 0xE5DC74BC51848A51, 0xAA2E7ECCB0C8F747},    {8, 0x24CCC9ACAA9F65E4, 0x8F973410999B8F6B},
    {16, 0x981B17D36C7498C9, 0x663F29333B4DB6B1},   {17, 0x796F5ACD3A60F862, 0xF3EC5067F4306DB3},
    {32, 0x9FEADDBDBF57EED3, 0x2199FAB1534893D9},   {33, 0xABFB2D081B400A10, 0xAD56348DA574BB6D},
    {64, 0x9CB48487720EC49D, 0x4FE8895DB9B8C077},   {65, 0xFD81AAC4BEBC3883, 0xAD80AEEC1FC9E0A7},
    {128, 0xFCFF24126754D861, 0x73FDE75280646649},  {129, 0x98F1B0A679A2CA29, 0x21FFFDBCA099C844},
    {240, 0x81C3C2B67F568CCF, 0xCC0F58C27EF3D8EE},  {241, 0xC5A639ECD2030E5E, 0xDDA9B0A161D4829A},
    {256, 0x55DE574AD89D0AC5, 0x4D30234B7A3AA61C},  {257, 0xB17FD5A8AE75BB0B, 0x802A6FBF3CACD97C},
    {1024, 0xDD85C9B5C1109C5C, 0xEF368A8A2EBABAEF}, {4096, 0xE91206429D1F48F9, 0x2A3BBB20A5439DCD},
    {4160, 0x4F323B15321E94E1, 0x1BF6F5FAF9EECABD},
};

// The buffer of xxHash's sanity test.
std::vector<uint8_t> SanityBuffer(size_t size) {
  std::vector<uint8_t> bytes(size);
  uint64_t state = 2654435761;
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(state >> 56);
    state *= 11400714785074694797u;
  }
  return bytes;
}

}  // namespace

TEST_CASE("XXH3-64 gives the published values, and reads no byte outside its input") {
  for (const Vector& row : kVectors) {
    CAPTURE(row.size);
    // Of exactly the input's size, so that a sanitizer sees a read outside it.
    const std::vector<uint8_t> data = SanityBuffer(row.size);
    CHECK(neardup::Xxh3(data.data(), data.size()) == row.unseeded);
    CHECK(neardup::Xxh3(data.data(), data.size(), kSeed) == row.seeded);
  }
}

TEST_CASE("the hash for input of unpredictable length is the same") {
  for (size_t size = 1; size <= 40; size++) {
    CAPTURE(size);
    // Room for the eight bytes that are read.
    const std::vector<uint8_t> data = SanityBuffer(100 + (size < 8 ? 8 : size));
    for (size_t at = 0; at < 100; at++) {
      CHECK(neardup::Xxh3Short(data.data() + at, size) == neardup::Xxh3(data.data() + at, size));
    }
  }
}
