#include "logging.hpp"

#include <rcl/allocator.h>
#include <rcl/logging.h>
#include <rcutils/logging.h>

#include <rcutils/logging_macros.h>

#include <algorithm>
#include <cstdarg>
#include <string>
#include <vector>

#include "takt_rcl/error.hpp"

namespace takt_rcl::logging
{

namespace
{

int g_users = 0;
constexpr const char * kRcl = "rcl";

// rcl's handler is not thread-safe: it reads the table of /rosout publishers.
void write(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t timestamp, const char * format, va_list * arguments)
{
  std::lock_guard lock(mutex());
  rcl_logging_multiple_output_handler(location, severity, name, timestamp, format, arguments);
}

bool configure(const rcl_arguments_t & arguments)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  return rcl_logging_configure_with_output_handler(&arguments, &allocator, &write) == RCL_RET_OK;
}

// The same arguments, but no log files.
bool configure_without_files(int argc, const char * const * argv)
{
  std::vector<const char *> all(argv, argv + std::min(argc, 1));
  all.insert(all.end(), {"--ros-args", "--disable-external-lib-logs", "--"});
  all.insert(all.end(), argv + std::min(argc, 1), argv + argc);
  rcl_arguments_t arguments = rcl_get_zero_initialized_arguments();
  if (
    rcl_parse_arguments(
      static_cast<int>(all.size()), all.data(), rcl_get_default_allocator(), &arguments) !=
    RCL_RET_OK) {
    return false;
  }
  const bool configured = configure(arguments);
  detail::ignore(rcl_arguments_fini(&arguments));
  return configured;
}

}  // namespace

std::recursive_mutex & mutex()
{
  // Never destroyed: static destructors may still log.
  static auto * const the_mutex = new std::recursive_mutex;
  return *the_mutex;
}

void acquire(const rcl_arguments_t & arguments, int argc, const char * const * argv)
{
  std::lock_guard lock(mutex());
  if (g_users == 0 && !configure(arguments)) {
    const std::string why = detail::take_rcl_error();
    if (!configure_without_files(argc, argv)) {
      detail::take_rcl_error();
      throw Error("cannot configure logging" + (why.empty() ? why : ": " + why));
    }
    RCUTILS_LOG_WARN_NAMED(
      "takt",
      "cannot write log files (%s); logging to the console only. Set ROS_LOG_DIR to a directory "
      "that "
      "can be written to",
      why.c_str());
  }
  ++g_users;
}

void release() noexcept
{
  std::lock_guard lock(mutex());
  if (--g_users == 0 && rcl_logging_fini() != RCL_RET_OK) {
    detail::take_rcl_error();
  }
}

QuietRcl::QuietRcl() : level_(rcutils_logging_get_logger_level(kRcl))
{
  detail::ignore(rcutils_logging_set_logger_level(kRcl, RCUTILS_LOG_SEVERITY_FATAL));
}

QuietRcl::~QuietRcl()
{
  detail::ignore(rcutils_logging_set_logger_level(kRcl, level_));
}

}  // namespace takt_rcl::logging
