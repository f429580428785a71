#include "takt_rcl/logger.hpp"

#include <rcutils/logging.h>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{

void Logger::set_level(Level level)
{
  if (rcutils_logging_set_logger_level(name_.c_str(), static_cast<int>(level)) != RCUTILS_RET_OK) {
    detail::throw_rcl("cannot set the level of logger " + name_);
  }
}

Logger::Level Logger::get_effective_level() const
{
  return static_cast<Level>(rcutils_logging_get_logger_effective_level(name_.c_str()));
}

}  // namespace takt_rcl
