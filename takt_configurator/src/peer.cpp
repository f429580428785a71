#include "peer.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77  // Linux 6.5
#endif

namespace takt_configurator
{
namespace
{

/// The descriptor of the process that connected, even if another process has its id by now. An
/// older kernel opens it by id; then only the start time distinguishes the two.
FileDescriptor open_process(int socket, pid_t pid)
{
  int fd = -1;
  socklen_t size = sizeof fd;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &size) == 0) {
    return FileDescriptor(fd);
  }
  if (errno != ENOPROTOOPT) {
    return {};
  }
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

std::vector<gid_t> supplementary_groups(int socket)
{
  std::vector<gid_t> groups(64);
  socklen_t size = 0;
  do {
    size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0) {
      groups.resize(size / sizeof(gid_t));
      return groups;
    }
    groups.resize(size / sizeof(gid_t));
  } while (errno == ERANGE);
  return {};
}

}  // namespace

ucred peer_credentials(int socket)
{
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return {0, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
  }
  return credentials;
}

std::optional<Peer> read_peer(int socket, const ProcessTable & table)
{
  const ucred credentials = peer_credentials(socket);
  if (credentials.pid <= 0) {
    return std::nullopt;
  }
  Peer peer;
  peer.pid = credentials.pid;
  peer.uid = credentials.uid;
  peer.groups = supplementary_groups(socket);
  peer.groups.insert(peer.groups.begin(), credentials.gid);
  peer.process = open_process(socket, peer.pid);
  const auto start = table.start_time(peer.pid, peer.pid);
  // If the process ended, it did so after its start time was read; so the time was that of this
  // process.
  if (!start || !peer.process || peer.process.ended()) {
    return std::nullopt;
  }
  peer.start_time = *start;
  return peer;
}

}  // namespace takt_configurator
