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

/// How many characters of its strings a printf format takes, by the place of the argument.
struct LogPrecisions
{
  static constexpr int kPlaces = 10;
  static constexpr int kNone = -1;  ///< all of the string, to its zero

  /// 0 and more: so many characters. kFromPlace - p: as many as the argument at place p says.
  int at[kPlaces] = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};

  static constexpr int kFromPlace = -2;
};

/// Reads the precisions of `%.5s` and `%.*s`: such a string may have no zero at its end. A format
/// that numbers its arguments (`%1$s`) has none. Real-time safe.
constexpr LogPrecisions log_precisions(const char * format) noexcept
{
  LogPrecisions found;
  int place = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (const char * at = format; *at != 0; ++at) {
    if (*at != '%') {
      continue;
    }
    ++at;
    while (*at == '-' || *at == '+' || *at == ' ' || *at == '#' || *at == '0' || *at == '\'') {
      ++at;
    }
    if (*at == '*') {
      ++place;
      ++at;
    }
    while (is_digit(*at)) {
      ++at;
    }
    int precision = LogPrecisions::kNone;
    if (*at == '.') {
      precision = 0;
      ++at;
      if (*at == '*') {
        precision = LogPrecisions::kFromPlace - place;
        ++place;
        ++at;
      }
      for (; is_digit(*at); ++at) {
        precision = precision > 100'000 ? precision : 10 * precision + (*at - '0');
      }
    }
    while (*at == 'h' || *at == 'l' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'L') {
      ++at;
    }
    if (*at == 0 || *at == '$') {
      return {};
    }
    if (*at == '%') {
      continue;
    }
    if (*at == 's' && place < LogPrecisions::kPlaces) {
      found.at[place] = precision;
    }
    ++place;
  }
  return found;
}

/// A place of the program that logs.
struct LogSite
{
  LogLevel level;
  const char * file;
  int line;
  const char * format;
  LogPrecisions precisions = log_precisions(format);
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

/// The default sink: writes "[WARN] [1764422719.123456789] [control]: text" to the standard error
/// output. May block.
void write_log_line(const LogLine & line);

}  // namespace takt_rt

#endif  // TAKT_RT__LOG__LOG_LINE_HPP_
