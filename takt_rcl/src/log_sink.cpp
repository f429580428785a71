#include <rcutils/logging.h>

#include <cstdarg>
#include <functional>
#include <string>

#include "takt_rcl/logger.hpp"

namespace takt_rcl
{

namespace
{

int severity_of(takt_rt::LogLevel level) noexcept
{
  switch (level) {
    case takt_rt::LogLevel::debug:
      return RCUTILS_LOG_SEVERITY_DEBUG;
    case takt_rt::LogLevel::info:
      return RCUTILS_LOG_SEVERITY_INFO;
    case takt_rt::LogLevel::warn:
      return RCUTILS_LOG_SEVERITY_WARN;
    default:
      return RCUTILS_LOG_SEVERITY_ERROR;
  }
}

// As rcutils_log, which would take the time of the writing instead of the call's.
void write(
  const rcutils_log_location_t & location, int severity, const char * name,
  rcutils_time_point_value_t time, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (const rcutils_logging_output_handler_t handler = rcutils_logging_get_output_handler();
      handler != nullptr) {
    handler(&location, severity, name, time, format, &arguments);
  }
  va_end(arguments);
}

}  // namespace

std::function<void(const takt_rt::LogLine &)> log_sink(const Logger & logger)
{
  return [name = std::string(logger.get_name())](const takt_rt::LogLine & line) {
    const int severity = severity_of(line.level);
    if (!rcutils_logging_logger_is_enabled_for(name.c_str(), severity)) {
      return;
    }
    std::string text(line.text);
    if (line.suppressed > 0) {
      text += " (and " + std::to_string(line.suppressed) + " times before)";
    }
    const std::string thread(
      line.thread);  // in the place of the function, which a line does not have
    const rcutils_log_location_t location{
      thread.c_str(), line.file, static_cast<std::size_t>(line.line)};
    write(location, severity, name.c_str(), line.unix_ns, "%s", text.c_str());
  };
}

}  // namespace takt_rcl
