// Named loggers on ROS 2's logging: console, log file and /rosout.
//
// May block and allocate: not for real-time code. A message below the logger's level costs a
// look-up.
#ifndef TAKT_RCL__LOGGER_HPP_
#define TAKT_RCL__LOGGER_HPP_

#include <rcutils/logging_macros.h>

#include <functional>
#include <sstream>
#include <string>
#include <utility>

#include "takt_rt/log/log_line.hpp"

namespace takt_rcl
{

/// The name of a logger. Copies name the same logger.
class Logger
{
public:
  /// rcutils' severities.
  enum class Level
  {
    Unset = RCUTILS_LOG_SEVERITY_UNSET,
    Debug = RCUTILS_LOG_SEVERITY_DEBUG,
    Info = RCUTILS_LOG_SEVERITY_INFO,
    Warn = RCUTILS_LOG_SEVERITY_WARN,
    Error = RCUTILS_LOG_SEVERITY_ERROR,
    Fatal = RCUTILS_LOG_SEVERITY_FATAL,
  };

  explicit Logger(std::string name) : name_(std::move(name)) {}

  const char * get_name() const noexcept { return name_.c_str(); }
  /// The logger `name.suffix`.
  Logger get_child(const std::string & suffix) const { return Logger(name_ + "." + suffix); }
  /// Sets the least severity that this logger writes.
  void set_level(Level level);
  /// The level of this logger, or of the nearest logger above it that has one.
  Level get_effective_level() const;

private:
  std::string name_;
};

/// A sink for a real-time safe logger (takt_rt/log/logger.hpp):
///
///     takt_rt::LoggerOptions options;
///     options.sink = takt_rcl::log_sink(node->get_logger());
///     takt_rt::Logger logger(options);
///     TAKT_RT_LOG(logger, warn, "late by %d us", us);   // on a real-time thread
///
/// It writes each line under `logger`'s name, at the time of the call, if the logger's level lets
/// it pass: to console, log file and /rosout. A line that stands for others, which its rate limit
/// left out, says so. The real-time safe logger must end before the last context, which ends ROS
/// 2's logging. Set-up only; the sink itself may block and allocate, on that logger's background
/// thread.
std::function<void(const takt_rt::LogLine &)> log_sink(const Logger & logger);

/// The logger `name`, without a node.
inline Logger get_logger(const std::string & name)
{
  return Logger(name);
}

namespace detail
{

/// Reads a clock of takt for rcutils.
template <typename Clock>
auto log_clock(Clock & clock)
{
  return [&clock](rcutils_time_point_value_t * now) -> rcutils_ret_t {
    *now = clock.now().nanoseconds();
    return RCUTILS_RET_OK;
  };
}

}  // namespace detail
}  // namespace takt_rcl

// rclcpp's logging macros with TAKT_ for RCLCPP_: printf-style, and _STREAM for `a << b`.
//
//     TAKT_INFO(logger, "%d", n)                     always
//     TAKT_INFO_ONCE(logger, ...)                    the first time
//     TAKT_INFO_SKIPFIRST(logger, ...)               except the first time
//     TAKT_INFO_EXPRESSION(logger, condition, ...)   if it holds
//     TAKT_INFO_THROTTLE(logger, clock, ms, ...)     at most once in so many milliseconds
//
// Streamed values are formatted only if the logger's level lets the message pass.
#define TAKT_LOG_STREAM_(MACRO, stream, ...)                                               \
  do {                                                                                     \
    MACRO(                                                                                 \
      __VA_ARGS__, "%s",                                                                   \
      (static_cast<std::ostringstream &&>(std::ostringstream() << stream)).str().c_str()); \
  } while (0)

#define TAKT_DEBUG(logger, ...) RCUTILS_LOG_DEBUG_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_DEBUG_ONCE(logger, ...) RCUTILS_LOG_DEBUG_ONCE_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_DEBUG_SKIPFIRST(logger, ...) \
  RCUTILS_LOG_DEBUG_SKIPFIRST_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_DEBUG_EXPRESSION(logger, condition, ...) \
  RCUTILS_LOG_DEBUG_EXPRESSION_NAMED(condition, (logger).get_name(), __VA_ARGS__)
#define TAKT_DEBUG_THROTTLE(logger, clock, ms, ...) \
  RCUTILS_LOG_DEBUG_THROTTLE_NAMED(                 \
    takt_rcl::detail::log_clock(clock), ms, (logger).get_name(), __VA_ARGS__)
#define TAKT_DEBUG_STREAM(logger, stream) TAKT_LOG_STREAM_(TAKT_DEBUG, stream, logger)
#define TAKT_DEBUG_STREAM_ONCE(logger, stream) TAKT_LOG_STREAM_(TAKT_DEBUG_ONCE, stream, logger)
#define TAKT_DEBUG_STREAM_SKIPFIRST(logger, stream) \
  TAKT_LOG_STREAM_(TAKT_DEBUG_SKIPFIRST, stream, logger)
#define TAKT_DEBUG_STREAM_EXPRESSION(logger, condition, stream) \
  TAKT_LOG_STREAM_(TAKT_DEBUG_EXPRESSION, stream, logger, condition)
#define TAKT_DEBUG_STREAM_THROTTLE(logger, clock, ms, stream) \
  TAKT_LOG_STREAM_(TAKT_DEBUG_THROTTLE, stream, logger, clock, ms)

#define TAKT_INFO(logger, ...) RCUTILS_LOG_INFO_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_INFO_ONCE(logger, ...) RCUTILS_LOG_INFO_ONCE_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_INFO_SKIPFIRST(logger, ...) \
  RCUTILS_LOG_INFO_SKIPFIRST_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_INFO_EXPRESSION(logger, condition, ...) \
  RCUTILS_LOG_INFO_EXPRESSION_NAMED(condition, (logger).get_name(), __VA_ARGS__)
#define TAKT_INFO_THROTTLE(logger, clock, ms, ...) \
  RCUTILS_LOG_INFO_THROTTLE_NAMED(                 \
    takt_rcl::detail::log_clock(clock), ms, (logger).get_name(), __VA_ARGS__)
#define TAKT_INFO_STREAM(logger, stream) TAKT_LOG_STREAM_(TAKT_INFO, stream, logger)
#define TAKT_INFO_STREAM_ONCE(logger, stream) TAKT_LOG_STREAM_(TAKT_INFO_ONCE, stream, logger)
#define TAKT_INFO_STREAM_SKIPFIRST(logger, stream) \
  TAKT_LOG_STREAM_(TAKT_INFO_SKIPFIRST, stream, logger)
#define TAKT_INFO_STREAM_EXPRESSION(logger, condition, stream) \
  TAKT_LOG_STREAM_(TAKT_INFO_EXPRESSION, stream, logger, condition)
#define TAKT_INFO_STREAM_THROTTLE(logger, clock, ms, stream) \
  TAKT_LOG_STREAM_(TAKT_INFO_THROTTLE, stream, logger, clock, ms)

#define TAKT_WARN(logger, ...) RCUTILS_LOG_WARN_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_WARN_ONCE(logger, ...) RCUTILS_LOG_WARN_ONCE_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_WARN_SKIPFIRST(logger, ...) \
  RCUTILS_LOG_WARN_SKIPFIRST_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_WARN_EXPRESSION(logger, condition, ...) \
  RCUTILS_LOG_WARN_EXPRESSION_NAMED(condition, (logger).get_name(), __VA_ARGS__)
#define TAKT_WARN_THROTTLE(logger, clock, ms, ...) \
  RCUTILS_LOG_WARN_THROTTLE_NAMED(                 \
    takt_rcl::detail::log_clock(clock), ms, (logger).get_name(), __VA_ARGS__)
#define TAKT_WARN_STREAM(logger, stream) TAKT_LOG_STREAM_(TAKT_WARN, stream, logger)
#define TAKT_WARN_STREAM_ONCE(logger, stream) TAKT_LOG_STREAM_(TAKT_WARN_ONCE, stream, logger)
#define TAKT_WARN_STREAM_SKIPFIRST(logger, stream) \
  TAKT_LOG_STREAM_(TAKT_WARN_SKIPFIRST, stream, logger)
#define TAKT_WARN_STREAM_EXPRESSION(logger, condition, stream) \
  TAKT_LOG_STREAM_(TAKT_WARN_EXPRESSION, stream, logger, condition)
#define TAKT_WARN_STREAM_THROTTLE(logger, clock, ms, stream) \
  TAKT_LOG_STREAM_(TAKT_WARN_THROTTLE, stream, logger, clock, ms)

#define TAKT_ERROR(logger, ...) RCUTILS_LOG_ERROR_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_ERROR_ONCE(logger, ...) RCUTILS_LOG_ERROR_ONCE_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_ERROR_SKIPFIRST(logger, ...) \
  RCUTILS_LOG_ERROR_SKIPFIRST_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_ERROR_EXPRESSION(logger, condition, ...) \
  RCUTILS_LOG_ERROR_EXPRESSION_NAMED(condition, (logger).get_name(), __VA_ARGS__)
#define TAKT_ERROR_THROTTLE(logger, clock, ms, ...) \
  RCUTILS_LOG_ERROR_THROTTLE_NAMED(                 \
    takt_rcl::detail::log_clock(clock), ms, (logger).get_name(), __VA_ARGS__)
#define TAKT_ERROR_STREAM(logger, stream) TAKT_LOG_STREAM_(TAKT_ERROR, stream, logger)
#define TAKT_ERROR_STREAM_ONCE(logger, stream) TAKT_LOG_STREAM_(TAKT_ERROR_ONCE, stream, logger)
#define TAKT_ERROR_STREAM_SKIPFIRST(logger, stream) \
  TAKT_LOG_STREAM_(TAKT_ERROR_SKIPFIRST, stream, logger)
#define TAKT_ERROR_STREAM_EXPRESSION(logger, condition, stream) \
  TAKT_LOG_STREAM_(TAKT_ERROR_EXPRESSION, stream, logger, condition)
#define TAKT_ERROR_STREAM_THROTTLE(logger, clock, ms, stream) \
  TAKT_LOG_STREAM_(TAKT_ERROR_THROTTLE, stream, logger, clock, ms)

#define TAKT_FATAL(logger, ...) RCUTILS_LOG_FATAL_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_FATAL_ONCE(logger, ...) RCUTILS_LOG_FATAL_ONCE_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_FATAL_SKIPFIRST(logger, ...) \
  RCUTILS_LOG_FATAL_SKIPFIRST_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_FATAL_EXPRESSION(logger, condition, ...) \
  RCUTILS_LOG_FATAL_EXPRESSION_NAMED(condition, (logger).get_name(), __VA_ARGS__)
#define TAKT_FATAL_THROTTLE(logger, clock, ms, ...) \
  RCUTILS_LOG_FATAL_THROTTLE_NAMED(                 \
    takt_rcl::detail::log_clock(clock), ms, (logger).get_name(), __VA_ARGS__)
#define TAKT_FATAL_STREAM(logger, stream) TAKT_LOG_STREAM_(TAKT_FATAL, stream, logger)
#define TAKT_FATAL_STREAM_ONCE(logger, stream) TAKT_LOG_STREAM_(TAKT_FATAL_ONCE, stream, logger)
#define TAKT_FATAL_STREAM_SKIPFIRST(logger, stream) \
  TAKT_LOG_STREAM_(TAKT_FATAL_SKIPFIRST, stream, logger)
#define TAKT_FATAL_STREAM_EXPRESSION(logger, condition, stream) \
  TAKT_LOG_STREAM_(TAKT_FATAL_EXPRESSION, stream, logger, condition)
#define TAKT_FATAL_STREAM_THROTTLE(logger, clock, ms, stream) \
  TAKT_LOG_STREAM_(TAKT_FATAL_THROTTLE, stream, logger, clock, ms)

#endif  // TAKT_RCL__LOGGER_HPP_
