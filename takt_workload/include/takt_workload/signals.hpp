// SIGINT and SIGTERM as something the main thread waits for: no handler, no other thread is hit.
#ifndef TAKT_WORKLOAD__SIGNALS_HPP_
#define TAKT_WORKLOAD__SIGNALS_HPP_

#include "takt_core/time.hpp"

namespace takt_workload
{

/// Call first in main: blocks both signals here and in all threads and children to come.
void hold_signals();

/// Waits until `until`; true as soon as one of the signals came, now or at an earlier call.
bool wait_for_signal(takt_core::Time until);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SIGNALS_HPP_
