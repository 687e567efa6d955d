#include "core/index/word_map.h"

#include <algorithm>

namespace neardup {

namespace {

uint64_t LowBits(unsigned count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// Masks of up to `radius` of the bits below `bits`, none first, then pairs that differ in the lowest bit
// together.
void AddFlips(unsigned bits, unsigned radius, uint32_t mask, std::vector<uint32_t>* out) {
  out->push_back(mask);
  if (radius == 0) return;
  for (unsigned bit = 0; bit < bits; ++bit) AddFlips(bit, radius - 1, mask | 1u << bit, out);
}

}  // namespace

WordMap::WordMap(const TablePlan& table, uint64_t last) {
  // Source bit of each bit of the permuted word, from the top.
  std::vector<unsigned> order;
  for (BitRange range : table.key) {
    for (unsigned i = range.width; i-- > 0;) order.push_back(range.low + i);
  }
  const uint64_t key = table.key_mask();
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned bit = 64; bit-- > 0;) {
      if ((key >> bit & 1) == 0 && (last >> bit & 1) == static_cast<unsigned>(pass)) order.push_back(bit);
    }
  }
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned to = 63 - i;
    const unsigned right = (order[i] - to) & 63;
    auto move = std::find_if(moves_.begin(), moves_.end(), [&](const Move& m) { return m.right == right; });
    if (move == moves_.end()) move = moves_.insert(moves_.end(), Move{0, right});
    move->mask |= uint64_t{1} << to;
    if (to < 32) lane_mask_ |= uint64_t{1} << order[i];
  }

  bucket_bits_ = table.bucket_bits;
  const unsigned key_bits = table.key_bits();
  unsigned length = 0, information = 0, check = 0;
  for (CodeKind kind : table.codes) {
    length += BlockCode::Get(kind).length();
    information += BlockCode::Get(kind).information();
  }
  const unsigned raw = key_bits - length;
  unsigned value_end = 64, bucket_end = 64, syndrome_end = 64 - information - raw;
  for (CodeKind kind : table.codes) {
    const BlockCode& code = BlockCode::Get(kind);
    value_end -= code.length();
    bucket_end -= code.information();
    syndrome_end -= code.check();
    check += code.check();
    codes_.push_back({&code, value_end, bucket_end, syndrome_end});
  }
  raw_from_ = 64 - key_bits;
  raw_to_ = raw_from_ + check;
  raw_mask_ = LowBits(raw);
  rest_mask_ = LowBits(64 - key_bits);

  const unsigned plain = bucket_bits_ - information;
  AddFlips(plain, table.radius, 0, &flips_);
  max_probes_ = table.max_probes();
}

uint64_t WordMap::EncodeCodes(uint64_t fingerprint) const {
  const uint64_t permuted = Permute(fingerprint);
  uint64_t word = (permuted & rest_mask_) | (permuted >> raw_from_ & raw_mask_) << raw_to_;
  for (const Code& c : codes_) {
    const uint32_t value =
        static_cast<uint32_t>(permuted >> c.value_shift) & static_cast<uint32_t>(LowBits(c.code->length()));
    const uint32_t syndrome = c.code->Syndrome(value);
    word |= static_cast<uint64_t>(c.code->Bucket(value, syndrome)) << c.bucket_shift |
            static_cast<uint64_t>(syndrome) << c.syndrome_shift;
  }
  return word;
}

uint64_t WordMap::Decode(uint64_t word) const {
  if (codes_.empty()) return Unpermute(word);
  uint64_t permuted = (word & rest_mask_) | (word >> raw_to_ & raw_mask_) << raw_from_;
  for (const Code& c : codes_) {
    const uint32_t bucket =
        static_cast<uint32_t>(word >> c.bucket_shift) & static_cast<uint32_t>(LowBits(c.code->information()));
    const uint32_t syndrome =
        static_cast<uint32_t>(word >> c.syndrome_shift) & static_cast<uint32_t>(LowBits(c.code->check()));
    permuted |= static_cast<uint64_t>(c.code->Value(bucket, syndrome)) << c.value_shift;
  }
  return Unpermute(permuted);
}

// Step by step over all values, which a compiler makes vectors of, and processors no wrong guesses in.
void WordMap::EncodeAll(uint64_t* values, size_t count) const {
  PermuteAll(values, count, false);
  if (codes_.empty()) return;
  uint64_t permuted[kMaxAll];
  for (size_t i = 0; i < count; ++i) {
    permuted[i] = values[i];
    values[i] = (values[i] & rest_mask_) | (values[i] >> raw_from_ & raw_mask_) << raw_to_;
  }
  for (const Code& code : codes_) {
    const Code c = code;
    const auto mask = static_cast<uint32_t>(LowBits(c.code->length()));
    for (size_t i = 0; i < count; ++i) {
      const uint32_t value = static_cast<uint32_t>(permuted[i] >> c.value_shift) & mask;
      const uint32_t syndrome = c.code->Syndrome(value);
      values[i] |= static_cast<uint64_t>(c.code->Bucket(value, syndrome)) << c.bucket_shift |
                   static_cast<uint64_t>(syndrome) << c.syndrome_shift;
    }
  }
}

void WordMap::DecodeAll(uint64_t* values, size_t count) const {
  if (!codes_.empty()) {
    uint64_t words[kMaxAll];
    for (size_t i = 0; i < count; ++i) {
      words[i] = values[i];
      values[i] = (values[i] & rest_mask_) | (values[i] >> raw_to_ & raw_mask_) << raw_from_;
    }
    for (const Code& code : codes_) {
      const Code c = code;
      const auto bucket_mask = static_cast<uint32_t>(LowBits(c.code->information()));
      const auto syndrome_mask = static_cast<uint32_t>(LowBits(c.code->check()));
      for (size_t i = 0; i < count; ++i) {
        const uint32_t bucket = static_cast<uint32_t>(words[i] >> c.bucket_shift) & bucket_mask;
        const uint32_t syndrome = static_cast<uint32_t>(words[i] >> c.syndrome_shift) & syndrome_mask;
        values[i] |= static_cast<uint64_t>(c.code->Value(bucket, syndrome)) << c.value_shift;
      }
    }
  }
  PermuteAll(values, count, true);
}

void WordMap::PermuteAll(uint64_t* values, size_t count, bool back) const {
  if (moves_.size() == 1 && moves_[0].right == 0) return;
  uint64_t moved[kMaxAll];
  for (size_t i = 0; i < count; ++i) moved[i] = 0;
  for (const Move& move : moves_) {
    const unsigned right = back ? (64 - move.right) & 63 : move.right, left = (64 - right) & 63;
    const uint64_t mask = back ? move.mask << move.right | move.mask >> ((64 - move.right) & 63) : move.mask;
    for (size_t i = 0; i < count; ++i) moved[i] |= (values[i] >> right | values[i] << left) & mask;
  }
  for (size_t i = 0; i < count; ++i) values[i] = moved[i];
}

unsigned WordMap::AllProbes(uint64_t word, uint32_t* buckets) const {
  const uint32_t own = BucketOf(word);
  unsigned count = 0;
  for (uint32_t flip : flips_) buckets[count++] = own ^ flip;
  for (const Code& c : codes_) {
    const uint32_t syndrome =
        static_cast<uint32_t>(word >> c.syndrome_shift) & static_cast<uint32_t>(LowBits(c.code->check()));
    const uint32_t* masks = c.code->neighbours(syndrome);
    const unsigned shift = c.bucket_shift - (64 - bucket_bits_);
    for (uint32_t i = 0; i < c.code->neighbour_count(syndrome); ++i)
      buckets[count++] = own ^ masks[i] << shift;
  }
  return count;
}

}  // namespace neardup
