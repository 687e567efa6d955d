// The hot loops, one set for each instruction set, chosen once for the process: the best that the processor
// has, or the one that is asked for by name. All sets give the same results.
#ifndef NEARDUP_KERNELS_KERNELS_H_
#define NEARDUP_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "kernels/lanes.h"
#include "kernels/pairs.h"

namespace neardup::kernels {

// One set of kernels. The contracts stand in counters.h, hamming.h, lanes.h and pairs.h.
struct Kernels {
  // scalar, avx2, avx512 or neon.
  const char* name;
  void (*count_ones)(const uint64_t* hashes, size_t n, uint64_t counts[64]);
  void (*sum_weights)(const uint64_t* hashes, const uint64_t* weights, size_t n, uint64_t sums[64]);
  void (*distances)(const uint64_t* codes, size_t n, uint64_t query, uint8_t* out);
  size_t (*within)(const uint64_t* codes, size_t n, uint64_t query, unsigned max_distance,
                   uint32_t* positions);
  void (*match_lanes)(const LaneQuery& query, uint32_t* out);
  size_t (*near_lanes)(const uint32_t* lanes, size_t n, uint32_t lane, unsigned k, uint32_t* positions);
  size_t (*near_pairs)(const PairQuery& query, size_t* at, WordPair* out, size_t capacity);
  size_t (*near_keys)(const KeyQuery& query, size_t* at, WordPair* out, size_t capacity);
};

// The sets that this processor can run, the best first; scalar is always the last.
const std::vector<const Kernels*>& Available();

// The set in use. Cheap enough to call for each batch; thread-safe.
const Kernels& Active();

// Makes the named set the one in use, for the whole process; later calls of Active see it, calls under way
// end with the set they began with. Thread-safe. Unsupported where this processor lacks it; the message
// names those it has.
Status Select(const std::string& name);

// As Select, or with an empty name the best set, where no call of SelectOnce came before; otherwise the
// choice of the first call stays, whether it is this one's or not. What threads of one process run does not
// change under them.
Status SelectOnce(const std::string& name);

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_KERNELS_H_
