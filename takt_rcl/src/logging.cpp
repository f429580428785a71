#include "logging.hpp"

#include <rcl/allocator.h>
#include <rcl/logging.h>
#include <rcutils/logging.h>

#include <cstdarg>

#include "takt_rcl/error.hpp"

namespace takt_rcl::logging
{

namespace
{

int g_users = 0;
constexpr const char * kRcl = "rcl";

// rcl's handler is not thread-safe: it walks the table of /rosout publishers.
void write(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t timestamp, const char * format, va_list * arguments)
{
  std::lock_guard lock(mutex());
  rcl_logging_multiple_output_handler(location, severity, name, timestamp, format, arguments);
}

}  // namespace

std::recursive_mutex & mutex()
{
  // Never destroyed: static destructors may still log.
  static auto * const the_mutex = new std::recursive_mutex;
  return *the_mutex;
}

void acquire(const rcl_arguments_t & arguments)
{
  std::lock_guard lock(mutex());
  if (g_users == 0) {
    const rcl_allocator_t allocator = rcl_get_default_allocator();
    if (rcl_logging_configure_with_output_handler(&arguments, &allocator, &write) != RCL_RET_OK) {
      detail::throw_rcl("cannot configure logging");
    }
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
