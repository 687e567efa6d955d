// The kernel sets that a test can run here: those of the processor, and the AVX-512 kernels emulated in
// plain C++ where SIMDe was found.
#ifndef NEARDUP_TEST_KERNEL_SETS_H_
#define NEARDUP_TEST_KERNEL_SETS_H_

#include <vector>

#include "kernels/kernels.h"

#ifdef NEARDUP_SIMDE
namespace neardup::kernels::avx512_emulated {
void CountOnes(const uint64_t* hashes, size_t n, uint64_t counts[64]);
void SumWeights(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);
void Distances(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out);
size_t Within(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance, uint32_t* positions);
void MatchLanes(const LaneQuery& query, uint32_t* out);
}  // namespace neardup::kernels::avx512_emulated
#endif

namespace neardup::test {

inline std::vector<kernels::Kernels> KernelSets() {
  std::vector<kernels::Kernels> sets;
  for (const kernels::Kernels* set : kernels::Available()) sets.push_back(*set);
#ifdef NEARDUP_SIMDE
  namespace emulated = kernels::avx512_emulated;
  sets.push_back({"avx512 emulated", emulated::CountOnes, emulated::SumWeights, emulated::Distances,
                  emulated::Within, emulated::MatchLanes, kernels::scalar::NearLanes,
                  kernels::scalar::NearPairs, kernels::scalar::NearKeys});
#endif
  return sets;
}

}  // namespace neardup::test

#endif  // NEARDUP_TEST_KERNEL_SETS_H_
