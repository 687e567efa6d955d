// Runs independent tasks on a few threads. Tasks must not throw; results must not depend on which thread ran
// which task, so that any number of threads gives the same outcome.
#ifndef NEARDUP_CORE_BASE_PARALLEL_H_
#define NEARDUP_CORE_BASE_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace neardup {

// Calls body(0) .. body(tasks - 1), on at most `threads` threads, the caller's included; returns when all are
// done. Where the system refuses a thread, the others do its share.
void ParallelFor(unsigned threads, size_t tasks, const std::function<void(size_t)>& body);
// As above; body(task, worker) also learns which thread it runs on, 0 .. threads - 1, to use memory of its
// own.
void ParallelForWorkers(unsigned threads, size_t tasks, const std::function<void(size_t, unsigned)>& body);

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_PARALLEL_H_
