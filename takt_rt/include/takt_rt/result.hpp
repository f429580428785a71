// A value or the list of all faults: the result of set-up operations.
//
// Set-up only: holds strings and allocates. Real-time code never returns it.
#ifndef TAKT_RT__RESULT_HPP_
#define TAKT_RT__RESULT_HPP_

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "takt_rt/fault.hpp"

namespace takt_rt
{

/// Either a `T` or a non-empty list of faults. Another package may have its own fault type `F`; if
/// `F` converts to another fault type, so do lists.
///
/// A temporary returns its content by value, so that `for (... : make().value())` and `const auto &
/// x = *make()` keep it alive.
template <typename T, typename F = Fault>
class [[nodiscard]] Result
{
public:
  using FaultList = std::vector<F>;

  Result(T value) : content_(std::move(value)) {}            // NOLINT: implicit by intent
  Result(FaultList faults) : content_(std::move(faults)) {}  // NOLINT: implicit by intent
  template <
    typename G,
    typename = std::enable_if_t<!std::is_same_v<F, G> && std::is_convertible_v<const G &, F>>>
  Result(const std::vector<G> & faults)  // NOLINT: implicit by intent
  : content_(FaultList(faults.begin(), faults.end()))
  {
  }

  /// True if the result holds a value, and no faults.
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

  /// The faults; empty if `ok()`. Lives as long as the result, so that both ends of a range belong
  /// to one list.
  const FaultList & faults() const & { return ok() ? none() : std::get<1>(content_); }
  FaultList faults() && { return ok() ? FaultList{} : std::get<1>(std::move(content_)); }

private:
  static const FaultList & none()
  {
    // never destroyed: programs call this during exit too
    static const FaultList & empty = *new FaultList;
    return empty;
  }

  std::variant<T, FaultList> content_;
};

/// Success, or a list of faults.
template <typename F>
class [[nodiscard]] BasicStatus
{
public:
  using FaultList = std::vector<F>;

  BasicStatus() = default;
  BasicStatus(FaultList faults) : faults_(std::move(faults)) {}  // NOLINT: implicit by intent

  /// True if there are no faults.
  bool ok() const noexcept { return faults_.empty(); }
  explicit operator bool() const noexcept { return ok(); }
  /// The faults; empty if `ok()`.
  const FaultList & faults() const & noexcept { return faults_; }
  FaultList faults() && noexcept { return std::move(faults_); }

private:
  FaultList faults_;
};

using Status = BasicStatus<Fault>;

}  // namespace takt_rt

#endif  // TAKT_RT__RESULT_HPP_
