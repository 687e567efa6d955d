// Joins words that a self-join cannot tell apart by their keys.
#ifndef NEARDUP_CORE_INDEX_JOIN_RUN_H_
#define NEARDUP_CORE_INDEX_JOIN_RUN_H_

#include <cstddef>
#include <cstdint>
#include <functional>

namespace neardup {

// Calls emit(a, b) for the pairs within k bits, each once. The words agree in their `fixed` leading bits; few
// are compared all with all, many by k + 1 exact blocks of their other bits. Their order changes. Takes 8
// bytes a word; std::bad_alloc when they are refused.
void JoinRun(uint64_t* words, size_t count, unsigned fixed, unsigned k,
             const std::function<void(uint64_t, uint64_t)>& emit);

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_JOIN_RUN_H_
