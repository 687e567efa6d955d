// Writes whole cache lines past the cache: what is not read again soon neither fetches the old line from
// memory nor pushes out what is in use.
#ifndef NEARDUP_KERNELS_STREAM_H_
#define NEARDUP_KERNELS_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) || (defined(_MSC_VER) && defined(_M_X64))
#define NEARDUP_STREAMS 1
#include <emmintrin.h>
#endif

namespace neardup::kernels {

constexpr size_t kLineWords = 8;

// Copies one line; both addresses are multiples of 64.
inline void StreamLine(uint64_t* to, const uint64_t* from) {
#ifdef NEARDUP_STREAMS
  auto* lanes = reinterpret_cast<__m128i*>(to);
  const auto* words = reinterpret_cast<const __m128i*>(from);
  for (size_t i = 0; i < 4; ++i) _mm_stream_si128(lanes + i, _mm_load_si128(words + i));
#else
  std::memcpy(to, from, kLineWords * sizeof(uint64_t));
#endif
}

// Lines written so far are seen by whoever this thread synchronizes with from here on.
inline void EndStream() {
#ifdef NEARDUP_STREAMS
  _mm_sfence();
#endif
}

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_STREAM_H_
