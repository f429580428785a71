// Sequences: callbacks that follow one another on one thread by direct call.
//
// A sequence is a list of callbacks. While a callback of the list runs, its messages may make later
// callbacks of the list ready. These followers do not go into an intake, and wake no thread: when
// the running callback returns, its thread starts them in the order of the list. Thus a path, or a
// graph whose callbacks are listed in topological order, runs from its first to its last callback
// without a wake-up and without a search for the best callback.
//
// If a strictly more urgent callback is ready on a thread set of this thread, it starts first;
// under order `edf` that is one with an earlier deadline. All callbacks that waited for their turn
// then go to their ready queues. A callback whose group is busy waits for the group. These use the
// ready queue:
//
// - a callback of other threads,
// - a later message of the same callback,
// - a callback that has a higher priority than the running one, and other threads beside this one,
// - all callbacks on threads of a following pool.
//
// A graph is a sequence for several threads (SequencePlace::graph). An iteration begins with a
// callback that became ready from outside the graph. The iteration consists of this callback and of
// all callbacks that follow from it. When a callback of the iteration returns, its thread starts
// the first of the callbacks that it made ready, and other threads may start the rest. All of them
// wait at the iteration's place, which is that of its first callback. So among callbacks with one
// priority those of an older iteration go first, and those of one iteration go in the order of the
// list.
#ifndef TAKT_CORE__SEQUENCE_HPP_
#define TAKT_CORE__SEQUENCE_HPP_

#include <cstdint>

#include "takt_rt/constinit.hpp"

namespace takt_core
{

class CallbackEntry;
class Scheduler;
struct SequenceWalk;
struct Run;

/// A callback's place in a sequence of its executor. Callbacks with the same sequence number belong
/// to one sequence.
struct SequencePlace
{
  static constexpr std::uint32_t kMaxSequences = 64;  ///< the most sequences of an executor
  static constexpr std::uint32_t kMaxLength = 64;     ///< the most callbacks of a sequence

  std::uint32_t sequence = 0;  ///< below kMaxSequences
  /// Below kMaxLength; if two callbacks share a place, the first one ready gets it.
  std::uint32_t position = 0;
  bool graph = false;  ///< the same for all callbacks with this sequence number

  friend bool operator==(const SequencePlace &, const SequencePlace &) = default;
};

/// Open while the user's function of `run` runs. Callbacks of the run's sequence that the function
/// makes ready wait until the function returns. If the thread is a visitor, or if the run's
/// callback has no sequence, no callback waits. Scopes nest: only the innermost one counts. Open it
/// on the run's thread, which calls the scheduler's `next` or `leave` afterwards. Real-time safe.
class SequenceScope
{
public:
  /// `wanted`: false if no callback must wait for this thread, for example because the thread takes
  /// its callbacks' OS priorities.
  SequenceScope(Scheduler & scheduler, const Run & run, bool wanted = true) noexcept;
  ~SequenceScope() { s_open = previous_; }
  SequenceScope(const SequenceScope &) = delete;
  SequenceScope & operator=(const SequenceScope &) = delete;

  /// Call before the calling thread's callback waits for another callback: the callbacks that wait
  /// for its end go to the ready queues, so that other threads may run them. Real-time safe.
  static void before_wait() noexcept;

private:
  friend class Scheduler;

  [[gnu::tls_model(
    "initial-exec")]] TAKT_RT_CONSTINIT static thread_local const SequenceScope * s_open;

  Scheduler & scheduler_;
  const Run & run_;
  const CallbackEntry & entry_;  // of the run
  const SequenceScope * const previous_;
  SequenceWalk * walk_ = nullptr;  // null: no callback waits for the end of the run
  const std::uint32_t lane_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SEQUENCE_HPP_
