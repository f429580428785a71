// The listening socket, at a path that only the daemon's user can change.
//
// Set-up only: allocates; may block for as long as another daemon starts in the same folder.
#ifndef TAKT_CONFIGURATOR__SRC__LISTENER_HPP_
#define TAKT_CONFIGURATOR__SRC__LISTENER_HPP_

#include <sys/types.h>

#include <string>

#include "file_descriptor.hpp"
#include "takt_rt/result.hpp"

namespace takt_configurator
{

/// The destructor removes the socket, unless the path names another file by then.
class Listener
{
public:
  /// Makes the socket's folder if it is missing (mode 0755), then the socket (mode 0666: the daemon
  /// checks credentials instead of the file's mode). Replaces the socket of a dead daemon. One
  /// fault if the path has a symbolic link, if another user could change it, if it names a file
  /// other than a socket of this user, or if a living daemon listens there.
  static takt_rt::Result<Listener> open(const std::string & path);

  Listener(Listener &&) = default;
  Listener & operator=(Listener &&) = default;
  ~Listener();

  /// accept(2) does not block on it.
  int socket() const noexcept { return socket_.get(); }

private:
  Listener() = default;

  FileDescriptor folder_;
  FileDescriptor socket_;
  std::string name_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__LISTENER_HPP_
