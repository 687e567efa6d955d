// The index on disk for JavaScript: SegmentPayload, Checkpoint and CheckpointPart of lib/engine-storage.ts.
// On the JavaScript thread only.
#ifndef NEARDUP_BINDING_INDEX_STORAGE_H_
#define NEARDUP_BINDING_INDEX_STORAGE_H_

#include <napi.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/index/index.h"
#include "core/storage/stored_part.h"

namespace neardup::binding {

// A SegmentPayload, but for reading through it: the file is mapped.
struct PayloadArguments {
  std::string name, path;
  uint64_t offset = 0, length = 0;
  std::vector<uint64_t> checksums;

  Status Open(std::shared_ptr<SegmentFile>* file) {
    return SegmentFile::Open(name, path, offset, length, std::move(checksums), file);
  }
};
Status ReadPayload(Napi::Env env, Napi::Value value, PayloadArguments* payload);
// The bitmap of removed slots; undefined: none is.
Status ReadRemovedSlots(Napi::Env env, Napi::Value value, std::vector<uint8_t>* removed);

// A Checkpoint. `adopt` puts a file in the place of a part, where the index is open and still holds it.
using AdoptPart = std::function<Status(const StoredPart& part, PayloadArguments* payload)>;
Napi::Value CheckpointValue(Napi::Env env, std::vector<std::shared_ptr<StoredPart>> parts,
                            const AdoptPart& adopt);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_INDEX_STORAGE_H_
