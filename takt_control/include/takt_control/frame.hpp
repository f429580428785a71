// Frames on a stream socket: a header of twelve bytes, then the payload.
//
//     bytes 0-3   "takt"
//     bytes 4-5   version of the messages, little endian
//     bytes 6-7   type of the message
//     bytes 8-11  length of the payload in bytes, at most kMostPayload
//
// The header is the same in all versions, so a peer can answer a message of a version that it does
// not know. Any thread; one thread at a time for each decoder. Allocates; does not block.
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

/// The type of a frame. A peer answers an unknown type with `error`.
enum class MessageType : std::uint16_t
{
  apply = 1,         ///< set these attributes of this thread
  would_grant = 2,   ///< would `apply` be granted? sets nothing
  rtprio_limit = 3,  ///< raise the asking process's RLIMIT_RTPRIO
  // To the control socket of a process (control_server.hpp):
  status = 10,          ///< describe executors and threads
  apply_schedule = 11,  ///< apply a schedule to executors and threads
  reset = 12,           ///< restore the values from before the first schedule
  trace_start = 13,     ///< record what happens (takt_trace)
  trace_stop = 14,      ///< stop recording; the answer names the file
  trace_snapshot = 15,  ///< write the records so far to a file
  set = 16,             ///< change one chain, callback or thread
  statistics = 17,      ///< counts of callbacks, chains and threads so far
  subscribe = 18,       ///< send alarms from now on
  part = 20,     ///< the first bytes of a long message; its last frame has the message's own type
  result = 110,  ///< answers a request to the control socket
  alarm = 111,   ///< to a subscriber, at any time
  answer = 100,  ///< answers one request to the daemon, by its id
  error = 101    ///< the request could not be read, or the peer ends the connection; says why
};

/// One frame of the protocol.
struct Frame
{
  std::uint16_t version = kProtocolVersion;
  std::uint16_t type = 0;
  std::string payload{};

  friend bool operator==(const Frame &, const Frame &) = default;
};

/// The bytes of one frame of this version. `payload` must not exceed kMostPayload.
std::string encode(MessageType type, std::string_view payload);

/// Finds the frames in a stream of bytes, whatever the sizes of the pieces.
///
/// Holds at most one frame. Bytes that do not begin a frame break the decoder for good, since no
/// later byte can be trusted to begin one. A broken decoder keeps no bytes and finds no frames, and
/// `fault` says why.
class FrameDecoder
{
public:
  /// Takes bytes from the front of `bytes`, at most up to the end of the current frame, and returns
  /// their number. If it takes fewer than given, call `next`. A broken decoder takes all bytes and
  /// drops them.
  std::size_t feed(std::string_view bytes);

  /// Returns each frame once, when it is complete; nothing before.
  std::optional<Frame> next();

  /// Why the decoder is broken; empty if it is not.
  const std::string & fault() const noexcept { return fault_; }
  bool broken() const noexcept { return !fault_.empty(); }
  /// True while the decoder holds a part of a frame.
  bool half_open() const noexcept { return !buffer_.empty(); }
  /// The capacity of the buffer in bytes, for tests of the bound.
  std::size_t held() const noexcept { return buffer_.capacity(); }

private:
  void check_header();

  std::string buffer_;
  std::size_t wanted_ = kHeaderBytes;
  std::string fault_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__FRAME_HPP_
