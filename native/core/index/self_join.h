// All pairs of fingerprints within k bits of each other, without an index: any k errors leave one of a few
// keys exact. Fingerprints are dealt to parts that fit the cache by bits that several keys share, and
// compared there where they agree in a key. What many agree in is joined by the rest of the bits in the same
// way. A pair is reported once, from the first key that brings it together.
#ifndef NEARDUP_CORE_INDEX_SELF_JOIN_H_
#define NEARDUP_CORE_INDEX_SELF_JOIN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/status.h"
#include "core/base/work_control.h"

namespace neardup {

// Receives pairs, a window at a time: pairs[2 i] and pairs[2 i + 1] are within k bits.
using PairSink = std::function<void(const uint64_t* pairs, size_t count)>;

struct Words {
  const uint64_t* data;
  size_t count;
};

// Any copy of a fingerprint makes pairs, also with the other copies, which are best few. Takes about 8 more
// bytes per fingerprint, where many agree in their keys up to 24. The pairs and their order depend on the
// input only, not on `threads`; the sink is called on the caller's thread. kOutOfMemory when memory is
// refused, also where an allocation of the library threw std::bad_alloc; kAborted when it was cancelled. Then
// the sink has received some of the pairs.
Status SelfJoin(const std::vector<Words>& fingerprints, unsigned k, unsigned threads, const PairSink& sink,
                const WorkControl& control = WorkControl());

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_SELF_JOIN_H_
