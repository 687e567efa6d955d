// The classes Fingerprinter and Hasher of lib/engine.ts over core/fingerprint/text_hasher.
#ifndef NEARDUP_BINDING_TEXT_HASHER_H_
#define NEARDUP_BINDING_TEXT_HASHER_H_

#include <napi.h>

namespace neardup::binding {

// Sets engine.createFingerprinter.
void RegisterFingerprinter(Napi::Env env, Napi::Object engine);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_TEXT_HASHER_H_
