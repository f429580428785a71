// The daemon's loop: one thread waits for clients and answers them, one request after the other.
//
// No client can make it wait: it reads and writes only as much as is possible at once. In each
// round it admits new clients up to a limit, reads once from each client, and answers one request
// of each user. Set-up only: allocates.
#ifndef TAKT_CONFIGURATOR__SRC__SERVER_HPP_
#define TAKT_CONFIGURATOR__SRC__SERVER_HPP_

#include <sys/epoll.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "client.hpp"
#include "file_descriptor.hpp"
#include "listener.hpp"
#include "turns.hpp"

namespace takt_configurator
{

class Server
{
public:
  /// `table` and `handler` must outlive it. `say` gets a line for each refused client; may be
  /// empty.
  Server(
    Listener listener, const ProcessTable & table, RequestHandler & handler,
    const ServerLimits & limits, std::function<void(const std::string &)> say = {});

  /// Runs until `stop` (a descriptor) is readable. Returns 0 or the errno of epoll.
  int run(int stop);

private:
  std::vector<FileDescriptor> accept_all();
  void admit_all(std::vector<FileDescriptor> arrived, std::vector<epoll_event> & events);
  void admit(FileDescriptor socket);
  /// An empty sentence if there is room for one more client of this user.
  std::string no_room(uid_t user) const;
  void serve(int fd, unsigned events);
  void answer_round();
  void update(Client & client);
  void drop(int fd);
  void tick_all();

  Listener listener_;
  const ProcessTable & table_;
  RequestHandler & handler_;
  ServerLimits limits_;
  std::function<void(const std::string &)> say_;
  FileDescriptor epoll_;
  FileDescriptor reserve_;  ///< the server closes it to accept and refuse a client when the process
                            ///< has no free descriptor
  std::unordered_map<int, std::unique_ptr<Client>> clients_;
  std::unordered_map<uid_t, int> of_user_;
  Turns turns_;
  Client::Clock::time_point last_tick_{};
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__SERVER_HPP_
