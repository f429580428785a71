#include "isolation/wires.hpp"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace takt_bench::isolation
{

// The kernel never mixes a write of this size with a write of another process.
static_assert(sizeof(Message) <= PIPE_BUF);

void Descriptor::close() noexcept
{
  if (number_ >= 0) {
    ::close(std::exchange(number_, -1));
  }
}

Wire Wire::make()
{
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "the kernel refuses a pipe");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send(int to, const Message & message) noexcept
{
  ssize_t written = 0;
  do {
    written = ::write(to, &message, sizeof message);
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(sizeof message);
}

bool receive(int from, Message & message) noexcept
{
  ssize_t read = 0;
  do {
    read = ::read(from, &message, sizeof message);
  } while (read < 0 && errno == EINTR);
  return read == static_cast<ssize_t>(sizeof message);
}

}  // namespace takt_bench::isolation
