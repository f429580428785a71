// SIGINT and SIGTERM as something the main thread waits for: no handler, no other thread is hit.
//
// Between `hold_signals` and `release_signals` both only wait until somebody looks; everywhere else
// they end the program as they always do. So hold them only where somebody does look.
#ifndef TAKT_WORKLOAD__SRC__RUN__HELD_SIGNALS_HPP_
#define TAKT_WORKLOAD__SRC__RUN__HELD_SIGNALS_HPP_

#include <poll.h>

#include <span>

#include "takt_rt/time.hpp"

namespace takt_workload
{

/// Blocks both signals here and in all threads and children to come; call before there are any.
void hold_signals();

/// Drops those that came, then lets both end the program again. For the calling thread.
void release_signals();

/// Waits until `until`; true as soon as one of the signals came, now or at an earlier call.
bool wait_for_signal(takt_rt::Time until);

/// The same, and ends too when one of `files` has something to say (see `revents`).
bool wait_for_signal_or(std::span<pollfd> files, takt_rt::Time until);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__HELD_SIGNALS_HPP_
