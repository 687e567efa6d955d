// What an index holds and what it answers with.
#ifndef NEARDUP_CORE_INDEX_ENTRY_H_
#define NEARDUP_CORE_INDEX_ENTRY_H_

#include <cstdint>

namespace neardup {

// Largest distance in bits that an index can be planned for.
constexpr unsigned kMaxDistance = 8;
// Largest id: what a double holds exactly.
constexpr uint64_t kMaxId = (uint64_t{1} << 53) - 1;

struct Entry {
  uint64_t fingerprint;
  uint64_t id;
};

struct Match {
  uint64_t id;
  unsigned distance;
};

// Answers are sorted so.
inline bool Nearer(const Match& a, const Match& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
}

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_ENTRY_H_
