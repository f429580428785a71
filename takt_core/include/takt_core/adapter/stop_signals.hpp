// SIGINT and SIGTERM end the spins of every added executor. A process has one table and one pair of
// handlers, shared by all its adapters.
#ifndef TAKT_CORE__ADAPTER__STOP_SIGNALS_HPP_
#define TAKT_CORE__ADAPTER__STOP_SIGNALS_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt_core/executor.hpp"

namespace takt_core::adapter::stop_signals
{

/// The first `acquire` installs the handlers. The last `release` restores the previous handlers.
void acquire();
void release();

/// The number of signals handled so far. Real-time safe.
std::uint64_t count() noexcept;

/// A futex that changes with each handled signal and each `interrupt`. Both wake the threads that
/// sleep on the futex.
const std::atomic<std::uint32_t> & interruptions() noexcept;
/// Wakes the threads that sleep on `interruptions`. Real-time safe; signal handlers may call it.
void interrupt() noexcept;

/// The most executors that can be added at the same time.
inline constexpr std::size_t kMostExecutors = 64;

/// From now on signals cancel `executor`, until `remove`. False if `kMostExecutors` executors are
/// added already. Any thread; set-up only.
[[nodiscard]] bool add(Executor & executor) noexcept;
/// Signals no longer cancel `executor`. Waits for a handler in progress. Any thread; set-up only.
void remove(Executor & executor) noexcept;

}  // namespace takt_core::adapter::stop_signals

#endif  // TAKT_CORE__ADAPTER__STOP_SIGNALS_HPP_
