// One connected client: its bytes in both directions, each bounded, and its share of the daemon's
// time.
//
// One thread. Allocates; never blocks.
#ifndef TAKT_CONFIGURATOR__SRC__CLIENT_HPP_
#define TAKT_CONFIGURATOR__SRC__CLIENT_HPP_

#include <chrono>
#include <optional>
#include <string>

#include "file_descriptor.hpp"
#include "peer.hpp"
#include "request_handler.hpp"
#include "takt_control/frame.hpp"

namespace takt_configurator
{

/// Limits for one client, and for all clients together.
struct ServerLimits
{
  int clients = 256;
  int clients_of_user = 128;         ///< of each user but root
  double requests_per_second = 200;  ///< of each client; a client that asks more often waits
  double burst = 400;                ///< requests that a client may ask at once
  std::chrono::milliseconds patience{
    5000};  ///< for the rest of a message, and for a client that does not read its answers
};

class Client
{
public:
  using Clock = std::chrono::steady_clock;

  Client(FileDescriptor socket, Peer peer, const ServerLimits & limits);

  /// Reads once. False if the connection is to be closed.
  bool read();
  /// Answers one request; `is_due` must say that there is one. False if the connection is to be
  /// closed.
  bool answer(RequestHandler & handler);
  /// Sends waiting answers. False if the connection is to be closed.
  bool write();
  /// False if the client owes the rest of a message, or has not read an answer, for longer than
  /// `patience`.
  bool is_in_time() const;

  /// True if a whole request waits, its answer can be sent, and the client has not asked too often.
  bool is_due();
  bool has_turn = false;  ///< for the server: the client is in its turns

  int socket() const noexcept { return socket_.get(); }
  const Peer & peer() const noexcept { return peer_; }
  /// True if there is room for more bytes: the client's earlier requests have been answered.
  bool wants_to_read() const noexcept
  {
    return input_.empty() && !request_ && output_.empty() && !closing_;
  }
  bool wants_to_write() const noexcept { return !output_.empty(); }
  /// True if time alone may make a request due.
  bool waits() const noexcept
  {
    return request_ || decoder_.broken() || !output_.empty() || decoder_.half_open();
  }

private:
  void decode();
  void note_progress() noexcept { progress_ = Clock::now(); }

  FileDescriptor socket_;
  Peer peer_;
  const ServerLimits & limits_;
  takt_control::FrameDecoder decoder_;
  std::string input_;  ///< bytes that were read and not decoded: at most those of one read
  std::optional<takt_control::Frame> request_;  ///< complete, not yet answered
  std::string output_;                          ///< bytes of an answer that were not sent: at most
                                                ///< one answer
  double tokens_;                               ///< requests that the client may ask now
  Clock::time_point refilled_;
  Clock::time_point
    progress_;            ///< since then the client owes the rest of a message, or does not read
  bool closing_ = false;  ///< closes after the output was sent
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__CLIENT_HPP_
