// The index on disk for JavaScript: SegmentPayload, Checkpoint and CheckpointPart of lib/engine-storage.ts.
// On the JavaScript thread only.
#ifndef NEARDUP_BINDING_INDEX_STORAGE_H_
#define NEARDUP_BINDING_INDEX_STORAGE_H_

#include <napi.h>

#include <memory>

#include "core/base/status.h"
#include "core/index/index.h"

namespace neardup::binding {

// openSegment(file, removed). The index is looked at after the arguments are read, which may close it.
Status AddSegmentFile(const Napi::CallbackInfo& info, const std::unique_ptr<Index>& index);
// A Checkpoint of an index that is open; its parts can be adopted while it is.
Napi::Value CheckpointValue(Napi::Env env, const std::shared_ptr<std::unique_ptr<Index>>& index);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_STORAGE_H_
