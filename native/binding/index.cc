#include "binding/register.h"

namespace neardup::binding {

void RegisterIndex(Napi::Env, Napi::Object) {}

}  // namespace neardup::binding
