#include "control_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include "takt_control/unix_address.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_control
{
namespace
{

using takt_rt::Faults;

Faults failed(const std::string & path, int error)
{
  return {path + ": " + std::generic_category().message(error)};
}

// Only this user may write into the folder: another user could put another socket there.
Faults make_folder(const std::string & folder)
{
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return failed(folder, errno);
  }
  struct stat status
  {
  };
  if (::lstat(folder.c_str(), &status) != 0) {
    return failed(folder, errno);
  }
  const bool shared = (status.st_mode & 022U) != 0;
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || shared) {
    return {folder + " is not a folder that only this user can change"};
  }
  return {};
}

bool may_ask(int socket)
{
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == 0 || peer.uid == ::geteuid());
}

}  // namespace

takt_rt::Result<std::unique_ptr<ControlSocket>> ControlSocket::open(
  const std::string & folder, Answer answer, AlarmQueue & alarms)
{
  if (Faults faults = make_folder(folder); !faults.empty()) {
    return faults;
  }
  const std::string path = folder + "/" + std::to_string(::getpid()) + ".sock";
  const auto address = unix_address(path);
  if (!address) {
    return Faults{path + ": the path of a socket has at most 107 bytes"};
  }
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) {
    return failed(path, errno);
  }
  ::unlink(path.c_str());  // left by a dead process with this id
  const int wakes = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (
    wakes < 0 ||
    ::bind(socket, reinterpret_cast<const sockaddr *>(&*address), sizeof *address) != 0 ||
    ::listen(socket, 8) != 0) {
    const int error = errno;
    ::close(socket);
    if (wakes >= 0) {
      ::close(wakes);
    }
    return failed(path, error);
  }
  return std::unique_ptr<ControlSocket>(
    new ControlSocket(path, socket, wakes, std::move(answer), alarms));
}

ControlSocket::ControlSocket(
  std::string path, int socket, int wakes, Answer answer, AlarmQueue & alarms)
: path_(std::move(path)),
  socket_(socket),
  wakes_(wakes),
  owner_(::getpid()),
  answer_(std::move(answer)),
  alarms_(alarms),
  reserve_(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
  // Block all signals in the new thread: the program's own threads handle them.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  alarms_.open(wakes_);
  thread_ = std::thread([this] { serve(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ControlSocket::~ControlSocket()
{
  if (owner_ == ::getpid()) {
    ends_.store(true);
    const std::uint64_t one = 1;
    (void)!::write(wakes_, &one, sizeof one);
    thread_.join();
    alarms_.close();
    ::unlink(path_.c_str());
  } else {
    thread_.detach();  // a child of fork has no such thread
  }
  ::close(socket_);
  ::close(wakes_);
  ::close(reserve_);
}

void ControlSocket::serve()
{
  // Without this call the socket's thread would keep the attributes of the thread that opened the
  // socket.
  takt_rt::apply(takt_rt::background_attributes("takt.control"));
  for (;;) {
    std::vector<pollfd> sockets{{wakes_, POLLIN, 0}, {rests_ ? -1 : socket_, POLLIN, 0}};
    bool owes = std::exchange(rests_, false);
    for (const ServedClient & client : clients_) {
      sockets.push_back({client.socket(), client.events(), 0});
      owes = owes || client.owes();
    }
    ::poll(sockets.data(), sockets.size(), owes ? 100 : -1);
    // Read `wakes_` before `ends_`: if the end is announced after the check of `ends_`, it wakes
    // the next poll.
    std::uint64_t wakes = 0;
    (void)!::read(wakes_, &wakes, sizeof wakes);
    if (ends_.load()) {
      say_goodbye();
      return;
    }
    if (wakes != 0) {
      tell_alarms();
    }
    std::size_t i = 2;
    for (auto client = clients_.begin(); client != clients_.end(); ++i) {
      if (serve(*client, sockets[i].revents)) {
        ++client;
        continue;
      }
      if (client->subscribed()) {
        alarms_.end();
      }
      client = clients_.erase(client);
    }
    if ((sockets[1].revents & POLLIN) != 0) {
      accept_one();
    }
  }
}

// Sends the last alarms when the process ends, without waiting for clients.
void ControlSocket::say_goodbye()
{
  tell_alarms();
  for (ServedClient & client : clients_) {
    static_cast<void>(client.write(std::chrono::steady_clock::now()));
  }
}

void ControlSocket::tell_alarms()
{
  const auto now = std::chrono::steady_clock::now();
  for (const AlarmQueue::Alarm & alarm : alarms_.take()) {
    if (!alarm.payload.starts_with('{') || !alarm.payload.ends_with('}')) {
      // No client gets an alarm that is not a JSON object. A client's next alarm counts it as
      // dropped.
      continue;
    }
    for (ServedClient & client : clients_) {
      client.put(alarm, now);
    }
  }
}

// False: the client has gone, or must be dropped.
bool ControlSocket::serve(ServedClient & client, short ready)  // NOLINT: poll's type
{
  auto now = std::chrono::steady_clock::now();
  const bool asks = (ready & (POLLIN | POLLHUP | POLLERR)) != 0;
  const auto answer = [&](std::uint16_t type, const std::string & payload) {
    return type == static_cast<std::uint16_t>(MessageType::subscribe) ? subscribe(client, payload)
                                                                      : answer_(type, payload);
  };
  // Send an answer before the alarms that wait.
  if (asks) {
    if (!client.read(answer, now)) {
      return false;
    }
    now = std::chrono::steady_clock::now();
    client.begin_waiting(now);  // the time limit excludes the time that its answer took
  }
  if (client.sends() && !client.write(now)) {
    return false;
  }
  return !client.late(now);
}

// Subscribes the client before the answer is made, so that it misses no alarm in between.
// Afterwards `client` omits the alarms that the answer has, so that it gets no alarm twice.
Reply ControlSocket::subscribe(ServedClient & client, const std::string & payload)
{
  const bool first = !client.subscribed();
  const std::uint64_t place = first ? alarms_.begin() : 0;
  Reply reply = answer_(static_cast<std::uint16_t>(MessageType::subscribe), payload);
  if (reply.type == MessageType::result) {
    client.subscribe(place, reply.alarms);
  } else if (first) {
    alarms_.end();
  }
  return reply;
}

void ControlSocket::accept_one()
{
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) {
    if (errno == EMFILE || errno == ENFILE) {
      // else poll reports this client at once, again and again, and the thread keeps a core busy
      turn_one_away();
    }
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  std::string why;
  if (!may_ask(socket)) {
    why = "only the user of this process and root may ask it";
  } else if (clients_.size() >= kMostClients) {
    why = "this process serves " + std::to_string(kMostClients) + " clients already";
  }
  if (why.empty()) {
    clients_.emplace_back(socket, now);
    return;
  }
  ServedClient refused(socket, now);
  refused.say(error_reply({why}));
  refused.write(now);
}

void ControlSocket::turn_one_away()
{
  if (reserve_ >= 0) {
    ::close(reserve_);
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket >= 0) {
      const auto now = std::chrono::steady_clock::now();
      ServedClient refused(socket, now);
      refused.say(error_reply({"this process has no file descriptor left"}));
      refused.write(now);
    }
  }
  // This may fail: another thread may have taken the descriptor.
  reserve_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  rests_ = reserve_ < 0;
}

}  // namespace takt_control
