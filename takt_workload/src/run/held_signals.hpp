// The main thread waits for SIGINT and SIGTERM, without a signal handler and without effect on
// other threads.
//
// Between `hold_signals` and `release_signals` the signals stay pending until the thread checks for
// them. Otherwise they end the program as usual. So hold them only while the thread checks for
// them.
#ifndef TAKT_WORKLOAD__SRC__RUN__HELD_SIGNALS_HPP_
#define TAKT_WORKLOAD__SRC__RUN__HELD_SIGNALS_HPP_

#include <poll.h>

#include <span>

#include "takt_rt/time.hpp"

namespace takt_workload
{

/// Blocks both signals in this thread, and in threads and children that it creates later. Call
/// before there are other threads.
void hold_signals();

/// Drops pending signals, then unblocks both. For the calling thread.
void release_signals();

/// Waits until `until`. Returns true as soon as one of the signals comes, or if one came before an
/// earlier call returned.
bool wait_for_signal(takt_rt::Time until);

/// The same. Also returns when one of `files` has an event (see `revents`).
bool wait_for_signal_or(std::span<pollfd> files, takt_rt::Time until);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__HELD_SIGNALS_HPP_
