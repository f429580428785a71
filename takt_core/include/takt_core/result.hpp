// A value or the list of everything that was wrong: how set-up operations report faults.
//
// Set-up only: holds strings and allocates. Nothing that runs after start returns it.
#ifndef TAKT_CORE__RESULT_HPP_
#define TAKT_CORE__RESULT_HPP_

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace takt_core
{

/// All faults found by one operation, each one sentence: what, where, what to do.
using Faults = std::vector<std::string>;

/// Either a `T` or a non-empty list of faults.
///
/// What a temporary holds is given out by value, so that `for (... : make().value())` and
/// `const auto & x = *make()` hold what they name.
template <typename T>
class [[nodiscard]] Result
{
public:
  Result(T value) : content_(std::move(value)) {}         // NOLINT: implicit by intent
  Result(Faults faults) : content_(std::move(faults)) {}  // NOLINT: implicit by intent

  bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// The value; only if `ok()`.
  T & value() & { return std::get<0>(content_); }
  const T & value() const & { return std::get<0>(content_); }
  T value() && { return std::get<0>(std::move(content_)); }
  T & operator*() & { return value(); }
  const T & operator*() const & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T * operator->() { return &std::get<0>(content_); }
  const T * operator->() const { return &std::get<0>(content_); }

  /// The faults; empty when `ok()`.
  Faults faults() const { return ok() ? Faults{} : std::get<1>(content_); }

private:
  std::variant<T, Faults> content_;
};

/// Success, or a list of faults.
class [[nodiscard]] Status
{
public:
  Status() = default;
  Status(Faults faults) : faults_(std::move(faults)) {}  // NOLINT: implicit by intent

  bool ok() const noexcept { return faults_.empty(); }
  explicit operator bool() const noexcept { return ok(); }
  const Faults & faults() const & noexcept { return faults_; }
  Faults faults() && noexcept { return std::move(faults_); }

private:
  Faults faults_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__RESULT_HPP_
