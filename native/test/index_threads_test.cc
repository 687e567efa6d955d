// The index as the addon uses it: one thread owns it, adds, removes, copies checkpoints out and adopts their
// files, compacts and closes, while merges run behind and jobs read snapshots. Made for ThreadSanitizer; that
// answers are right is checked all the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/index/bulk_loader.h"
#include "core/index/index.h"
#include "core/index/listing.h"
#include "core/index/pair_reader.h"
#include "core/storage/stored_part.h"
#include "test/random.h"
#include "test/storage_data.h"

namespace neardup::test {

namespace {

constexpr uint64_t kIds = uint64_t{1} << 40;  // So many that no two entries have one.

EntryList NewEntries(size_t count, ColumnSet columns, Random* random) {
  EntryList entries(columns);
  for (size_t i = 0; i < count; ++i) {
    Entry entry;
    entry.fingerprint = i % 4 == 3 ? Flip(entries.view().fingerprints[i - 1], 2, random) : random->Next();
    entry.id = random->Below(kIds);
    entry.time = random->Below(100);
    entry.tag = static_cast<uint32_t>(random->Below(3));
    entry.second = random->Below(4);
    entries.Push(entry);
  }
  return entries;
}

// Jobs of an index, which end when they are cancelled and say whether that was so.
class Jobs {
 public:
  template <typename Work>
  void Run(Work work) {
    auto control = std::make_shared<JobControl>();
    controls_.push_back(control);
    REQUIRE(pool_.Run([control, work] {
      const Status status = work(control.get());
      if (!status.ok()) CHECK(status.code() == StatusCode::kAborted);
      CHECK((status.ok() || control->cancelled));
    }));
  }
  void Cancel() {
    for (const auto& control : controls_) control->cancelled = true;
  }
  double progress() const {
    double sum = 0;
    for (const auto& control : controls_) sum += control->progress();
    return sum;
  }

 private:
  std::vector<std::shared_ptr<JobControl>> controls_;
  ThreadPool pool_{2};
};

// Segments that jobs have made, on their way to the owner.
struct Made {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Segment>> segments;
  void Push(std::shared_ptr<const Segment> segment) {
    const std::lock_guard<std::mutex> lock(mutex);
    segments.push_back(std::move(segment));
  }
  std::vector<std::shared_ptr<const Segment>> Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(segments, {});
  }
};

void FindAll(Jobs* jobs, const View& view, const std::shared_ptr<const EntryList>& entries,
             unsigned distance) {
  jobs->Run([view, entries, distance](JobControl* control) {
    const EntryColumns asked = entries->view();
    Search search;
    search.distance = distance;
    QueryResult result;
    const Status status = view.QueryParallel({asked.count, asked.fingerprints, nullptr, nullptr, nullptr},
                                             search, kNoLimit, 2, control->work(), &result);
    for (size_t i = 0; status.ok() && i < asked.count; ++i) {
      const auto from = result.matches.begin() + static_cast<std::ptrdiff_t>(result.offsets[i]);
      const auto to = result.matches.begin() + static_cast<std::ptrdiff_t>(result.offsets[i + 1]);
      CHECK(std::any_of(from, to, [&](const Match& m) { return m.id == asked.ids[i] && m.distance == 0; }));
    }
    return status;
  });
}

void ListAll(Jobs* jobs, const View& view, ColumnSet columns) {
  jobs->Run([view, columns](JobControl* control) {
    Listing listing;
    const Status status = Listing::Build(view, columns, 2, control, &listing);
    if (status.ok()) CHECK(listing.size() == view.size());
    return status;
  });
}

void ReadPairs(Jobs* jobs, const View& view, ColumnSet columns) {
  jobs->Run([view, columns](JobControl* control) {
    PairReader::Options options;
    options.search.distance = 2;
    options.columns = columns;
    options.threads = 2;
    PairReader reader(view, options);
    std::vector<Pair> pairs;
    do {
      if (const Status s = reader.Next(500, control, &pairs); !s.ok()) return s;
    } while (!pairs.empty());
    return Status();
  });
}

void BuildSegment(Jobs* jobs, const Index& index, const std::shared_ptr<const EntryList>& entries,
                  const std::shared_ptr<Made>& made) {
  const auto planner = index.planner();
  const ColumnSet columns = index.options().columns;
  const uint64_t held = index.size() + entries->size();
  jobs->Run([planner, columns, held, entries, made](JobControl* control) {
    BuildOptions build;
    build.threads = 2;
    build.control = control->work();
    std::shared_ptr<const Segment> segment;
    Status status;
    if (columns.any()) {
      status = Segment::Build(entries->view(), columns, *planner, held, build, &segment);
    } else {
      BulkLoader loader;
      const EntryColumns all = entries->view();
      status = loader.Add(all.fingerprints, all.ids, all.count);
      if (status.ok()) status = Segment::Build(&loader, *planner, held, build, &segment);
    }
    if (status.ok()) made->Push(segment);
    return status;
  });
}

// Copies a checkpoint out with a removal between any two parts, and adopts the files made of it.
void StoreAll(Index* index, std::vector<Entry>* held) {
  for (const auto& part : index->Checkpoint()) {
    if (part->name() != nullptr) continue;
    Bytes bytes(part->length());
    const size_t half = bytes.size() / 2;
    REQUIRE(part->Read(0, bytes.data(), half).ok());
    if (!held->empty()) {
      CHECK(index->Remove(held->back().fingerprint, held->back().id) == 1);
      held->pop_back();
    }
    index->Poll();
    REQUIRE(part->Read(half, bytes.data() + half, bytes.size() - half).ok());
    if (index->Holds(*part)) REQUIRE(index->Adopt(*part, FileOf(bytes)).ok());
  }
}

}  // namespace

TEST_CASE("index threads: jobs and merges go on while the owner changes, stores and closes it" *
          doctest::test_suite("threads")) {
  for (uint64_t round = 0; round < 4; ++round) {
    const ColumnSet columns = round % 2 == 0 ? ColumnSet{} : ColumnSet{true, true, true};
    Random random{round + 1};
    std::atomic<uint64_t> merges{0};
    IndexOptions options;
    options.columns = columns;
    options.head_entries = 300;
    options.small_merge = 3000;
    options.on_merge_end = [&merges] { merges++; };
    const auto made = std::make_shared<Made>();
    std::vector<Entry> held;
    // After the jobs, whose threads it waits for, the index may be gone.
    Jobs jobs;
    auto index = std::make_unique<Index>(options);
    size_t owed = 0;  // Entries of segments that jobs are making.
    for (uint64_t step = 0; step < 24; ++step) {
      const auto entries =
          std::make_shared<EntryList>(NewEntries(step % 4 == 3 ? 900 : 140, columns, &random));
      if (step % 6 == 5) {
        BuildSegment(&jobs, *index, entries, made);
        owed += entries->size();
      } else if (step % 6 == 2) {
        std::vector<AddOutcome> outcomes;
        REQUIRE(index->AddIfNew(entries->view(), 0, 64, &outcomes).ok());
        for (size_t i = 0; i < entries->size(); ++i) {
          if (outcomes[i].added) held.push_back(entries->view()[i]);
        }
      } else {
        REQUIRE(index->Add(entries->view()).ok());
        for (size_t i = 0; i < entries->size(); ++i) held.push_back(entries->view()[i]);
        FindAll(&jobs, index->Snapshot(), entries, step % 4 == 1 ? 7 : 3);
      }
      for (const auto& segment : made->Take()) {
        owed -= segment->size();
        segment->ForEachEntry([&](const Entry& entry, uint64_t) { held.push_back(entry); });
        index->AddSegment(segment);
      }
      if (step % 5 == 2) ListAll(&jobs, index->Snapshot(), columns);
      if (step % 8 == 4) ReadPairs(&jobs, index->Snapshot(), columns);
      for (size_t i = 0; i < 30; ++i) {
        const size_t gone = random.Below(held.size());
        CHECK(index->Remove(held[gone].fingerprint, held[gone].id) == 1);
        held[gone] = held.back();
        held.pop_back();
      }
      if (columns.time && step == 17) {
        uint64_t removed = 0;
        REQUIRE(index->RemoveBefore(5, &removed).ok());
        const auto old = [](const Entry& entry) { return entry.time < 5; };
        held.erase(std::remove_if(held.begin(), held.end(), old), held.end());
      }
      if (step % 7 == 3) index->RequestCompaction();
      if (step % 3 == 1) StoreAll(index.get(), &held);
      CHECK(index->size() == held.size());
      CHECK(jobs.progress() >= 0);
      CHECK(index->compaction_progress() <= 1);
    }
    if (round >= 2) {  // Closed in the middle of everything.
      BuildSegment(&jobs, *index, std::make_shared<EntryList>(NewEntries(20000, columns, &random)), made);
      ListAll(&jobs, index->Snapshot(), columns);
      index->RequestCompaction();
      index->Poll();
      jobs.Cancel();
      index.reset();
      CHECK(merges > 0);
      continue;
    }
    while (owed != 0 || index->merging()) {
      std::this_thread::yield();
      for (const auto& segment : made->Take()) {
        owed -= segment->size();
        segment->ForEachEntry([&](const Entry& entry, uint64_t) { held.push_back(entry); });
        index->AddSegment(segment);
      }
      index->Poll();
    }
    JobControl control;
    Listing listing;
    REQUIRE(Listing::Build(index->Snapshot(), columns, 2, &control, &listing).ok());
    std::sort(held.begin(), held.end(), ListedBefore);
    REQUIRE(listing.size() == held.size());
    for (size_t i = 0; i < held.size(); ++i) {
      REQUIRE(!ListedBefore(listing[i], held[i]));
      REQUIRE(!ListedBefore(held[i], listing[i]));
    }
    // The end of the index waits for its merges, also those that are cancelled.
    index.reset();
    CHECK(merges > 0);
  }
}

TEST_CASE("index threads: two owners share the threads for merges, and either may end first" *
          doctest::test_suite("threads")) {
  for (uint64_t round = 0; round < 8; ++round) {
    std::vector<std::thread> owners;
    for (uint64_t owner = 0; owner < 2; ++owner) {
      owners.emplace_back([round, owner] {
        Random random{100 * round + owner + 1};
        IndexOptions options;
        options.head_entries = 64;
        options.small_merge = 600;
        Index index(options);
        uint64_t held = 0;
        for (uint64_t step = 0; step < 20 + 10 * (round % 3); ++step) {
          const EntryList entries = NewEntries(50, {}, &random);
          CHECK(index.Add(entries.view()).ok());
          held += 50;
          if (step == 10) index.RequestCompaction();
        }
        CHECK(index.size() == held);
      });
    }
    for (std::thread& owner : owners) owner.join();
  }
}

}  // namespace neardup::test
