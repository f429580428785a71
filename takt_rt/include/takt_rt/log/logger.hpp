// Log lines from real-time threads: the call stores the arguments, and a background thread makes
// and writes the text.
//
//     takt_rt::Logger logger;                                            // set-up
//     TAKT_RT_LOG(logger, warn, "valve %d is at %.1f bar", valve, pressure);
//     // At most one line a second from this place:
//     TAKT_RT_LOG_EVERY(logger, error, 1s, "no answer from %s", name);
//
// The format is printf's, and the compiler checks it. A call copies the numbers, and the characters
// of strings as far as the record's 80 bytes reach. It takes no lock, allocates nothing and makes
// no system call. A full queue drops the record; the next line says how many were dropped.
#ifndef TAKT_RT__LOG__LOGGER_HPP_
#define TAKT_RT__LOG__LOGGER_HPP_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

#include "takt_rt/log/log_line.hpp"
#include "takt_rt/log/log_record.hpp"
#include "takt_rt/mpsc_ring.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt
{

/// The options of a Logger.
struct LoggerOptions
{
  std::size_t records = 4096;  ///< that may wait; each takes 128 bytes
  LogLevel level = LogLevel::info;
  /// Writes one line, on the background thread; may block and allocate. Its exceptions are counted
  /// and go no further.
  std::function<void(const LogLine &)> sink = write_log_line;
  Duration period = std::chrono::milliseconds(10);  ///< between two looks at the queue
  ThreadAttributes attributes = background_attributes("takt_log");  ///< of the background thread
};

/// Any thread logs, any number of loggers. Destroy it when no thread logs to it any more.
class Logger
{
public:
  /// Set-up only: allocates, touches its memory and starts the background thread. Throws
  /// std::system_error if the kernel refuses a thread.
  explicit Logger(LoggerOptions options = {});
  /// Writes all lines that wait. May block.
  ~Logger();
  Logger(const Logger &) = delete;
  Logger & operator=(const Logger &) = delete;

  /// Whether lines of this level are written. Real-time safe.
  bool wants(LogLevel level) const noexcept
  {
    return level >= level_.load(std::memory_order_relaxed);
  }
  /// Real-time safe.
  void set_level(LogLevel level) noexcept { level_.store(level, std::memory_order_relaxed); }

  /// Adds a record; for the macros below. `site` must live as long as the logger. False: the queue
  /// is full, and the record is dropped and counted. Real-time safe and lock-free: no allocation,
  /// no system call.
  template <typename... Arguments>
  bool log(
    const LogSite & site, Time time, std::uint64_t suppressed, Arguments... arguments) noexcept
  {
    detail::LogRecord record;
    record.time = time;
    record.site = &site;
    record.thread = detail::own_thread_id();
    record.suppressed = static_cast<std::uint32_t>(suppressed);
    detail::store_arguments(record, arguments...);
    return ring_.try_push(record);
  }

  /// Returns when all records of earlier calls are written. May block.
  void flush() noexcept;

  /// Numbers of lines written, records dropped, and exceptions of the sink. Any thread, real-time
  /// safe.
  std::uint64_t written() const noexcept { return written_.load(std::memory_order_acquire); }
  std::uint64_t dropped() const noexcept { return ring_.dropped(); }
  std::uint64_t sink_failures() const noexcept
  {
    return sink_failures_.load(std::memory_order_relaxed);
  }

private:
  class Background;

  MpscRing<detail::LogRecord> ring_;
  std::atomic<LogLevel> level_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> sink_failures_{0};
  std::unique_ptr<Background> background_;
};

/// At most one line in a period from one place. Any thread, real-time safe.
class LogLimit
{
public:
  /// Whether a line at `time` is due, the first after `period`. Then `suppressed` is the number of
  /// calls since the last due line that were not.
  bool is_due(Time time, Duration period, std::uint64_t & suppressed) noexcept
  {
    std::int64_t next = next_.load(std::memory_order_relaxed);
    if (
      to_ns(time) < next ||
      !next_.compare_exchange_strong(
        next, to_ns(add_saturated(time, period)), std::memory_order_relaxed)) {
      suppressed_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    suppressed = suppressed_.exchange(0, std::memory_order_relaxed);
    return true;
  }

private:
  std::atomic<std::int64_t> next_{INT64_MIN};
  std::atomic<std::uint64_t> suppressed_{0};
};

}  // namespace takt_rt

/// Logs a line of `severity` (debug, info, warn or error); the format is a literal. Real-time safe,
/// as Logger::log.
#define TAKT_RT_LOG(logger, severity, ...)                                                        \
  do {                                                                                            \
    static constexpr ::takt_rt::LogSite takt_site = TAKT_RT_LOG_SITE(severity, __VA_ARGS__);      \
    if ((logger).wants(takt_site.level)) {                                                        \
      ::takt_rt::detail::log_after_format((logger), takt_site, ::takt_rt::now(), 0, __VA_ARGS__); \
    }                                                                                             \
    TAKT_RT_CHECK_FORMAT(__VA_ARGS__);                                                            \
  } while (false)

/// As TAKT_RT_LOG, at most once in `period` from this place; the line says how many calls were left
/// out before it.
#define TAKT_RT_LOG_EVERY(logger, severity, period, ...)                                     \
  do {                                                                                       \
    static constexpr ::takt_rt::LogSite takt_site = TAKT_RT_LOG_SITE(severity, __VA_ARGS__); \
    static ::takt_rt::LogLimit takt_limit;                                                   \
    if ((logger).wants(takt_site.level)) {                                                   \
      const ::takt_rt::Time takt_time = ::takt_rt::now();                                    \
      std::uint64_t takt_suppressed = 0;                                                     \
      if (takt_limit.is_due(takt_time, (period), takt_suppressed)) {                         \
        ::takt_rt::detail::log_after_format(                                                 \
          (logger), takt_site, takt_time, takt_suppressed, __VA_ARGS__);                     \
      }                                                                                      \
    }                                                                                        \
    TAKT_RT_CHECK_FORMAT(__VA_ARGS__);                                                       \
  } while (false)

#define TAKT_RT_LOG_SITE(severity, ...)                                                   \
  {                                                                                       \
    ::takt_rt::LogLevel::severity, __FILE__, __LINE__, TAKT_RT_LOG_FORMAT(__VA_ARGS__, 0) \
  }
#define TAKT_RT_LOG_FORMAT(format, ...) format

// Never runs: the compiler compares the format with the arguments.
#define TAKT_RT_CHECK_FORMAT(...) static_cast<void>(sizeof(::std::printf(__VA_ARGS__)))

#endif  // TAKT_RT__LOG__LOGGER_HPP_
