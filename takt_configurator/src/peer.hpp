// The process at the other end of a connection, as the kernel names it.
#ifndef TAKT_CONFIGURATOR__SRC__PEER_HPP_
#define TAKT_CONFIGURATOR__SRC__PEER_HPP_

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file_descriptor.hpp"
#include "process_table.hpp"

namespace takt_configurator
{

/// Its ids and credentials are those of the moment at which it connected. They stay the same, even
/// if the process hands the connection on.
struct Peer
{
  pid_t pid = 0;
  uid_t uid = 0;
  std::vector<gid_t> groups{};   ///< the effective group first, then the supplementary groups
  std::uint64_t start_time = 0;  ///< in clock ticks since boot
  FileDescriptor process{};      ///< becomes readable when the process ends

  /// True if the id still belongs to the process that connected.
  bool is_there(const ProcessTable & table) const
  {
    return !process.ended() && table.start_time(pid, pid) == start_time;
  }
};

/// Ids of the peer of a connected socket; pid 0 if it is in a PID namespace that the daemon does
/// not see. Does not block.
ucred peer_credentials(int socket);

/// Reads the peer of a connected socket. Empty if the peer has ended, or is in a PID namespace that
/// the daemon does not see. Does not block.
std::optional<Peer> read_peer(int socket, const ProcessTable & table);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__PEER_HPP_
