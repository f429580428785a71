// The conformance suite: one function per promise. Each runs an engine through a workload and
// reports whether the promise was kept.
#ifndef SUPPORT__SUITE_HPP_
#define SUPPORT__SUITE_HPP_

#include "engine.hpp"

namespace takt_core::test
{

using Check = Verdict (*)(Engine & engine, const Setting & setting);

/// Groups exclude, takes are serialised, and every message is consumed exactly once.
Verdict consumes_everything_once_in_exclusive_groups(Engine & engine, const Setting & setting);

/// Inside a level callbacks start in order of release. For fifo and priority, and where one thread
/// or the virtual clock makes the order of starts observable.
Verdict keeps_the_order_of_releases(Engine & engine, const Setting & setting);

/// No callback runs before the gate opens; then the waiting callbacks run.
Verdict runs_nothing_before_the_gate(Engine & engine, const Setting & setting);

/// Binding back and forth under load loses and doubles no message. For shapes with several threads.
Verdict survives_rebinding(Engine & engine, const Setting & setting);

/// Changing priorities under load loses and doubles no message.
Verdict survives_priority_changes(Engine & engine, const Setting & setting);

/// A removed callback does not start again; the members of its group continue.
Verdict removes_for_good(Engine & engine, const Setting & setting);

/// Adding and removing callbacks and groups does not disturb other callbacks.
Verdict survives_adding_and_removing(Engine & engine, const Setting & setting);

/// Repeated cancels from several threads and restarts lose and double no message. On real threads.
Verdict survives_cancel_storms(Engine & engine, const Setting & setting);

/// Callbacks that throw are counted and all others continue. On real threads, and for executors
/// that report exceptions.
Verdict survives_exceptions(Engine & engine, const Setting & setting);

/// Sleeping threads are woken for every message, without the help of timers.
Verdict wakes_for_every_message(Engine & engine, const Setting & setting);

}  // namespace takt_core::test

#endif  // SUPPORT__SUITE_HPP_
