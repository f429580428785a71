// The exceptions of set-up operations that ROS 2 refuses: one clear sentence.
//
// Set-up functions have rclcpp's names and therefore report faults as rclcpp does: by exceptions.
// Real-time safe functions do not throw.
#ifndef TAKT_RCL__ERROR_HPP_
#define TAKT_RCL__ERROR_HPP_

#include <stdexcept>
#include <string>
#include <string_view>

#include "takt_rt/fault.hpp"

namespace takt_rcl
{

/// Set-up functions throw it.
class Error : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
  /// `what()` is made of both: "<failed>: <fault>", or a line for each fault. Allocates.
  Error(std::string_view failed, takt_rt::Faults faults);

  /// The failed operation; empty if the error has no faults as values.
  const std::string & failed() const noexcept { return failed_; }
  /// The reasons, as values.
  const takt_rt::Faults & faults() const noexcept { return faults_; }

private:
  std::string failed_{};
  takt_rt::Faults faults_{};
};

/// The schedule does not fit the callbacks.
class ScheduleError : public Error
{
public:
  using Error::Error;
};

namespace detail
{

/// rcl's error text without source positions; clears it. Empty if there is none.
std::string take_rcl_error();

/// Ignores `result`, for which there is no remedy (such as that of a `fini`), and clears rcl's
/// error. Real-time safe.
void ignore(int result) noexcept;

/// Throws `Error` with "<what>: <rcl's error>".
[[noreturn]] void throw_rcl(const std::string & what);

/// Throws `Error` with all faults in one text; does nothing if there are none.
void throw_faults(std::string_view what, const takt_rt::Faults & faults);
/// The same with `ScheduleError`.
void throw_schedule_faults(std::string_view what, const takt_rt::Faults & faults);

}  // namespace detail
}  // namespace takt_rcl

#endif  // TAKT_RCL__ERROR_HPP_
