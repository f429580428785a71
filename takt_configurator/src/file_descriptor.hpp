// Owns a file descriptor. Any thread, one at a time.
#ifndef TAKT_CONFIGURATOR__SRC__FILE_DESCRIPTOR_HPP_
#define TAKT_CONFIGURATOR__SRC__FILE_DESCRIPTOR_HPP_

#include <poll.h>
#include <unistd.h>

#include <utility>

namespace takt_configurator
{

class FileDescriptor
{
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor && other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor & operator=(FileDescriptor && other) noexcept
  {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor()
  {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  /// For the descriptor of a PID: true if the process or thread has ended. False without a
  /// descriptor. Does not block.
  bool ended() const noexcept
  {
    pollfd one{fd_, POLLIN, 0};
    return fd_ >= 0 && ::poll(&one, 1, 0) > 0;
  }

private:
  int fd_ = -1;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__FILE_DESCRIPTOR_HPP_
