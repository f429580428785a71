// One connection of the client: connects, sends a frame and waits for the answer. Each call has a
// time limit.
//
// Internal; one thread at a time. Allocates and blocks.
#ifndef TAKT_CONTROL__SRC__CONNECTION_HPP_
#define TAKT_CONTROL__SRC__CONNECTION_HPP_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "takt_control/frame.hpp"

namespace takt_control
{

class Connection
{
public:
  using Time = std::chrono::steady_clock::time_point;

  /// How an exchange ended.
  enum class End
  {
    answered,
    lost,  ///< the peer has closed; a new connection may reach its successor
    failed
  };

  /// `awaits`: opening waits for a peer that does not listen yet.
  explicit Connection(std::string path, bool awaits = false)
  : path_(std::move(path)),
    awaits_(awaits)
  {
  }
  ~Connection() { close(); }
  Connection(const Connection &) = delete;
  Connection & operator=(const Connection &) = delete;

  const std::string & path() const noexcept { return path_; }
  /// False in a child of fork: the daemon would not act for the child over its parent's connection.
  bool is_open() const noexcept;
  bool open(Time until);
  /// Sends `bytes` and waits for one frame. Anything but `answered` closes the connection.
  End exchange(const std::string & bytes, Time until, Frame & answer);
  void close() noexcept;
  /// Why the last call failed, with the path.
  const std::string & fault() const noexcept { return fault_; }

private:
  int connect_once(Time until);
  bool wait(short events, Time until);  // NOLINT: poll's type
  End fail(End end, const std::string & why);
  End send_all(const std::string & bytes, Time until);

  std::string path_;
  bool awaits_;
  int socket_ = -1;
  pid_t owner_ = 0;
  FrameDecoder decoder_;
  std::string fault_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__CONNECTION_HPP_
