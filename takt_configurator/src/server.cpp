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

constexpr std::chrono::milliseconds kTick{20};  ///< between checks of waiting clients
/// Limit of new clients in one round. They take about 10 ms if the daemon reads their processes,
/// and 1 ms if it refuses them.
constexpr int kMostAccepts = 256;

void watch(int epoll, int operation, int fd, unsigned events)
{
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll, operation, fd, &event);
}

/// Tells a client why the daemon refuses it. The answer fits into the buffer of a new socket.
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
  // Get the events of all clients at once: a new connection must find the room that closed ones
  // have left.
  std::vector<epoll_event> events(static_cast<std::size_t>(limits_.clients) + 2);
  for (;;) {
    const bool waiting = std::any_of(
      clients_.begin(), clients_.end(), [](const auto & one) { return one.second->waits(); });
    const int longest = !turns_.empty() ? 0 : waiting ? static_cast<int>(kTick.count()) : -1;
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
        knocks = true;
      } else {
        serve(event.data.fd, event.events);
      }
    }
    if (knocks) {
      admit_all(accept_all(), events);
    }
    answer_round();
    if (const auto now = Client::Clock::now(); waiting && now - last_tick_ >= kTick) {
      last_tick_ = now;
      tick_all();
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

std::vector<FileDescriptor> Server::accept_all()
{
  std::vector<FileDescriptor> arrived;
  for (int i = 0; i < kMostAccepts; ++i) {
    FileDescriptor socket(
      ::accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      arrived.push_back(std::move(socket));
    } else if ((errno == EMFILE || errno == ENFILE) && reserve_ && arrived.empty()) {
      reserve_ = FileDescriptor();
      {
        const FileDescriptor last(
          ::accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        turn_away(last.get(), "the configurator has no file descriptor left; close connections");
      }
      reserve_ = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      break;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      break;
    }
  }
  return arrived;
}

/// Admits new clients after it has removed those that left, because these make room.
void Server::admit_all(std::vector<FileDescriptor> arrived, std::vector<epoll_event> & events)
{
  const int count =
    arrived.empty() ? 0
                    : ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event & event = events[static_cast<std::size_t>(i)];
    serve(event.data.fd, event.events);  // ignores descriptors other than those of clients
  }
  for (FileDescriptor & socket : arrived) {
    admit(std::move(socket));
  }
}

void Server::admit(FileDescriptor socket)
{
  // For a client that has left, or that is refused, do not read /proc.
  char byte = 0;
  if (::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
    return;
  }
  const ucred who = peer_credentials(socket.get());
  std::string why = no_room(who.uid);
  auto peer = why.empty() ? read_peer(socket.get(), table_) : std::nullopt;
  if (why.empty() && !peer) {
    why =
      "the configurator does not see the process that connected: it has ended, or is in another "
      "PID namespace";
  }
  if (!why.empty()) {
    turn_away(socket.get(), why);
    if (say_) {
      say_((who.pid > 0 ? "pid " + std::to_string(who.pid) : "a client") + " not served: " + why);
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
    return;  // removed in this round
  }
  Client & client = *found->second;
  bool keep = true;
  if ((events & EPOLLOUT) != 0) {
    keep = client.write();
  }
  if (keep && (events & EPOLLIN) != 0 && client.wants_to_read()) {
    keep = client.read();
  }
  // Nothing can be read and the other end is closed.
  if (keep && (events & (EPOLLHUP | EPOLLERR)) != 0 && (events & EPOLLIN) == 0) {
    keep = false;
  }
  if (keep) {
    update(client);
  } else {
    drop(fd);
  }
}

void Server::answer_round()
{
  for (std::size_t users = turns_.users(); users > 0; --users) {
    const int fd = turns_.take();
    Client & client = *clients_.at(fd);
    client.has_turn = false;
    if (!client.is_due() || client.answer(handler_)) {
      update(client);
    } else {
      drop(fd);
    }
  }
}

/// Adds the client to the turns if a request is due, and sets the events for which epoll reports
/// the client.
void Server::update(Client & client)
{
  if (!client.has_turn && client.is_due()) {
    client.has_turn = true;
    turns_.add(client.peer().uid, client.socket());
  }
  const unsigned events =
    (client.wants_to_read() ? EPOLLIN : 0U) | (client.wants_to_write() ? EPOLLOUT : 0U);
  watch(epoll_.get(), EPOLL_CTL_MOD, client.socket(), events);
}

void Server::drop(int fd)
{
  const auto found = clients_.find(fd);
  const auto count = of_user_.find(found->second->peer().uid);
  if (found->second->has_turn) {
    turns_.remove(found->second->peer().uid, fd);
  }
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
    if (client->is_in_time()) {
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
