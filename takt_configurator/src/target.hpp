// A thread of the client that the daemon has found, and the check that the id still belongs to it.
//
// One thread at a time. Allocates; may block (reads /proc).
#ifndef TAKT_CONFIGURATOR__SRC__TARGET_HPP_
#define TAKT_CONFIGURATOR__SRC__TARGET_HPP_

#include "file_descriptor.hpp"
#include "ledger.hpp"
#include "peer.hpp"
#include "process_table.hpp"
#include "takt_rt/result.hpp"

namespace takt_configurator
{

struct Target
{
  ThreadKey key{};
  FileDescriptor thread{};  ///< becomes readable when the thread ends; empty before Linux 6.9
};

/// The thread with the number `own_tid` in the client's process. One fault if the process has
/// ended, if it has no such thread, or if the thread runs as another user than the process had at
/// its connection.
takt_rt::Result<Target> find_target(const Peer & peer, pid_t own_tid, const ProcessTable & table);

/// True if the id still belongs to that thread. The kernel's descriptor is exact. Without a
/// descriptor, the start time distinguishes threads that started at least a clock tick (10 ms)
/// apart.
bool is_same(const Peer & peer, const Target & target, const ProcessTable & table);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__TARGET_HPP_
