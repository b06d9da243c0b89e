//===- Result.h - a value, or why there is none ----------------*- C++ -*-===//
//
// The reference is plain C++ and throws nothing: what can fail on bad input
// returns a `Result`, whose message says what is wrong and what would work.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_RESULT_H
#define SMX_REFERENCE_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace smx::reference {

/// Why something failed. Made apart from `Result` so that `return Failure{...}`
/// reads as one.
struct Failure {
  std::string message;
};

/// Either a value or the message of a failure.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Failure failure) : failureMessage(std::move(failure.message)) {}

  explicit operator bool() const { return held.has_value(); }
  /// The message of the failure; empty on success.
  const std::string &message() const { return failureMessage; }

  T &operator*() {
    assert(held && "a failed result has no value");
    return *held;
  }
  const T &operator*() const {
    assert(held && "a failed result has no value");
    return *held;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  std::optional<T> held;
  std::string failureMessage;
};

/// For what has no value to give.
using Status = Result<std::monostate>;
inline Status success() { return std::monostate(); }

} // namespace smx::reference

#endif // SMX_REFERENCE_RESULT_H
