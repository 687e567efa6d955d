// The fast path of text: classifies and folds a block of ASCII. SSE2 where the target has it by definition
// (x64), plain C++ elsewhere; the results are the same. Thread-safe: no state.
#ifndef NEARDUP_CORE_TEXT_ASCII_H_
#define NEARDUP_CORE_TEXT_ASCII_H_

#include <cstddef>
#include <cstdint>

#include "core/base/bytes.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define NEARDUP_ASCII_SSE2 1
#endif

namespace neardup {

constexpr size_t kAsciiBlock = 64;

// The leading ASCII units of a block of input.
struct AsciiBlock {
  // How many there are, 0 to kAsciiBlock.
  size_t size;
  // Bit i is set where unit i is a letter or digit; bits from `size` on are 0.
  uint64_t word;
  // The units, A-Z in lower case. Bytes from `size` on are unspecified, and may be read and copied.
  uint8_t folded[2 * kAsciiBlock];
};

inline uint64_t LowBits(size_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

#if defined(NEARDUP_ASCII_SSE2)

namespace ascii {

struct Group {
  __m128i bytes;
  unsigned not_ascii;
};

inline Group LoadGroup(const uint8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {bytes, static_cast<unsigned>(_mm_movemask_epi8(bytes))};
}

inline Group LoadGroup(const char16_t* p) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8));
  const __m128i zero = _mm_setzero_si128();
  const __m128i mask = _mm_set1_epi16(static_cast<int16_t>(0xFF80));
  const __m128i ascii = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_and_si128(low, mask), zero),
                                        _mm_cmpeq_epi16(_mm_and_si128(high, mask), zero));
  return {_mm_packus_epi16(low, high), ~static_cast<unsigned>(_mm_movemask_epi8(ascii)) & 0xFFFF};
}

// All ones in the bytes from `first` to `last`; bytes over 0x7F are negative and never inside.
inline __m128i Between(__m128i bytes, char first, char last) {
  return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
                       _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(last + 1)), bytes));
}

}  // namespace ascii

// Reads a block at `p`, where kAsciiBlock units can be read.
template <typename Unit>
inline void ScanFullAscii(const Unit* p, AsciiBlock* block) {
  uint64_t not_ascii = 0;
  uint64_t word = 0;
  for (size_t i = 0; i < kAsciiBlock; i += 16) {
    const ascii::Group group = ascii::LoadGroup(p + i);
    const __m128i upper = ascii::Between(group.bytes, 'A', 'Z');
    const __m128i folded = _mm_or_si128(group.bytes, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
    const __m128i letter = ascii::Between(folded, 'a', 'z');
    const __m128i digit = ascii::Between(folded, '0', '9');
    _mm_storeu_si128(reinterpret_cast<__m128i*>(block->folded + i), folded);
    not_ascii |= static_cast<uint64_t>(group.not_ascii) << i;
    word |= static_cast<uint64_t>(_mm_movemask_epi8(_mm_or_si128(letter, digit))) << i;
  }
  block->size = not_ascii == 0 ? kAsciiBlock : CountTrailingZeros64(not_ascii);
  block->word = word & LowBits(block->size);
}

#endif

// Reads up to kAsciiBlock units at p < end, as far as they are ASCII.
template <typename Unit>
inline void ScanAscii(const Unit* p, const Unit* end, AsciiBlock* block) {
#if defined(NEARDUP_ASCII_SSE2)
  if (end - p >= static_cast<ptrdiff_t>(kAsciiBlock)) return ScanFullAscii(p, block);
#endif
  const size_t limit = end - p < static_cast<ptrdiff_t>(kAsciiBlock) ? end - p : kAsciiBlock;
  uint64_t word = 0;
  size_t i = 0;
  for (; i < limit && p[i] < 0x80; i++) {
    const auto unit = static_cast<uint8_t>(p[i]);
    const bool upper = static_cast<uint8_t>(unit - 'A') < 26;
    const uint8_t folded = upper ? unit | 0x20 : unit;
    const bool in_word = static_cast<uint8_t>(folded - 'a') < 26 || static_cast<uint8_t>(folded - '0') < 10;
    block->folded[i] = folded;
    word |= static_cast<uint64_t>(in_word) << i;
  }
  block->size = i;
  block->word = word;
}

}  // namespace neardup

#endif  // NEARDUP_CORE_TEXT_ASCII_H_
