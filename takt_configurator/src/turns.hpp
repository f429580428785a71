// Whose request is next: users take turns, and the clients of a user take turns, so that no user waits for the number
// of clients or requests of another one.
//
// One thread. Allocates; does not block.
#ifndef TAKT_CONFIGURATOR__SRC__TURNS_HPP_
#define TAKT_CONFIGURATOR__SRC__TURNS_HPP_

#include <sys/types.h>

#include <deque>
#include <unordered_map>

namespace takt_configurator
{

/// Clients, by their sockets, that have a request.
class Turns
{
public:
  /// The client is the last of its user from now on, and its user the last of all unless others of its clients wait.
  /// Must not be in it.
  void add(uid_t user, int client)
  {
    auto & clients = clients_[user];
    if (clients.empty()) {
      users_.push_back(user);
    }
    clients.push_back(client);
  }

  /// The client whose turn it is, taken out. There must be one.
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

  /// Takes a client out that is in it.
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
