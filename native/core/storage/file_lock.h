// The system's own lock of a file (flock): held by an open file, and given up by the system when that is
// closed, however its process ends. Seen by every process of the system, in containers as well. Thread-safe;
// never waits.
#ifndef NEARDUP_CORE_STORAGE_FILE_LOCK_H_
#define NEARDUP_CORE_STORAGE_FILE_LOCK_H_

namespace neardup {

enum class FileLock { kExclusive, kShared };

enum class FileLockOutcome {
  kLocked,
  kHeldByAnother,  // Another open file has it, of this process or another; shared ones go together.
  kUnsupported,    // Not on this platform or file system, or not an open file.
};

FileLockOutcome TryLockFile(int file, FileLock kind);

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_FILE_LOCK_H_
