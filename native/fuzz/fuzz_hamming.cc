// Distances and Within of every kernel set against the scalar set. Input: a byte that places the codes, the
// limit, the query, then the codes.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/hamming.h"
#include "test/kernel_sets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 10) return 0;
  const size_t offset = data[0] % 8;  // elements
  const unsigned limit = data[1];
  uint64_t query;
  std::memcpy(&query, data + 2, 8);
  const size_t n = (size - 10) / 8;
  // Exactly as long as needed, so that the sanitizer sees any access beyond the end.
  std::vector<uint64_t> array(offset + n);
  uint64_t* codes = array.data() + offset;
  if (n > 0) std::memcpy(codes, data + 10, 8 * n);

  std::vector<uint8_t> distances(n), set_distances(n);
  std::vector<uint32_t> positions(n), set_positions(n);
  neardup::kernels::scalar::Distances(codes, n, query, distances.data());
  const size_t count = neardup::kernels::scalar::Within(codes, n, query, limit, positions.data());
  for (const neardup::kernels::Kernels& set : neardup::test::KernelSets()) {
    set.distances(codes, n, query, set_distances.data());
    const size_t set_count = set.within(codes, n, query, limit, set_positions.data());
    if (set_distances != distances || set_count != count) std::abort();
    if (count > 0 && std::memcmp(positions.data(), set_positions.data(), 4 * count) != 0) std::abort();
  }
  return 0;
}
