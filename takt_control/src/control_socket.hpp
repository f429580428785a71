// The listening control socket of this process and the thread that serves it. See
// control_server.hpp.
#ifndef TAKT_CONTROL__SRC__CONTROL_SOCKET_HPP_
#define TAKT_CONTROL__SRC__CONTROL_SOCKET_HPP_

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "alarm_queue.hpp"
#include "reply.hpp"
#include "served_client.hpp"
#include "takt_rt/result.hpp"

namespace takt_control
{

class ControlSocket
{
public:
  using Answer = std::function<Reply(std::uint16_t type, const std::string & payload)>;

  /// Makes the folder and the socket, and starts the thread. The thread calls `answer` and sends
  /// the alarms of `alarms`, which must belong to this process and live longer. Fault: why there is
  /// no socket, with the path.
  static takt_rt::Result<std::unique_ptr<ControlSocket>> open(
    const std::string & folder, Answer answer, AlarmQueue & alarms);
  /// Ends the thread and removes the socket, except in a child of fork: both belong to the parent.
  ~ControlSocket();
  ControlSocket(const ControlSocket &) = delete;
  ControlSocket & operator=(const ControlSocket &) = delete;

  const std::string & path() const noexcept { return path_; }

private:
  static constexpr std::size_t kMostClients = 16;

  ControlSocket(std::string path, int socket, int wakes, Answer answer, AlarmQueue & alarms);
  void serve();
  void tell_alarms();
  void say_goodbye();
  bool serve(ServedClient & client, short ready);  // NOLINT: poll's type
  Reply subscribe(ServedClient & client, const std::string & payload);
  void accept_one();
  void turn_one_away();

  const std::string path_;
  const int socket_;
  const int wakes_;  // eventfd: announces alarms, and the end
  std::atomic<bool> ends_{false};
  const pid_t owner_;
  const Answer answer_;
  AlarmQueue & alarms_;
  std::list<ServedClient> clients_;
  int reserve_;  // closed to accept and refuse a client when the process has no descriptor left
  bool rests_ = false;  // cannot accept now, even with `reserve_`
  std::thread thread_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__CONTROL_SOCKET_HPP_
