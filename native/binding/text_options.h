// Reads FeatureOptions of lib/engine.ts. On the JavaScript thread only.
#ifndef NEARDUP_BINDING_TEXT_OPTIONS_H_
#define NEARDUP_BINDING_TEXT_OPTIONS_H_

#include <napi.h>

#include <memory>

#include "core/fingerprint/text_hasher.h"

namespace neardup::binding {

using Options = std::shared_ptr<const TextOptions>;

// The facade has checked the options; what it would refuse is read as some valid value here. Null with an
// exception pending where the value is no object or reading it throws.
Options ReadOptions(Napi::Env env, Napi::Value value);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_TEXT_OPTIONS_H_
