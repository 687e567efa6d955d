// Runs independent tasks on a few threads. Results must not depend on which thread ran which task, so that
// any number of threads gives the same outcome. When a task throws, no more are handed out, those under way
// end, and the exception of the lowest task that threw is thrown on the caller's thread.
#ifndef NEARDUP_CORE_BASE_PARALLEL_H_
#define NEARDUP_CORE_BASE_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace neardup {

// Calls body(0) .. body(tasks - 1), in ascending order, on at most `threads` threads, the caller's included;
// returns when all are done. Where the system refuses a thread, the others do its share.
void ParallelFor(unsigned threads, size_t tasks, const std::function<void(size_t)>& body);
// As above; body(task, worker) also learns which thread it runs on, 0 .. threads - 1, to use memory of its
// own.
void ParallelForWorkers(unsigned threads, size_t tasks, const std::function<void(size_t, unsigned)>& body);

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_PARALLEL_H_
