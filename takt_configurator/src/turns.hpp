// Chooses the next request: users take turns, and the clients of one user take turns. So the wait
// of a user does not depend on the number of clients or requests of another user.
//
// One thread. Allocates; does not block.
#ifndef TAKT_CONFIGURATOR__SRC__TURNS_HPP_
#define TAKT_CONFIGURATOR__SRC__TURNS_HPP_

#include <sys/types.h>

#include <deque>
#include <unordered_map>

namespace takt_configurator
{

/// The clients that have a request, by their sockets.
class Turns
{
public:
  /// The client becomes the last one of its user. If its user had no waiting client, the user
  /// becomes the last of all users. The client must not wait already.
  void add(uid_t user, int client)
  {
    auto & clients = clients_[user];
    if (clients.empty()) {
      users_.push_back(user);
    }
    clients.push_back(client);
  }

  /// Removes and returns the next client. There must be one.
  int take()
  {
    const uid_t user = users_.front();
    users_.pop_front();
    const auto found = clients_.find(user);
    const int client = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) {
      clients_.erase(found);
    } else {
      users_.push_back(user);
    }
    return client;
  }

  /// Removes a client, which must wait.
  void remove(uid_t user, int client)
  {
    const auto found = clients_.find(user);
    std::erase(found->second, client);
    if (found->second.empty()) {
      clients_.erase(found);
      std::erase(users_, user);
    }
  }

  /// A round is one turn of each user.
  std::size_t users() const noexcept { return users_.size(); }
  bool empty() const noexcept { return users_.empty(); }

private:
  std::deque<uid_t> users_;  ///< each once, with at least one client
  std::unordered_map<uid_t, std::deque<int>> clients_;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__TURNS_HPP_
