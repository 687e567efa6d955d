#include "core/storage/segment_check.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/storage/entries_payload.h"
#include "core/storage/segment_opener.h"
#include "kernels/prefetch.h"

namespace neardup {

// Walks a table: runs one after the other, each entry in the line that its bucket has.
class TableCheck {
 public:
  TableCheck(const Table& table, std::string number) : table_(table), number_(std::move(number)) {}

  // Calls entry(word, row) for each entry of the primary, in the order of words; what is wrong, or nothing.
  template <typename Body>
  std::string WalkPrimary(const Body& entry) {
    for (size_t s = 0; s < table_.superblocks_; ++s) {
      overflow_at_ = Base(s);
      const auto [first, lines] = Directory(s);
      if (first == Table::kThinLine && lines == 0) {
        for (; overflow_at_ < Base(s + 1); ++overflow_at_) {
          if (!Take(s, nullptr, Words()[overflow_at_], table_.home_rows_ + overflow_at_, entry))
            return wrong_;
        }
      }
      for (uint32_t l = 0; l < lines; ++l) {
        if (!WalkLine(s, l, entry)) return wrong_;
      }
      if (overflow_at_ != Base(s + 1)) return "the overflow" + number_ + " has items that no line leads to";
    }
    if (next_row_ != table_.home_rows_) return "the lines" + number_ + " have another number of entries";
    return CheckFixedLines() && EndsEmpty() ? "" : wrong_;
  }

  // Headers and runs of a secondary table; counts its lanes.
  std::string WalkSecondary(uint64_t* lanes) {
    for (size_t s = 0; s < table_.superblocks_; ++s) {
      overflow_at_ = Base(s);
      const auto [first, lines] = Directory(s);
      for (uint32_t l = 0; l < lines; ++l) {
        const uint8_t* line = Line(first + l);
        Table::Run run = {};
        if (!HeaderIsRight(line) || !RunIsRight(s, line, &run)) return wrong_;
        *lanes += (line[63] & 15u) + run.count;
      }
      if (overflow_at_ != Base(s + 1)) return "the overflow" + number_ + " has items that no line leads to";
    }
    return CheckFixedLines() && EndsEmpty() ? "" : wrong_;
  }

  // Whether a line of the secondary table or its run has this lane. After WalkSecondary.
  bool HasLane(const uint8_t* line, uint32_t bucket, uint32_t lane) const {
    const auto* lanes = reinterpret_cast<const uint32_t*>(line);
    const unsigned used = line[63] & 15u;
    if (std::find(lanes, lanes + used, lane) != lanes + used) return true;
    if ((line[63] & kLineContinues) == 0) return false;
    Table::Run run = table_.Continuation(line, bucket);
    table_.Resolve(&run);
    const auto* from = reinterpret_cast<const uint32_t*>(run.data);
    const auto* to = from + run.count;
    return used + run.count > kSortedLanes ? std::binary_search(from, to, lane)
                                           : std::find(from, to, lane) != to;
  }

 private:
  // Lines of more lanes have them in ascending order.
  static constexpr uint64_t kSortedLanes = 64;

  Table::Superblock Directory(size_t s) const { return table_.directory_.as<Table::Superblock>()[s]; }
  uint64_t Base(size_t s) const { return table_.overflow_base_.as<uint64_t>()[s]; }
  const uint64_t* Words() const { return table_.overflow_.as<uint64_t>(); }
  const uint8_t* Line(uint64_t number) const { return table_.lines_.data() + (number << 6); }
  bool Wrong(const std::string& what) {
    wrong_ = what + number_;
    return false;
  }

  bool CheckFixedLines() {
    uint8_t expected[128] = {};
    expected[127] = kLineContinues;
    return std::memcmp(table_.lines_.data(), expected, 128) == 0 || Wrong("a wrong first line");
  }
  bool EndsEmpty() {
    const uint8_t* end = table_.overflow_.data() + table_.overflow_items_ * table_.ItemSize();
    return std::all_of(end, end + 2 * table_.ItemSize(), [](uint8_t byte) { return byte == 0; }) ||
           Wrong("a wrong end of the overflow");
  }

  bool HeaderIsRight(const uint8_t* line) {
    const unsigned used = line[63] & 15u;
    const bool continues = (line[63] & kLineContinues) != 0;
    return ((line[63] & 0x70) == 0 &&
            (continues ? used == table_.capacity_ - 1 : used <= table_.capacity_)) ||
           Wrong("a line with a wrong header");
  }

  // The run of a line, which is the next one of the superblock.
  bool RunIsRight(size_t s, const uint8_t* line, Table::Run* run) {
    run->count = 0;
    if ((line[63] & kLineContinues) == 0) return true;
    const auto bucket = static_cast<uint32_t>(table_.BucketAt(s));
    *run = table_.Continuation(line, bucket);
    const bool capped = run->count == Table::kCapped;
    const uint8_t* expected = table_.overflow_.data() + overflow_at_ * table_.ItemSize();
    if (run->data != expected) return Wrong("a line with a wrong place of its run");
    table_.Resolve(run);
    const uint64_t stored = capped ? Load64(expected) : LengthIn(line);
    if (run->count != stored || stored < 2 || capped != (stored >= table_.LengthCap()))
      return Wrong("a line with a wrong length of its run");
    overflow_at_ += run->count + (capped ? table_.LengthItems() : 0);
    return true;
  }
  uint64_t LengthIn(const uint8_t* line) const {
    return table_.primary_ ? table_.TailAt(line, table_.capacity_ - 1) : line[60];
  }

  template <typename Body>
  bool WalkLine(size_t s, uint32_t l, const Body& entry) {
    const Table::Superblock block = Directory(s);
    const uint8_t* line = Line(block.first_line + uint64_t{l});
    if (!HeaderIsRight(line)) return false;
    const unsigned below = 64 - table_.map_.bucket_bits(), used = line[63] & 15u;
    const uint64_t first =
        table_.BucketAt(s) + ((uint64_t{l} << table_.superblock_shift_) + block.lines - 1) / block.lines;
    for (unsigned slot = 0; slot < used; ++slot) {
      const uint64_t low = table_.TailAt(line, slot) << 32 | Load32(line + 4 * slot);
      const uint64_t bucket = first + (((low >> below) - first) & ((uint64_t{1} << table_.range_bits_) - 1));
      const uint64_t word = bucket << below | (low & ((uint64_t{1} << below) - 1));
      if (table_.RowAt(line, slot) != next_row_) return Wrong("a rank that does not count its lines,");
      if (!Take(s, line, word, next_row_++, entry)) return false;
    }
    Table::Run run = {};
    if (!RunIsRight(s, line, &run)) return false;
    for (uint64_t i = overflow_at_ - run.count; i < overflow_at_; ++i) {
      if (!Take(s, line, Words()[i], table_.home_rows_ + i, entry)) return false;
    }
    return true;
  }

  template <typename Body>
  bool Take(size_t s, const uint8_t* line, uint64_t word, uint64_t row, const Body& entry) {
    if (any_ && word <= last_word_) return Wrong("words out of order");
    if (table_.SuperblockOf(word) != s ||
        (line != nullptr && table_.LineOf(table_.map_.BucketOf(word)) != line))
      return Wrong("a word in another line than its own");
    any_ = true;
    last_word_ = word;
    wrong_ = entry(word, row);
    return wrong_.empty();
  }

  const Table& table_;
  const std::string number_;
  uint64_t overflow_at_ = 0, next_row_ = 0, last_word_ = 0;
  bool any_ = false;
  std::string wrong_;
};

// Checks a segment with tables.
class SegmentCheck {
 public:
  SegmentCheck(const Segment& segment, const SegmentFile& file)
      : segment_(segment), planned_(segment.planned_), ids_(planned_.ids_), file_(file) {}

  Status Run() {
    if (segment_.has_columns()) {
      if (Status s = Buffer::Allocate(static_cast<size_t>(segment_.size() / 8 + 1), &seen_); !s.ok())
        return s;
      if (Status s = CheckColumns(); !s.ok()) return s;
    }
    TableCheck primary(planned_.tables_[0], " of table 1");
    std::string wrong = primary.WalkPrimary([&](uint64_t, uint64_t row) {
      ++distinct_;
      return CheckRow(row);
    });
    if (!wrong.empty()) return file_.Corrupt(wrong);
    if (distinct_ != planned_.distinct_ || entries_ != segment_.size())
      return file_.Corrupt("it has another number of entries than it says");
    if (next_list_ != ids_.list_items_) return file_.Corrupt("it has lists that no row leads to");
    for (size_t t = 1; t < planned_.tables_.size(); ++t) {
      if (wrong = CheckSecondary(t); !wrong.empty()) return file_.Corrupt(wrong);
    }
    return Status();
  }

 private:
  std::string CheckRow(uint64_t row) {
    const uint64_t value = PackedGet(ids_.rows_.data(), row, ids_.width_);
    if (ids_.list_items_ == 0) return CheckValue(value);
    if ((value & 1) == 0) return CheckValue(value >> 1);
    uint64_t place, end;
    if (value >> 1 != next_list_ || !ids_.ListAt(value >> 1, &place, &end) || end - place < 2)
      return "row " + std::to_string(row) + " has a wrong list";
    next_list_ = end;
    for (uint64_t before = 0; place < end; ++place) {
      const uint64_t each = PackedGet(ids_.lists_.data(), place, ids_.width_);
      if (each < before) return "the list of row " + std::to_string(row) + " is out of order";
      before = each;
      if (const std::string wrong = CheckValue(each); !wrong.empty()) return wrong;
    }
    return "";
  }

  // An id; with columns, a number, each once.
  std::string CheckValue(uint64_t value) {
    ++entries_;
    if (!segment_.has_columns()) return value <= kMaxId ? "" : "an id is over 2^53 - 1";
    if (value >= segment_.size()) return "a row has an entry that there is not";
    uint8_t& byte = seen_.data()[value / 8];
    const auto bit = static_cast<uint8_t>(1u << value % 8);
    if ((byte & bit) != 0) return "two rows have the same entry";
    byte = static_cast<uint8_t>(byte | bit);
    return "";
  }

  Status CheckColumns() const {
    uint64_t before = 0;
    for (uint64_t i = 0; i < segment_.size(); ++i) {
      const uint64_t id = segment_.ids_[i];
      if (id > kMaxId || (segment_.columns_.time && segment_.times_[i] > kMaxId))
        return file_.Corrupt("the id or time of entry " + std::to_string(i) + " is over 2^53 - 1");
      if (id < before) return file_.Corrupt("the id of entry " + std::to_string(i) + " is out of order");
      before = id;
    }
    return Status();
  }

  // Whether the table leads to each fingerprint.
  std::string CheckSecondary(size_t t) const {
    const Table& primary = planned_.tables_[0];
    const Table& table = planned_.tables_[t];
    const std::string number = " of table " + std::to_string(t + 1);
    TableCheck check(table, number);
    uint64_t lanes = 0;
    if (std::string wrong = check.WalkSecondary(&lanes); !wrong.empty()) return wrong;
    if (lanes > planned_.distinct_) return "more lanes than fingerprints" + number;
    uint64_t words[WordMap::kMaxAll];
    size_t count = 0;
    bool all = true;
    const auto flush = [&] {
      primary.map().DecodeAll(words, count);
      table.map().EncodeAll(words, count);
      for (size_t i = 0; i < count; ++i) kernels::Prefetch(table.LineOf(table.map().BucketOf(words[i])));
      for (size_t i = 0; i < count && all; ++i) {
        const uint32_t bucket = table.map().BucketOf(words[i]);
        all = check.HasLane(table.LineOf(bucket), bucket, static_cast<uint32_t>(words[i]));
      }
      count = 0;
    };
    for (size_t s = 0; s < primary.superblocks() && all; ++s) {
      primary.ForEach(s, s + 1, [&](uint64_t word, uint64_t) {
        words[count] = word;
        if (++count == WordMap::kMaxAll) flush();
      });
    }
    flush();
    return all ? "" : "a fingerprint that is not in its line" + number;
  }

  const Segment& segment_;
  const PlannedSegment& planned_;
  const IdList& ids_;
  const SegmentFile& file_;
  Buffer seen_;  // A bit for each entry, by number.
  uint64_t distinct_ = 0, entries_ = 0, next_list_ = 0;
};

Status CheckSegment(const std::shared_ptr<SegmentFile>& file, ColumnSet columns) {
  PayloadHeader header;
  if (Status s = ReadHeader(*file, columns, &header); !s.ok()) return s;
  if (header.layout == PayloadLayout::kEntries) {
    EntryColumns entries;
    return OpenEntries(*file, header, columns, &entries);
  }
  std::shared_ptr<const Segment> segment;
  if (Status s = SegmentOpener::Open(file, header, columns, &segment); !s.ok()) return s;
  if (Status s = file->EnsureVerified(); !s.ok()) return s;
  return SegmentCheck(*segment, *file).Run();
}

}  // namespace neardup
