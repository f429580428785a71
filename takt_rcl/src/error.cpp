#include "takt_rcl/error.hpp"

#include <rcutils/error_handling.h>

#include <utility>

namespace takt_rcl
{

namespace
{

std::string listed(std::string_view what, const takt_rt::Faults & faults)
{
  std::string text(what);
  const char * separator = faults.size() == 1 ? ": " : ":\n  ";
  for (const takt_rt::Fault & fault : faults) {
    text += separator + to_string(fault);
    separator = "\n  ";
  }
  return text;
}

}  // namespace

Error::Error(std::string_view failed, takt_rt::Faults faults)
: std::runtime_error(listed(failed, faults)),
  failed_(failed),
  faults_(std::move(faults))
{
}

namespace detail
{

std::string take_rcl_error()
{
  if (!rcutils_error_is_set()) {
    return {};
  }
  // rcl chains messages as "text, at file:line"; the positions do not help a reader.
  std::string text = rcutils_get_error_string().str;
  rcutils_reset_error();
  for (std::size_t at = text.find(", at "); at != std::string::npos; at = text.find(", at ", at)) {
    const std::size_t end = text.find_first_of(",'\n", at + 5);
    text.erase(at, end == std::string::npos ? end : end - at);
  }
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    const std::size_t end = text.find_first_not_of("\n ", at);
    text.replace(
      at, end == std::string::npos ? end : end - at, end == std::string::npos ? "" : "; ");
  }
  return text;
}

void ignore(int result) noexcept
{
  if (result != 0) {
    rcutils_reset_error();
  }
}

void throw_rcl(const std::string & what)
{
  const std::string error = take_rcl_error();
  throw Error(error.empty() ? what : what + ": " + error);
}

void throw_faults(std::string_view what, const takt_rt::Faults & faults)
{
  if (!faults.empty()) {
    throw Error(what, faults);
  }
}

void throw_schedule_faults(std::string_view what, const takt_rt::Faults & faults)
{
  if (!faults.empty()) {
    throw ScheduleError(what, faults);
  }
}

}  // namespace detail
}  // namespace takt_rcl
