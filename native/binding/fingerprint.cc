#include "binding/register.h"

namespace neardup::binding {

void RegisterFingerprint(Napi::Env, Napi::Object) {}

}  // namespace neardup::binding
