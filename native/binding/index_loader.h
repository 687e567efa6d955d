// A Loader of lib/engine.ts: collects batches, makes a segment of them on another thread.
#ifndef NEARDUP_BINDING_INDEX_LOADER_H_
#define NEARDUP_BINDING_INDEX_LOADER_H_

#include <napi.h>

#include <memory>

#include "binding/index_jobs.h"

namespace neardup::binding {

// {add(entries), finish() -> Job<true>, close()} of an index that is open. *index is empty once that is
// closed; `begun` is told of the job, to cancel it then.
Napi::Value MakeLoader(Napi::Env env, const IndexHolder& index, const std::shared_ptr<Begun>& begun);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_LOADER_H_
