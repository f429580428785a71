// The state of takt_core as a plug-in sees it. Plain C functions, found by name.
#ifndef SHARED_STATE__PROBE_HPP_
#define SHARED_STATE__PROBE_HPP_

#include <cstdint>

extern "C" {
/// The calling thread's current activations, executor and run.
const void * probe_activations();
const void * probe_executor();
const void * probe_run();
/// Calls `function` while other activations are current; returns their address.
const void * probe_call_within(void (*function)());
/// The number of a callback that the plug-in makes and keeps.
std::uint32_t probe_make_callback();
/// The number of SIGINT and SIGTERM handled in this process.
std::uint64_t probe_signals();
/// PiMutex::waits() as inline code of the plug-in reads it.
std::uint64_t probe_mutex_waits();
}

#endif  // SHARED_STATE__PROBE_HPP_
