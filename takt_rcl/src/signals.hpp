// SIGINT and SIGTERM: end the spins of every context that asked for it.
#ifndef SIGNALS_HPP_
#define SIGNALS_HPP_

#include <atomic>
#include <cstdint>

#include "takt_core/executor.hpp"

namespace takt_rcl::signals
{

/// Installs the handlers with the first call and restores what was there with the last `release`.
void acquire();
void release();

/// Signals handled so far. Real-time safe.
std::uint64_t count() noexcept;

/// Changes, and wakes those who sleep on it, with each signal handled and each `interrupt`.
const std::atomic<std::uint32_t> & interruptions() noexcept;
void interrupt() noexcept;

/// `executor` is cancelled by signals until `remove`, which waits for a handler in progress.
/// Throws `Error` if the table (64 executors) is full.
void add(takt_core::Executor & executor);
void remove(takt_core::Executor & executor) noexcept;

}  // namespace takt_rcl::signals

#endif  // SIGNALS_HPP_
