#include "core/storage/file_lock.h"

#if !defined(_WIN32)
#include <sys/file.h>

#include <cerrno>
#endif

namespace neardup {

#if defined(_WIN32)

FileLockOutcome TryLockFile(int, FileLock) { return FileLockOutcome::kUnsupported; }

#else

FileLockOutcome TryLockFile(int file, FileLock kind) {
  const int operation = (kind == FileLock::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  int result = 0;
  do {
    result = flock(file, operation);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return FileLockOutcome::kLocked;
  return errno == EWOULDBLOCK ? FileLockOutcome::kHeldByAnother : FileLockOutcome::kUnsupported;
}

#endif

}  // namespace neardup
