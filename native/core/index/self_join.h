// All pairs of fingerprints within k bits of each other, without an index: for each table of a design the
// fingerprints are sorted by its key and compared where they have it in common. Runs too long for that are
// joined by the rest of their bits in the same way. A pair is reported once, from the first table that brings
// it together.
#ifndef NEARDUP_CORE_INDEX_SELF_JOIN_H_
#define NEARDUP_CORE_INDEX_SELF_JOIN_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/base/status.h"

namespace neardup {

// Receives pairs, a window at a time: pairs[2 i] and pairs[2 i + 1] are within k bits.
using PairSink = std::function<void(const uint64_t* pairs, size_t count)>;

// `fingerprints` are distinct. They are permuted while it works, and come back as a set, in another order.
// Takes 8 more bytes per fingerprint. The pairs and their order depend on the input only, not on `threads`;
// the sink is called on the caller's thread. kOutOfMemory when that memory is refused.
Status SelfJoin(const uint64_t* fingerprints, size_t count, unsigned k, unsigned threads,
                const PairSink& sink);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SELF_JOIN_H_
