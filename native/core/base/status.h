// The outcome of an operation that can fail: a code and a message that says what to do. The core reports
// failure by value; the binding maps it to a JavaScript error in one place (binding/errors.cc).
#ifndef NEARDUP_CORE_BASE_STATUS_H_
#define NEARDUP_CORE_BASE_STATUS_H_

#include <string>
#include <utility>

namespace neardup {

enum class StatusCode {
  kOk,
  kInvalidType,
  kOutOfRange,
  kClosed,
  kOutOfMemory,
  kUnsupported,
  kAborted,
  kCorrupt,  // A stored file is not what was written.
  kIo,       // The system refused to open or to read a file.
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status OutOfMemory(std::string what) {
    return Status(StatusCode::kOutOfMemory, "out of memory: " + std::move(what));
  }

  // Takes no memory: for where even the message might not find any.
  static Status OutOfMemory() { return Status(StatusCode::kOutOfMemory, "out of memory"); }
  static Status Aborted() { return Status(StatusCode::kAborted, "aborted"); }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

}  // namespace neardup

#endif  // NEARDUP_CORE_BASE_STATUS_H_
