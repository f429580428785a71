#include "takt_rt/log/log_line.hpp"

#include <cinttypes>
#include <cstdio>

namespace takt_rt
{

std::string_view to_string(LogLevel level) noexcept
{
  switch (level) {
    case LogLevel::debug:
      return "DEBUG";
    case LogLevel::info:
      return "INFO";
    case LogLevel::warn:
      return "WARN";
    default:
      return "ERROR";
  }
}

void write_log_line(const LogLine & line)
{
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::string_view level = to_string(line.level);
  char suppressed[48] = "";
  if (line.suppressed > 0) {
    std::snprintf(
      suppressed, sizeof suppressed, " (and %" PRIu64 " times before)", line.suppressed);
  }
  std::fprintf(
    stderr, "[%.*s] [%" PRId64 ".%09" PRId64 "] [%.*s]: %.*s%s\n", static_cast<int>(level.size()),
    level.data(), line.unix_ns / kSecond, line.unix_ns % kSecond,
    static_cast<int>(line.thread.size()), line.thread.data(), static_cast<int>(line.text.size()),
    line.text.data(), suppressed);
}

}  // namespace takt_rt
