// Frames on a stream socket: a header of twelve bytes, then the payload.
//
//     bytes 0-3   "takt"
//     bytes 4-5   version of the messages, little endian
//     bytes 6-7   type of the message
//     bytes 8-11  length of the payload in bytes, at most kMostPayload
//
// The header is the same in all versions, so that a peer can answer a message of a version that it does not
// know. Any thread, one at a time for each decoder. Allocates; does not block.
#ifndef TAKT_CONTROL__FRAME_HPP_
#define TAKT_CONTROL__FRAME_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace takt_control
{

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::size_t kMostPayload = 64U << 10U;  ///< bytes

/// What a frame asks or answers. A peer answers a type that it does not know with `error`.
enum class MessageType : std::uint16_t
{
  apply = 1,         ///< set these attributes of this thread
  would_grant = 2,   ///< the same question, and nothing is set
  rtprio_limit = 3,  ///< raise the asking process's RLIMIT_RTPRIO
  // To the control socket of a process (control_server.hpp):
  status = 10,          ///< what its executors and threads are
  apply_schedule = 11,  ///< give them what a schedule says
  reset = 12,           ///< give them back what they had before the first schedule
  trace_start = 13,     ///< record what happens (takt_trace)
  trace_stop = 14,      ///< and no longer; the answer names the file
  trace_snapshot = 15,  ///< what was recorded so far
  set = 16,             ///< change one chain, callback or thread
  statistics = 17,      ///< what its callbacks, chains and threads did so far
  subscribe = 18,       ///< to alarms, from now on
  part =
    20,  ///< the beginning of a message; what follows ends with a frame of the message's own type
  result = 110,  ///< of one of these
  alarm = 111,   ///< to a subscriber, at any time
  answer = 100,  ///< to one request, by its id
  error = 101    ///< the request could not be read; or the connection ends, and why
};

struct Frame
{
  std::uint16_t version = kProtocolVersion;
  std::uint16_t type = 0;
  std::string payload{};

  friend bool operator==(const Frame &, const Frame &) = default;
};

/// The bytes of one frame of this version. `payload` must not exceed kMostPayload.
std::string encode(MessageType type, std::string_view payload);

/// Finds the frames in a stream of bytes, however it is cut.
///
/// Holds at most one frame. Bytes that are no frame break the decoder for good, since no later byte
/// can be trusted to begin a frame: it then keeps and takes nothing, and `fault` says why.
class FrameDecoder
{
public:
  /// Takes bytes from the front of `bytes` and returns how many: at most up to the end of the frame that
  /// they belong to. Call `next` when it takes fewer than it was given. A broken decoder takes all of them and
  /// drops them.
  std::size_t feed(std::string_view bytes);

  /// The frame that is complete, once.
  std::optional<Frame> next();

  /// What is wrong with the bytes; empty while nothing is.
  const std::string & fault() const noexcept { return fault_; }
  bool broken() const noexcept { return !fault_.empty(); }
  /// True while the beginning of a frame waits for its end.
  bool half_open() const noexcept { return !buffer_.empty(); }
  /// Bytes held, for tests of the bound.
  std::size_t held() const noexcept { return buffer_.capacity(); }

private:
  void check_header();

  std::string buffer_;
  std::size_t wanted_ = kHeaderBytes;
  std::string fault_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__FRAME_HPP_
