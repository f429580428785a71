// One stream of a CTF trace: events of one thread, in packets.
#ifndef TAKT_TRACE__SRC__CTF__STREAM_WRITER_HPP_
#define TAKT_TRACE__SRC__CTF__STREAM_WRITER_HPP_

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>

#include "event_types.hpp"

namespace takt_trace::detail
{

using Uuid = std::array<std::uint8_t, 16>;

inline constexpr std::uint32_t kCtfMagic = 0xc1fc1fc1;
inline constexpr std::size_t kProcnameBytes = 17;  // TASK_COMM_LEN and a zero byte, as LTTng has it
inline constexpr std::size_t kPacketBytes = 256 * 1024;

/// The value of an event's field.
class Value
{
public:
  template <std::integral Number>
  Value(Number number) : value_(static_cast<std::uint64_t>(number))
  {
  }
  Value(double number) : value_(number) {}
  Value(const std::string & text) : value_(std::string_view(text)) {}
  Value(const char * text) : value_(std::string_view(text)) {}

  std::uint64_t number() const noexcept { return get<std::uint64_t>(); }
  double real() const noexcept { return get<double>(); }
  std::string_view text() const noexcept { return get<std::string_view>(); }

private:
  template <typename Type>
  Type get() const noexcept
  {
    const Type * const value = std::get_if<Type>(&value_);
    return value == nullptr ? Type{} : *value;
  }

  std::variant<std::uint64_t, double, std::string_view> value_;
};

struct StreamOptions
{
  Uuid trace{};
  std::uint64_t number = 0;  ///< unique in the trace
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::string name;             ///< of the thread; UTF-8; cut to 16 bytes
  std::uint64_t discarded = 0;  ///< missing records at unknown places
};

/// Writes packet by packet. Set-up only: allocates; blocks as its file does.
class StreamWriter
{
public:
  /// Opens the file when the first packet is written. Returns the stream for the given name.
  using Open = std::function<std::ostream &()>;

  StreamWriter(StreamOptions options, Open open);

  /// An earlier time than the previous event's is replaced by that time. A text ends at its first
  /// zero byte. `values`: one for each field of the event's type.
  void write(Event event, std::int64_t time, std::initializer_list<Value> values);
  /// The core of the following events; -1: unknown.
  void on_core(int core);
  /// Writes the last packet. Without events there is no file.
  void finish();

private:
  void open_packet();
  void close_packet();

  const StreamOptions options_;
  const Open open_;
  std::ostream * out_ = nullptr;
  std::string context_;  // of each event
  std::string bytes_;    // of the packet
  bool is_open_ = false;
  std::uint64_t packets_ = 0;
  std::uint64_t time_ = 0;  // of the last event
  int core_ = -1;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__STREAM_WRITER_HPP_
