// A thread that the daemon has found to be the client's, and whether the id still is that thread's.
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
  FileDescriptor thread{};  ///< tells when it ends; none before Linux 6.9
};

/// The thread that the client's process numbers `own_tid`. One fault if the process has ended, if it has no
/// such thread, or if the thread runs as another user than its process connected as.
takt_rt::Result<Target> find_target(const Peer & peer, pid_t own_tid, const ProcessTable & table);

/// Whether the id still is that thread's. The kernel's descriptor is exact; where there is none, the start time tells
/// apart what is a clock tick (10 ms) apart.
bool is_same(const Peer & peer, const Target & target, const ProcessTable & table);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__TARGET_HPP_
