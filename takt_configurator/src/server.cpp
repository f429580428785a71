#include "server.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "takt_control/configurator_messages.hpp"

namespace takt_configurator
{
namespace
{

constexpr int kTickMs = 20;      ///< between looks at clients that wait
constexpr int kChoresMs = 1000;  ///< between looks at threads that may have ended

void watch(int epoll, int operation, int fd, unsigned events)
{
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll, operation, fd, &event);
}

/// Tells a client why it is not served. The answer fits into the buffer of a new socket.
void turn_away(int socket, const std::string & why)
{
  takt_control::Answer answer;
  answer.error = why;
  const std::string bytes = encode(takt_control::MessageType::error, to_payload(answer));
  (void)!::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

Server::Server(
  Listener listener, const ProcessTable & table, RequestHandler & handler,
  const ServerLimits & limits, std::function<void(const std::string &)> say)
: listener_(std::move(listener)),
  table_(table),
  handler_(handler),
  limits_(limits),
  say_(std::move(say)),
  epoll_(::epoll_create1(EPOLL_CLOEXEC)),
  reserve_(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
  watch(epoll_.get(), EPOLL_CTL_ADD, listener_.socket(), EPOLLIN);
}

int Server::run(int stop)
{
  watch(epoll_.get(), EPOLL_CTL_ADD, stop, EPOLLIN);
  // All clients at once: a connection that was made after others were closed must find room.
  std::vector<epoll_event> events(static_cast<std::size_t>(limits_.clients) + 2);
  for (;;) {
    const bool waiting = std::any_of(
      clients_.begin(), clients_.end(), [](const auto & one) { return one.second->waits(); });
    const int longest = waiting ? kTickMs : handler_.has_chores() ? kChoresMs : -1;
    const int count =
      ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), longest);
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    bool knocks = false;
    for (int i = 0; i < count; ++i) {
      const epoll_event & event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == stop) {
        return 0;
      }
      if (event.data.fd == listener_.socket()) {
        knocks = true;  // after the clients: some of them may have left
      } else {
        serve(event.data.fd, event.events);
      }
    }
    if (knocks) {
      accept_one();
    }
    if (waiting) {
      tick_all();
    }
    if (const auto now = Client::Clock::now();
        handler_.has_chores() && now - last_chores_ >= std::chrono::milliseconds(kChoresMs)) {
      last_chores_ = now;
      handler_.do_chores();
    }
  }
}

std::string Server::no_room(uid_t user) const
{
  if (clients_.size() >= static_cast<std::size_t>(limits_.clients)) {
    return "the configurator serves " + std::to_string(limits_.clients) +
           " clients already, and no more; close connections";
  }
  const auto found = of_user_.find(user);
  if (user != 0 && found != of_user_.end() && found->second >= limits_.clients_of_user) {
    return "the configurator serves " + std::to_string(limits_.clients_of_user) +
           " clients of user " + std::to_string(user) + " already, and no more; close connections";
  }
  return {};
}

void Server::accept_one()
{
  FileDescriptor socket(
    ::accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket && (errno == EMFILE || errno == ENFILE) && reserve_) {
    reserve_ = FileDescriptor();
    {
      const FileDescriptor last(
        ::accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      turn_away(last.get(), "the configurator has no file descriptor left; close connections");
    }
    reserve_ = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return;
  }
  if (!socket) {
    return;
  }
  auto peer = read_peer(socket.get(), table_);
  const std::string why = peer ? no_room(peer->uid)
                               : "the configurator does not see the process that connected: it has "
                                 "ended, or is in another PID "
                                 "namespace";
  if (!why.empty()) {
    turn_away(socket.get(), why);
    if (say_) {
      say_((peer ? "pid " + std::to_string(peer->pid) : "a client") + " not served: " + why);
    }
    return;
  }
  const int fd = socket.get();
  ++of_user_[peer->uid];
  clients_[fd] = std::make_unique<Client>(std::move(socket), std::move(*peer), limits_);
  watch(epoll_.get(), EPOLL_CTL_ADD, fd, EPOLLIN);
}

void Server::serve(int fd, unsigned events)
{
  const auto found = clients_.find(fd);
  if (found == clients_.end()) {
    return;  // dropped in this round
  }
  Client & client = *found->second;
  bool keep = true;
  if ((events & EPOLLOUT) != 0) {
    keep = client.write();
  }
  if (keep && (events & EPOLLIN) != 0 && client.wants_to_read()) {
    keep = client.read(handler_);
  }
  // Without anything to read, the other end is gone.
  if (keep && (events & (EPOLLHUP | EPOLLERR)) != 0 && (events & EPOLLIN) == 0) {
    keep = false;
  }
  if (keep) {
    update(client);
  } else {
    drop(fd);
  }
}

void Server::update(Client & client)
{
  const unsigned events =
    (client.wants_to_read() ? EPOLLIN : 0U) | (client.wants_to_write() ? EPOLLOUT : 0U);
  watch(epoll_.get(), EPOLL_CTL_MOD, client.socket(), events);
}

void Server::drop(int fd)
{
  const auto found = clients_.find(fd);
  const auto count = of_user_.find(found->second->peer().uid);
  if (--count->second == 0) {
    of_user_.erase(count);
  }
  clients_.erase(found);  // epoll forgets a closed socket
}

void Server::tick_all()
{
  std::vector<int> over;
  for (const auto & [fd, client] : clients_) {
    if (!client->waits()) {
      continue;
    }
    if (client->tick(handler_)) {
      update(*client);
    } else {
      over.push_back(fd);
    }
  }
  for (const int fd : over) {
    drop(fd);
  }
}

}  // namespace takt_configurator
