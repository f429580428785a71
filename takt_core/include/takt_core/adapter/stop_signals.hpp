// SIGINT and SIGTERM end the spins of every executor that was added here. One table and one pair of
// handlers for the process, whichever adapters are loaded into it.
#ifndef TAKT_CORE__ADAPTER__STOP_SIGNALS_HPP_
#define TAKT_CORE__ADAPTER__STOP_SIGNALS_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt_core/executor.hpp"

namespace takt_core::adapter::stop_signals
{

/// Installs the handlers with the first call and restores what was there with the last `release`.
void acquire();
void release();

/// Signals handled so far. Real-time safe.
std::uint64_t count() noexcept;

/// Changes, and wakes those who sleep on it, with each signal handled and each `interrupt`.
const std::atomic<std::uint32_t> & interruptions() noexcept;
void interrupt() noexcept;

/// How many executors `add` takes at once.
inline constexpr std::size_t kMostExecutors = 64;

/// `executor` is cancelled by signals until `remove`, which waits for a handler in progress. False:
/// there are `kMostExecutors` already. Any thread; set-up only.
[[nodiscard]] bool add(Executor & executor) noexcept;
void remove(Executor & executor) noexcept;

}  // namespace takt_core::adapter::stop_signals

#endif  // TAKT_CORE__ADAPTER__STOP_SIGNALS_HPP_
