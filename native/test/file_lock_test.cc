#include "core/storage/file_lock.h"

#include <doctest/doctest.h>

#if !defined(_WIN32)

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace neardup::test {

namespace {

// An empty file in the folder for temporary ones, while it lives.
class EmptyFile {
 public:
  EmptyFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/neardup-lock-XXXXXX";
    const int file = mkstemp(path_.data());
    REQUIRE(file >= 0);
    close(file);
  }
  ~EmptyFile() { unlink(path_.c_str()); }
  const char* name() const { return path_.c_str(); }
  int Open(int flags) const {
    const int file = open(path_.c_str(), flags | O_CLOEXEC);
    REQUIRE(file >= 0);
    return file;
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("file lock: one exclusive holder, any number of shared ones, given up with the open file") {
  const EmptyFile path;
  const int holder = path.Open(O_RDWR);
  const int first = path.Open(O_RDONLY), second = path.Open(O_RDONLY);
  CHECK(TryLockFile(holder, FileLock::kExclusive) == FileLockOutcome::kLocked);
  CHECK(TryLockFile(holder, FileLock::kExclusive) == FileLockOutcome::kLocked);
  CHECK(TryLockFile(first, FileLock::kShared) == FileLockOutcome::kHeldByAnother);
  CHECK(TryLockFile(first, FileLock::kExclusive) == FileLockOutcome::kHeldByAnother);
  close(holder);
  CHECK(TryLockFile(first, FileLock::kShared) == FileLockOutcome::kLocked);
  CHECK(TryLockFile(second, FileLock::kShared) == FileLockOutcome::kLocked);
  CHECK(TryLockFile(second, FileLock::kExclusive) == FileLockOutcome::kHeldByAnother);
  close(first);
  close(second);
}

TEST_CASE("file lock: what is no open file cannot be locked") {
  const EmptyFile path;
  const int file = path.Open(O_RDONLY);
  close(file);
  CHECK(TryLockFile(file, FileLock::kExclusive) == FileLockOutcome::kUnsupported);
  CHECK(TryLockFile(-1, FileLock::kShared) == FileLockOutcome::kUnsupported);
}

TEST_CASE("file lock: it ends with the process that has it, also by a signal") {
  const EmptyFile path;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool locked =
        TryLockFile(open(path.name(), O_RDWR), FileLock::kExclusive) == FileLockOutcome::kLocked;
    const char answer = locked ? 'y' : 'n';
    if (write(ready[1], &answer, 1) == 1) pause();
    _exit(1);
  }
  char answer = 0;
  CHECK(read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  const int file = path.Open(O_RDONLY);
  CHECK(TryLockFile(file, FileLock::kShared) == FileLockOutcome::kHeldByAnother);
  kill(child, SIGSTOP);
  CHECK(TryLockFile(file, FileLock::kShared) == FileLockOutcome::kHeldByAnother);
  kill(child, SIGKILL);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(TryLockFile(file, FileLock::kShared) == FileLockOutcome::kLocked);
  for (const int each : {file, ready[0], ready[1]}) close(each);
}

}  // namespace neardup::test

#endif
