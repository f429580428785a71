// The record that a log call leaves for the background thread: the place, the time, and a copy of
// the arguments.
#ifndef TAKT_RT__LOG__LOG_RECORD_HPP_
#define TAKT_RT__LOG__LOG_RECORD_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "takt_rt/log/log_line.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt::detail
{

/// With the ring's turn two cache lines.
struct LogRecord
{
  static constexpr std::size_t kBytes = 80;

  Time time;
  const LogSite * site;
  /// Writes the text of the arguments into `text`, as snprintf.
  int (*print)(const LogRecord & record, char * text, std::size_t size);
  std::uint32_t thread;
  std::uint32_t suppressed;
  alignas(8) std::byte bytes[kBytes];
};
static_assert(sizeof(LogRecord) == 112);

/// The kernel's id of the calling thread. Real-time safe: a system call at a thread's first call
/// only.
std::uint32_t own_thread_id() noexcept;

/// Whether an argument can be stored. A pointer to anything else might be a string for printf, and
/// changed by then.
template <typename T>
constexpr bool kStorable =
  std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, char *> ||
  std::is_same_v<T, const char *> || std::is_same_v<T, void *> || std::is_same_v<T, const void *>;

/// The stored form of an argument: strings as characters, all others as they are.
template <typename T>
using Stored = std::conditional_t<
  std::is_same_v<T, char *>, const char *, std::conditional_t<std::is_same_v<T, float>, double, T>>;

// The most characters that the format takes of the string at `place`. An argument that says so is
// an int, and stored before.
inline std::size_t longest_string(const LogRecord & record, std::size_t place) noexcept
{
  int precision = record.site->precisions.at[place];
  if (precision <= LogPrecisions::kFromPlace) {
    std::memcpy(
      &precision, record.bytes + 8 * (LogPrecisions::kFromPlace - precision), sizeof precision);
  }
  return precision < 0 ? LogRecord::kBytes : static_cast<std::size_t>(precision);
}

// Each number has a place of eight bytes. The characters of the strings follow, each string with
// its final zero; the place of a string is its first character's. A string that does not fit is
// cut.
template <typename T>
void store_one(LogRecord & record, std::size_t place, std::size_t & used, T value) noexcept
{
  if constexpr (std::is_same_v<T, const char *>) {
    const char * const text = value == nullptr ? "(null)" : value;
    const std::size_t room = LogRecord::kBytes - used - 1;
    const std::size_t most = std::min(room, longest_string(record, place));
    const std::size_t length = ::strnlen(text, most);
    char * const to = reinterpret_cast<char *>(record.bytes) + used;
    std::memcpy(to, text, length);
    to[length] = 0;
    const std::uint64_t begin = used;
    std::memcpy(record.bytes + 8 * place, &begin, sizeof begin);
    // The last byte stays for further strings: they are then empty.
    used = used + length + 1 < LogRecord::kBytes ? used + length + 1 : LogRecord::kBytes - 1;
  } else {
    std::memcpy(record.bytes + 8 * place, &value, sizeof value);
  }
}

template <typename T>
T stored_one(const LogRecord & record, std::size_t place) noexcept
{
  if constexpr (std::is_same_v<T, const char *>) {
    std::uint64_t begin = 0;
    std::memcpy(&begin, record.bytes + 8 * place, sizeof begin);
    return reinterpret_cast<const char *>(record.bytes) + begin;
  } else {
    T value;
    std::memcpy(&value, record.bytes + 8 * place, sizeof value);
    return value;
  }
}

template <typename... T, std::size_t... Place>
int print_stored(
  const LogRecord & record, char * text, std::size_t size, std::index_sequence<Place...>)
{
  return std::snprintf(text, size, record.site->format, stored_one<T>(record, Place)...);
}

template <typename... T, std::size_t... Place>
void store_all(LogRecord & record, std::index_sequence<Place...>, T... values) noexcept
{
  [[maybe_unused]] std::size_t used = 8 * sizeof...(T);
  (store_one(record, Place, used, values), ...);
  record.print = [](const LogRecord & stored, char * text, std::size_t size) {
    return print_stored<T...>(stored, text, size, std::index_sequence<Place...>());
  };
}

template <typename... Arguments>
void store_arguments(LogRecord & record, Arguments... arguments) noexcept
{
  static_assert(
    (kStorable<Arguments> && ...), "arguments are numbers, strings of char, and pointers to void");
  static_assert(((sizeof(Arguments) <= 8) && ...), "long double has no place in a record");
  static_assert(8 * sizeof...(Arguments) < LogRecord::kBytes, "at most 9 arguments");
  store_all<Stored<Arguments>...>(
    record, std::index_sequence_for<Arguments...>(), static_cast<Stored<Arguments>>(arguments)...);
}

/// Logs the arguments behind the format, which `site` has.
template <typename SomeLogger, typename... Arguments>
void log_after_format(
  SomeLogger & logger, const LogSite & site, Time time, std::uint64_t suppressed, const char *,
  Arguments... arguments) noexcept
{
  static_cast<void>(logger.log(site, time, suppressed, arguments...));
}

}  // namespace takt_rt::detail

#endif  // TAKT_RT__LOG__LOG_RECORD_HPP_
