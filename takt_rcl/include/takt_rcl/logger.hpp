// Named loggers on ROS 2's logging: console, log file and /rosout.
//
// May block and allocate: not for real-time code. A message below the logger's level costs a look-up.
#ifndef TAKT_RCL__LOGGER_HPP_
#define TAKT_RCL__LOGGER_HPP_

#include <rcutils/logging_macros.h>

#include <string>
#include <utility>

namespace takt_rcl
{

class Logger
{
public:
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
  Logger get_child(const std::string & suffix) const { return Logger(name_ + "." + suffix); }
  void set_level(Level level);
  Level get_effective_level() const;

private:
  std::string name_;
};

inline Logger get_logger(const std::string & name)
{
  return Logger(name);
}

}  // namespace takt_rcl

/// printf-style, as RCLCPP_INFO and its siblings.
#define TAKT_DEBUG(logger, ...) RCUTILS_LOG_DEBUG_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_INFO(logger, ...) RCUTILS_LOG_INFO_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_WARN(logger, ...) RCUTILS_LOG_WARN_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_ERROR(logger, ...) RCUTILS_LOG_ERROR_NAMED((logger).get_name(), __VA_ARGS__)
#define TAKT_FATAL(logger, ...) RCUTILS_LOG_FATAL_NAMED((logger).get_name(), __VA_ARGS__)

#endif  // TAKT_RCL__LOGGER_HPP_
