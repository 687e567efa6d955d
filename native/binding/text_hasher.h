// The classes Fingerprinter and Hasher of lib/engine.ts over core/fingerprint/text_hasher (register.h makes
// them known). Any value is safe as an argument and as `this`: the objects carry type tags.
#ifndef NEARDUP_BINDING_TEXT_HASHER_H_
#define NEARDUP_BINDING_TEXT_HASHER_H_

#include <napi.h>

#include "binding/text_options.h"

namespace neardup::binding {

// The options of a Fingerprinter; null for any other value.
Options OptionsOf(Napi::Value value);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_TEXT_HASHER_H_
