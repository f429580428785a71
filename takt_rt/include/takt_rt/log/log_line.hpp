// A line of a Logger, as its sink gets it.
#ifndef TAKT_RT__LOG__LOG_LINE_HPP_
#define TAKT_RT__LOG__LOG_LINE_HPP_

#include <cstdint>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// How important a line is.
enum class LogLevel : std::uint8_t
{
  debug,
  info,
  warn,
  error
};

/// "DEBUG", "INFO", "WARN", "ERROR". Real-time safe.
std::string_view to_string(LogLevel level) noexcept;

/// A place of the program that logs.
struct LogSite
{
  LogLevel level;
  const char * file;
  int line;
  const char * format;
};

/// One line. The texts live until the sink returns.
struct LogLine
{
  Time time;             ///< of the call, on the monotonic clock
  std::int64_t unix_ns;  ///< the same time on the host's clock, in ns since 1970
  LogLevel level;
  std::string_view thread;  ///< the calling thread's OS name; its number, if it has ended
  std::string_view text;
  const char * file;
  int line;
  std::uint64_t
    suppressed;  ///< calls of the same place that its rate limit left out before this line
};

/// The default sink: writes "[WARN] [1764422719.123456789] [control]: text" to the standard error output. May block.
void write_log_line(const LogLine & line);

}  // namespace takt_rt

#endif  // TAKT_RT__LOG__LOG_LINE_HPP_
