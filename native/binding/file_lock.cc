// tryLockFile of lib/engine-storage.ts.
#include "core/storage/file_lock.h"

#include <limits>

#include "binding/errors.h"
#include "binding/index_values.h"
#include "binding/register.h"

namespace neardup::binding {

namespace {

// tryLockFile(file, isShared)
Napi::Value TryLock(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  uint64_t file = 0;
  if (!ReadNumber(info[0], 0, std::numeric_limits<int>::max(), &file)) {
    Throw(env, Status(StatusCode::kInvalidType, "file must be the number of an open file"));
    return Napi::Value();
  }
  const FileLock kind = info[1].ToBoolean() ? FileLock::kShared : FileLock::kExclusive;
  const FileLockOutcome outcome = TryLockFile(static_cast<int>(file), kind);
  if (outcome == FileLockOutcome::kUnsupported) return env.Undefined();
  return Napi::Boolean::New(env, outcome == FileLockOutcome::kLocked);
}

}  // namespace

void RegisterFileLock(Napi::Env env, Napi::Object engine) {
  engine.Set("tryLockFile", Napi::Function::New(env, TryLock, "tryLockFile"));
}

}  // namespace neardup::binding
