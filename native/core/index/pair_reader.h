// Pairs of near entries, batch by batch: each entry of one view, in listing order, with its matches in
// another view, or with those after it in its own. Pairs within one view and a few bits come from sorting
// (self_join.h), unless they are too many to hold; all others from a query for each entry. Both give the
// same. One thread at a time; may go from one to the other.
#ifndef NEARDUP_CORE_INDEX_PAIR_READER_H_
#define NEARDUP_CORE_INDEX_PAIR_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/job_control.h"
#include "core/base/status.h"
#include "core/index/listing.h"
#include "core/index/view.h"

namespace neardup {

struct Pair {
  uint64_t first_id, second_id;
  unsigned distance;
};

class ViewFingerprints;

class PairReader {
 public:
  struct Options {
    Search search;
    ColumnSet columns;       // Of the view that is listed.
    bool by_tag = false;     // Only pairs of one tag.
    bool by_second = false;  // Only second fingerprints within search.second_distance.
    unsigned threads = 1;
    size_t max_sorted_pairs = size_t{1} << 25;  // Of 16 bytes each.
  };

  // Pairs within the view.
  PairReader(View view, const Options& options) : view_(std::move(view)), options_(options) {}
  // Each entry of the view with its matches in the other.
  PairReader(View view, View other, const Options& options)
      : view_(std::move(view)), other_(std::move(other)), is_join_(true), options_(options) {}

  // Replaces *pairs by the next ones: about `most`, none at the end. After a failure or cancellation
  // (kAborted) it can be called again.
  Status Next(size_t most, JobControl* control, std::vector<Pair>* pairs);
  // Share of the entries done.
  double progress() const {
    return listing_.size() == 0 ? 0 : static_cast<double>(at_) / static_cast<double>(listing_.size());
  }

 private:
  Status Prepare(JobControl* control);
  // Finds all pairs of distinct fingerprints; leaves sorted_ false where they are too many.
  Status SortPairs(JobControl* control);
  // Lists the entries of these fingerprints, and of all that several entries have.
  Status ListInPairs(const ViewFingerprints& fingerprints, const std::vector<WordAndValue>& pairs,
                     JobControl* control);
  // Append to ready_ the pairs of one entry or more.
  Status ReadByQueries(JobControl* control);
  Status ReadFromSorted(size_t most, JobControl* control);
  // Where the entries end that have the fingerprint and the id of the one at `at`: one document.
  size_t EndOfDocument(size_t at) const;

  View view_, other_;
  bool is_join_ = false;
  const Options options_;
  bool prepared_ = false;
  Listing listing_;        // Of what may be in pairs.
  size_t at_ = 0;          // The next entry.
  size_t queries_ = 1024;  // To look up at once.
  bool sorted_ = false;
  std::vector<WordAndValue> fingerprint_pairs_;  // The lesser fingerprint first; ascending.
  size_t next_pair_ = 0;
  Matches matches_;
  std::vector<Pair> ready_;  // Pairs read and not yet given, from given_ on.
  size_t given_ = 0;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_INDEX_PAIR_READER_H_
