#include "connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <thread>

#include "takt_control/unix_address.hpp"

namespace takt_control
{
namespace
{

using std::chrono::microseconds;

microseconds left(Connection::Time until)
{
  const auto span = std::chrono::ceil<microseconds>(until - std::chrono::steady_clock::now());
  return std::max(span, microseconds(1));  // zero would mean no limit
}

}  // namespace

bool Connection::is_open() const noexcept
{
  return socket_ >= 0 && owner_ == ::getpid();
}

void Connection::close() noexcept
{
  if (socket_ >= 0) {
    ::close(socket_);
  }
  socket_ = -1;
  decoder_ = FrameDecoder();
}

Connection::End Connection::fail(End end, const std::string & why)
{
  fault_ = path_ + ": " + why;
  close();
  return end;
}

// Returns 0 or an errno.
int Connection::connect_once(Time until)
{
  const auto address = unix_address(path_);
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) {
    return errno;
  }
  // connect() blocks while the daemon's queue is full; SO_SNDTIMEO bounds the wait.
  const auto span = left(until);
  timeval longest{};
  longest.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  longest.tv_usec = (span % std::chrono::seconds(1)).count();
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  int done = 0;
  do {
    done = ::connect(socket_, reinterpret_cast<const sockaddr *>(&*address), sizeof *address);
  } while (done != 0 && errno == EINTR && std::chrono::steady_clock::now() < until);
  return done == 0 ? 0 : errno;
}

bool Connection::open(Time until)
{
  close();
  owner_ = ::getpid();
  if (!unix_address(path_)) {
    fail(End::failed, "the path of a socket has 1 to 107 bytes");
    return false;
  }
  for (;;) {
    const int error = connect_once(until);
    if (error == 0) {
      return true;
    }
    fail(
      End::failed, error == EAGAIN ? "the daemon does not accept the connection in time"
                                   : std::generic_category().message(error));
    const bool absent = error == ENOENT || error == ECONNREFUSED;
    if (!awaits_ || !absent) {
      return false;
    }
    if (std::chrono::steady_clock::now() >= until) {
      awaits_ = false;  // wait for the daemon only once
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool Connection::wait(short events, Time until)  // NOLINT: poll's type
{
  for (;;) {
    pollfd one{socket_, events, 0};
    const auto span = std::chrono::ceil<std::chrono::milliseconds>(left(until));
    const int ready = ::poll(&one, 1, static_cast<int>(span.count()));
    if (ready > 0) {
      return true;
    }
    const bool interrupted = ready < 0 && errno == EINTR;
    if (!interrupted || std::chrono::steady_clock::now() >= until) {
      return false;
    }
  }
}

Connection::End Connection::send_all(const std::string & bytes, Time until)
{
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const auto sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait(POLLOUT, until)) {
        return fail(End::failed, "the daemon does not take the request in time");
      }
    } else if (errno == EPIPE || errno == ECONNRESET) {
      break;  // the daemon may have sent an error before it closed the connection: read it
    } else if (errno != EINTR) {
      return fail(End::failed, std::generic_category().message(errno));
    }
  }
  return End::answered;
}

Connection::End Connection::exchange(const std::string & bytes, Time until, Frame & answer)
{
  const End sent = send_all(bytes, until);
  if (sent != End::answered) {
    return sent;
  }
  std::array<char, 4096> buffer{};
  for (;;) {
    if (!wait(POLLIN, until)) {
      return fail(End::failed, "the daemon does not answer in time");
    }
    const auto count = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno == ECONNRESET)) {
      return fail(End::lost, "the daemon closed the connection");
    }
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      return fail(End::failed, std::generic_category().message(errno));
    }
    std::string_view rest(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    while (!rest.empty()) {
      rest.remove_prefix(decoder_.feed(rest));
      if (auto frame = decoder_.next()) {
        answer = std::move(*frame);
        return End::answered;  // the daemon sends one frame for each request
      }
    }
    if (decoder_.broken()) {
      return fail(End::failed, "what listens there is no configurator: " + decoder_.fault());
    }
  }
}

}  // namespace takt_control
