#include "listener.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "takt_control/unix_address.hpp"

namespace takt_configurator
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;

// Four rounds of the server. A user who fills the queue then neither keeps others out of it, nor
// lets them wait for long.
constexpr int kBacklog = 1024;

std::string error_text()
{
  return std::generic_category().message(errno);
}

/// Returns an empty sentence if no other user can replace files in the folder. A folder above the
/// last one may be shared, as /tmp is, if its sticky bit is set.
std::string folder_fault(const struct stat & folder, bool is_last)
{
  if (folder.st_uid != 0 && folder.st_uid != ::geteuid()) {
    return "belongs to user " + std::to_string(folder.st_uid);
  }
  const bool shared = (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (shared && (is_last || (folder.st_mode & S_ISVTX) == 0)) {
    return "can be written by other users";
  }
  return {};
}

/// Opens the folders of the path one after the other, so that it follows no symbolic link.
Result<FileDescriptor> open_folder(const std::string & path)
{
  FileDescriptor folder(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string seen;
  std::string_view rest = path;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the slash
    const std::string name(rest.substr(0, rest.find('/')));
    rest.remove_prefix(name.size());
    if (name.empty()) {
      continue;
    }
    seen += "/" + name;
    const bool is_last = rest.find_first_not_of('/') == std::string_view::npos;
    if (is_last && ::mkdirat(folder.get(), name.c_str(), 0755) == 0) {
      ::fchmodat(folder.get(), name.c_str(), 0755, 0);  // for any umask
    }
    FileDescriptor next(::openat(
      folder.get(), name.c_str(),
      O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | (is_last ? O_RDONLY : O_PATH)));
    if (!next) {
      const bool link = errno == ELOOP || errno == ENOTDIR;
      return Faults{
        seen + ": " + error_text() +
        (link ? "; the socket's path must not have a symbolic link: give the real path" : "")};
    }
    struct stat found = {};
    ::fstat(next.get(), &found);
    if (const std::string fault = folder_fault(found, is_last); !fault.empty()) {
      return Faults{seen + ": the folder " + fault + "; use a folder of this user or of root"};
    }
    folder = std::move(next);
  }
  return folder;
}

/// True if a process listens at this address.
bool is_alive(const sockaddr_un & address)
{
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(probe.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) ==
           0 ||
         errno == EAGAIN;  // its queue is full
}

/// Removes the socket of a dead daemon. Returns an empty sentence if the name is free afterwards.
std::string clear(int folder, const std::string & name, const sockaddr_un & address)
{
  struct stat found = {};
  if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? std::string() : error_text();
  }
  if (S_ISLNK(found.st_mode)) {
    return "this is a symbolic link; remove it, or give another path";
  }
  if (!S_ISSOCK(found.st_mode)) {
    return "this is no socket; remove it, or give another path";
  }
  if (found.st_uid != ::geteuid()) {
    return "this socket belongs to user " + std::to_string(found.st_uid) + "; remove it";
  }
  if (is_alive(address)) {
    return "another daemon listens there; stop it, or give another path";
  }
  return ::unlinkat(folder, name.c_str(), 0) == 0 ? std::string() : error_text();
}

}  // namespace

Result<Listener> Listener::open(const std::string & path)
{
  const auto slash = path.rfind('/');
  if (path.empty() || path.front() != '/' || slash + 1 == path.size() || slash == 0) {
    return Faults{
      "the socket's path must be absolute, with a folder and a name, not '" + path + "'"};
  }
  if (!takt_control::unix_address(path)) {
    return Faults{path + ": the path of a socket has at most 107 bytes"};
  }
  auto folder = open_folder(path.substr(0, slash));
  if (!folder) {
    return folder.faults();
  }
  Listener listener;
  listener.folder_ = std::move(*folder);
  listener.name_ = path.substr(slash + 1);
  const int at = listener.folder_.get();
  // Use the checked folder, because the path may name another one by now.
  const auto address =
    takt_control::unix_address("/proc/self/fd/" + std::to_string(at) + "/" + listener.name_);
  if (!address) {
    return Faults{path + ": the name of the socket is too long"};
  }
  ::flock(at, LOCK_EX);  // two daemons that start at the same time then see each other's sockets
  std::string fault = clear(at, listener.name_, *address);
  if (fault.empty()) {
    FileDescriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    struct stat found = {};
    if (
      ::bind(made.get(), reinterpret_cast<const sockaddr *>(&*address), sizeof *address) != 0 ||
      ::fchmodat(at, listener.name_.c_str(), 0666, 0) != 0 ||
      ::fstatat(at, listener.name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::listen(made.get(), kBacklog) != 0) {
      fault = error_text();
    }
    listener.socket_ = std::move(made);
    listener.device_ = found.st_dev;
    listener.inode_ = found.st_ino;
  }
  ::flock(at, LOCK_UN);
  if (!fault.empty()) {
    return Faults{path + ": " + fault};
  }
  return listener;
}

Listener::~Listener()
{
  struct stat found = {};
  if (
    folder_ && inode_ != 0 &&
    ::fstatat(folder_.get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
    found.st_dev == device_ && found.st_ino == inode_) {
    ::unlinkat(folder_.get(), name_.c_str(), 0);
  }
}

}  // namespace takt_configurator
