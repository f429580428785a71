// The listening control socket of this process and the thread that serves it. See control_server.hpp.
#ifndef TAKT_CONTROL__SRC__CONTROL_SOCKET_HPP_
#define TAKT_CONTROL__SRC__CONTROL_SOCKET_HPP_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "requests.hpp"
#include "takt_control/frame.hpp"
#include "takt_core/result.hpp"

namespace takt_control
{

class ControlSocket
{
public:
  using Answer = std::function<Reply(std::uint16_t type, const std::string & payload)>;

  /// Makes folder and socket and starts the thread, which calls `answer`. Fault: why not, with the path.
  static takt_core::Result<std::unique_ptr<ControlSocket>> open(
    const std::string & folder, Answer answer);
  /// Ends the thread and removes the socket. In a child of fork it does neither: both are the parent's.
  ~ControlSocket();
  ControlSocket(const ControlSocket &) = delete;
  ControlSocket & operator=(const ControlSocket &) = delete;

  const std::string & path() const noexcept { return path_; }

private:
  static constexpr std::size_t kMostClients = 16;
  static constexpr std::size_t kMostRequest = std::size_t{16}
                                              << 20U;  ///< bytes; a schedule is far smaller
  static constexpr std::chrono::seconds kPatience{5};

  struct Client
  {
    int socket = -1;
    FrameDecoder decoder{};
    std::string request{};  ///< of its `part` frames
    std::string output{};   ///< answered and not yet sent
    std::chrono::steady_clock::time_point progress = std::chrono::steady_clock::now();

    bool owes() const noexcept
    {
      return decoder.half_open() || !request.empty() || !output.empty();
    }
  };

  ControlSocket(std::string path, int socket, int stop, Answer answer);
  void serve();
  void accept_one();
  bool read(Client & client);
  bool handle(Client & client, const Frame & frame);
  static bool write(Client & client);

  const std::string path_;
  const int socket_;
  const int stop_;  // eventfd
  const pid_t owner_;
  const Answer answer_;
  std::list<Client> clients_;
  std::thread thread_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__CONTROL_SOCKET_HPP_
