// Sequences: callbacks that follow one another on one thread by direct call.
//
// A sequence is a list of callbacks. While a callback of the list runs, its messages may make later
// callbacks of the list ready. These followers do not go into an intake, and wake no thread: when
// the running callback returns, its thread starts them in the order of the list. Thus a path, or a
// graph whose callbacks are listed in topological order, runs from its first to its last callback
// without a wake-up and without a search for the best callback.
//
// A strictly more urgent callback that is ready on a thread set of this thread goes first; so does one under order `edf`
// with an earlier deadline. All callbacks that waited for their turn then go to their ready queues. A callback whose group
// is busy waits for its group. A callback of other threads, a later message of the same callback, and a callback that has
// a higher priority than the running one and other threads beside this one, use the ready queue. Threads of a following
// pool use it for all callbacks.
//
// A graph is a sequence for several threads (SequencePlace::graph). An iteration begins with a callback that no callback of
// the graph made ready, and consists of the callbacks that follow from it. When a callback of the iteration returns, its
// thread starts the first of the callbacks that it made ready, and other threads may start the rest. All of them wait at
// the iteration's place: that of the callback with which it began. So of callbacks with one priority those of the older
// iteration go first, and those of one iteration in the order of the list.
#ifndef TAKT_CORE__SEQUENCE_HPP_
#define TAKT_CORE__SEQUENCE_HPP_

#include <cstdint>

namespace takt_core
{

class CallbackEntry;
class Scheduler;
class SequenceSlots;
struct SequenceWalk;
struct Run;

/// A callback's place in a sequence of its executor. Callbacks with the same sequence number belong
/// to one sequence.
struct SequencePlace
{
  static constexpr std::uint32_t kMaxSequences = 64;  ///< the most sequences of an executor
  static constexpr std::uint32_t kMaxLength = 64;     ///< the most callbacks of a sequence

  std::uint32_t sequence = 0;  ///< below kMaxSequences
  std::uint32_t position =
    0;  ///< below kMaxLength; of two callbacks in one place the first one ready has it
  bool graph = false;  ///< of all callbacks with this number, or of none

  friend bool operator==(const SequencePlace &, const SequencePlace &) = default;
};

/// Open while the user's function of `run` runs: callbacks of the run's sequence that the function
/// makes ready wait for the function's end. No callback waits for a visitor, or for a callback
/// without a sequence. Scopes nest: only the innermost one counts. Open it on the run's thread,
/// which calls the scheduler's `next` or `leave` afterwards. Real-time safe.
class SequenceScope
{
public:
  /// `wanted`: false for a thread that must not keep followers, such as one that takes its callbacks' OS priority.
  SequenceScope(Scheduler & scheduler, const Run & run, bool wanted = true) noexcept;
  ~SequenceScope() { s_open = previous_; }
  SequenceScope(const SequenceScope &) = delete;
  SequenceScope & operator=(const SequenceScope &) = delete;

  /// Call before the calling thread's callback waits for another callback: the callbacks that wait
  /// for its end go to the ready queues, so that other threads may run them. Real-time safe.
  static void before_wait() noexcept;

private:
  friend class Scheduler;

  static thread_local const SequenceScope * s_open;

  Scheduler & scheduler_;
  const Run & run_;
  const CallbackEntry & entry_;  // of the run
  const SequenceScope * const previous_;
  SequenceWalk * walk_ = nullptr;  // null: no callback waits for the end of the run
  const std::uint32_t lane_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SEQUENCE_HPP_
