// Deals words to the partitions of a spool by whole cache lines, past the cache: half the traffic of memory
// that writing them one by one makes, and no misses where many partitions' ends fall into the same sets of
// the cache. Not thread-safe; one for each writer of the spool.
#ifndef NEARDUP_CORE_INDEX_LINE_WRITER_H_
#define NEARDUP_CORE_INDEX_LINE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/index/spool.h"
#include "kernels/stream.h"

namespace neardup {

class LineWriter {
 public:
  // Takes 68 bytes for each partition.
  LineWriter(Spool<uint64_t>* spool, size_t writer)
      : writer_(spool, writer), used_(spool->partitions()), lines_(spool->partitions()) {}

  // Adds words[0, count), each to partition_of(word).
  template <typename PartitionOf>
  void Add(const uint64_t* words, size_t count, const PartitionOf& partition_of) {
    Line* const lines = lines_.data();
    uint32_t* const used = used_.data();
    for (size_t i = 0; i < count; ++i) {
      const uint64_t word = words[i];
      const size_t partition = partition_of(word);
      const uint32_t at = used[partition];
      lines[partition].words[at] = word;
      used[partition] = (at + 1) % kernels::kLineWords;
      if (at + 1 == kernels::kLineWords) Flush(partition);
    }
  }

  // Adds what lines that are not full hold; nothing may be added after that. kOutOfMemory when memory was
  // refused: then words are missing.
  Status End();

 private:
  struct alignas(64) Line {
    uint64_t words[kernels::kLineWords];
  };
  void Flush(size_t partition);

  Spool<uint64_t>::Writer writer_;
  std::vector<uint32_t> used_;  // Words of each partition's line.
  std::vector<Line> lines_;
  bool refused_ = false;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_LINE_WRITER_H_
