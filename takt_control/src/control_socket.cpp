#include "control_socket.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "takt_control/unix_address.hpp"
#include "takt_core/thread_attributes.hpp"

namespace takt_control
{
namespace
{

using takt_core::Faults;

Faults failed(const std::string & path, int error)
{
  return {path + ": " + std::generic_category().message(error)};
}

// Of this user alone: who could write into the folder could put another socket there.
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

// In frames, however long it is.
std::string frames_of(const Reply & reply)
{
  std::string_view rest = reply.payload;
  std::string bytes;
  while (rest.size() > kMostPayload) {
    bytes += encode(MessageType::part, rest.substr(0, kMostPayload));
    rest.remove_prefix(kMostPayload);
  }
  return bytes + encode(reply.type, rest);
}

}  // namespace

takt_core::Result<std::unique_ptr<ControlSocket>> ControlSocket::open(
  const std::string & folder, Answer answer)
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
  ::unlink(path.c_str());  // of a dead process that had this id
  const int stop = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (
    stop < 0 ||
    ::bind(socket, reinterpret_cast<const sockaddr *>(&*address), sizeof *address) != 0 ||
    ::listen(socket, 8) != 0) {
    const int error = errno;
    ::close(socket);
    if (stop >= 0) {
      ::close(stop);
    }
    return failed(path, error);
  }
  return std::unique_ptr<ControlSocket>(new ControlSocket(path, socket, stop, std::move(answer)));
}

ControlSocket::ControlSocket(std::string path, int socket, int stop, Answer answer)
: path_(std::move(path)),
  socket_(socket),
  stop_(stop),
  owner_(::getpid()),
  answer_(std::move(answer))
{
  // Signals are for the program's own threads.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { serve(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ControlSocket::~ControlSocket()
{
  if (owner_ == ::getpid()) {
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    thread_.join();
    ::unlink(path_.c_str());
  } else {
    thread_.detach();  // a child of fork has no such thread
  }
  for (const Client & client : clients_) {
    ::close(client.socket);
  }
  ::close(socket_);
  ::close(stop_);
}

void ControlSocket::serve()
{
  // Whatever the thread has that made the first executor.
  takt_core::ThreadAttributes own;
  own.policy = takt_core::Policy::other;
  own.name = "takt.control";
  own.cores = takt_core::usable_cores();
  takt_core::apply(own);
  for (;;) {
    std::vector<pollfd> sockets{{stop_, POLLIN, 0}, {socket_, POLLIN, 0}};
    bool owes = false;
    for (const Client & client : clients_) {
      const short events = client.output.empty() ? POLLIN : POLLOUT;  // NOLINT: poll's type
      sockets.push_back({client.socket, events, 0});
      owes = owes || client.owes();
    }
    ::poll(sockets.data(), sockets.size(), owes ? 100 : -1);
    if ((sockets[0].revents & POLLIN) != 0) {
      return;
    }
    std::size_t i = 2;
    for (auto client = clients_.begin(); client != clients_.end(); ++i) {
      const short ready = sockets[i].revents;  // NOLINT: poll's type
      bool keep = true;
      if ((ready & POLLOUT) != 0) {
        keep = write(*client);
      } else if ((ready & (POLLIN | POLLHUP | POLLERR)) != 0) {
        keep = read(*client);
      }
      const bool late =
        client->owes() && std::chrono::steady_clock::now() - client->progress > kPatience;
      if (keep && !late) {
        ++client;
        continue;
      }
      ::close(client->socket);
      client = clients_.erase(client);
    }
    if ((sockets[1].revents & POLLIN) != 0) {
      accept_one();
    }
  }
}

void ControlSocket::accept_one()
{
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) {
    return;
  }
  Client client;
  client.socket = socket;
  std::string why;
  if (!may_ask(socket)) {
    why = "only the user of this process and root may ask it";
  } else if (clients_.size() >= kMostClients) {
    why = "this process serves " + std::to_string(kMostClients) + " clients already";
  }
  if (!why.empty()) {
    client.output = frames_of(error_reply({why}));
    write(client);
    ::close(socket);
    return;
  }
  clients_.push_back(std::move(client));
}

bool ControlSocket::read(Client & client)
{
  std::array<char, 16384> buffer{};
  const auto count = ::recv(client.socket, buffer.data(), buffer.size(), 0);
  if (count <= 0) {
    return count < 0 && (errno == EAGAIN || errno == EINTR);
  }
  client.progress = std::chrono::steady_clock::now();
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
  while (!bytes.empty()) {
    bytes.remove_prefix(client.decoder.feed(bytes));
    while (const auto frame = client.decoder.next()) {
      if (!handle(client, *frame)) {
        return false;
      }
    }
    if (client.decoder.broken()) {
      client.output += frames_of(error_reply({client.decoder.fault()}));
      write(client);
      return false;
    }
  }
  return client.output.empty() || write(client);
}

bool ControlSocket::handle(Client & client, const Frame & frame)
{
  if (client.request.size() + frame.payload.size() > kMostRequest) {
    return false;
  }
  client.request += frame.payload;
  if (frame.type == static_cast<std::uint16_t>(MessageType::part)) {
    return true;
  }
  const std::string request = std::exchange(client.request, {});
  client.output += frames_of(
    frame.version == kProtocolVersion
      ? answer_(frame.type, request)
      : error_reply(
          {"this process speaks version " + std::to_string(kProtocolVersion) +
           " of the messages, not " + std::to_string(frame.version)}));
  // Who asks more than it reads has one answer's memory, and waits.
  return client.output.size() <= 2 * kMostRequest;
}

bool ControlSocket::write(Client & client)
{
  while (!client.output.empty()) {
    const auto sent = ::send(
      client.socket, client.output.data(), client.output.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    client.output.erase(0, static_cast<std::size_t>(sent));
    client.progress = std::chrono::steady_clock::now();
  }
  return true;
}

}  // namespace takt_control
