// A callback's entry in its scheduler: the scheduler's data of the callback while it is queued,
// parked and run.
//
// The entry is the private base of the callback's object: it shares the cache line of the
// callback's virtual table, and adding a callback allocates no entry. Intakes, ready queues, groups
// and timer heaps link entries. Users see the callback (callback.hpp) only, and only the core's own
// sources use entries.
//
// Locks: each section of members names its lock. A queued callback's links and its precedence
// belong to the thread that owns the place where the callback waits (CallbackState).
#ifndef TAKT_CORE__DETAIL__CALLBACK_ENTRY_HPP_
#define TAKT_CORE__DETAIL__CALLBACK_ENTRY_HPP_

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "takt_core/boost.hpp"
#include "takt_core/detail/arrival_ring.hpp"
#include "takt_core/detail/callback_state.hpp"
#include "takt_core/detail/precedence.hpp"
#include "takt_core/kind.hpp"
#include "takt_core/non_triggering.hpp"
#include "takt_core/phased.hpp"
#include "takt_core/sequence.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::kNever;

class Callback;
class Group;
class ThreadSet;

class CallbackEntry;
struct SetHead;

/// A non-triggering callback among the inputs of a taker.
struct InputEntry
{
  CallbackEntry * entry = nullptr;
  std::uint32_t left = 0;  ///< messages that the taker has still to take in this start
};

class CallbackEntry
{
public:
  /// `number`: Callback::number(). Allocates the arrival ring. Set-up only.
  CallbackEntry(
    Kind kind, std::uint32_t number, std::uint32_t depth,
    const std::optional<TimerOptions> & timer);
  CallbackEntry(const CallbackEntry &) = delete;
  CallbackEntry & operator=(const CallbackEntry &) = delete;

  /// The entry of a callback, and the callback of an entry: the same object. Real-time safe.
  static CallbackEntry & of(Callback & callback) noexcept;
  static const CallbackEntry & of(const Callback & callback) noexcept;
  Callback & callback() noexcept;
  const Callback & callback() const noexcept;

  /// The first of two prefetch hints before a start: fetches the entry.
  void prefetch() const noexcept
  {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&group_, 1);
  }
  /// The second hint: fetches the memory that the entry points to.
  void prefetch_more() const noexcept
  {
    __builtin_prefetch(group_, 1);
    arrivals_.prefetch();
  }

  std::uint32_t instance() const noexcept { return instance_.load(std::memory_order_relaxed); }
  void next_instance() noexcept { instance_.store(instance() + 1, std::memory_order_relaxed); }

  /// Whether the callback's messages wait for the group's condition, or are inputs of the
  /// condition.
  bool conditional() const noexcept
  {
    return (state_.load(std::memory_order_relaxed) & kConditional) != 0;
  }
  /// Whether the condition has released the oldest waiting message.
  bool released() const noexcept
  {
    return arrivals_.oldest_index() < released_.load(std::memory_order_seq_cst);
  }

  /// Whether the callback's messages are kept until a set is complete (Condition::spread).
  bool keeps_for_set() const noexcept { return conditional() && head_ != nullptr; }

  enum class Where : std::uint8_t
  {
    nowhere,
    intake,
    queue,
    parked,
    held
  };

  // Why the callback is in an intake.
  enum class Comes : std::uint8_t
  {
    released,   // newly released, or with more work pending
    stamped,    // newly released, with its precedence already set
    returning,  // was handed its group: rejoins its queue at its old place
  };

  static constexpr std::uint8_t kNoSequence = UINT8_MAX;

  using State = detail::CallbackState<>;
  static constexpr std::uint32_t kQueued = State::kQueued;
  static constexpr std::uint32_t kClosed = State::kClosed;
  static constexpr std::uint32_t kAdded = State::kAdded;
  static constexpr std::uint32_t kTaking = State::kTaking;
  static constexpr std::uint32_t kNonTriggering = State::kNonTriggering;
  static constexpr std::uint32_t kInputs = State::kInputs;
  static constexpr std::uint32_t kConditional = State::kConditional;
  static constexpr std::uint32_t kRun = State::kRun;
  static constexpr std::uint32_t kMarks = State::kMarks;

  // --- members that a dispatch touches: two cache lines, up to and including `arrivals_`. With
  // many ready callbacks, fetching these lines is most of the dispatch's cost. ---
  // While the callback is in an intake, `next_`, `previous_`, `precedence_` and `comes_` belong to
  // the thread that put it there. Elsewhere the mutex of the callback's place guards them: that of
  // the thread set, of the group or of the held callbacks.
  State state_;
  // Counts this callback's releases as a root. Starts and takes write it, one after the other.
  // Another thread set may read it meanwhile, under its mutex, to compute the key of the next run
  // after a new binding.
  std::atomic<std::uint32_t> instance_{0};
  std::atomic<ThreadSet *> set_{nullptr};
  CallbackEntry * next_ = nullptr;      // intake, level list
  CallbackEntry * previous_ = nullptr;  // level list
  Precedence precedence_;  // of the oldest arrival; the order defines the key's meaning
  Group * group_ = nullptr;
  const std::uint32_t number_;
  std::atomic<Where> where_{Where::nowhere};
  const Kind kind_;
  Comes comes_ = Comes::released;
  bool publishes_last_ = false;            // changes only before the callback is added
  Phased phased_ = Phased::no;             // changes only before the callback is added
  std::atomic<std::uint8_t> priority_{0};  // larger is more urgent
  std::atomic<std::uint8_t> raised_{
    0};  // the boost's addition to `priority_`; the sum is at most 255
  // Its place in a sequence (sequence.hpp). These three change only before the callback is added. A
  // thread that announces a message may read the first one at any time, as a hint.
  std::atomic<std::uint8_t> sequence_number_{kNoSequence};
  std::uint8_t position_ = 0;
  bool graph_ = false;
  // Waits at the place of its graph's iteration, whatever messages it has. Guarded as
  // `precedence_`.
  bool at_iteration_ = false;
  struct Deadlines;
  std::atomic<const Deadlines *> deadlines_{nullptr};  // null: no deadline
  ArrivalRing arrivals_;

  // --- members that only some orders touch: guarded as `next_` ---
  std::uint32_t place_ = UINT32_MAX;  // place in a heap of ready or parked callbacks
  std::uint32_t rank_ = UINT32_MAX;   // rank in the window orders
  std::uint32_t visit_ = 0;           // the last visit that ran the callback

  // --- boost: guarded by the thread set's mutex ---
  std::optional<Boost> boost_;
  std::uint32_t boost_step_ = 0;
  std::uint32_t boosted_starts_ = 0;        // since its last start at its own priority
  CallbackEntry * next_boosted_ = nullptr;  // links the set's callbacks with a boost

  // --- timers: guarded by the thread set's mutex ---
  const bool timed_;  // timer options were given
  TimerOptions timer_;
  Time expiry_ = kNever;  // next nominal release
  Time due_ = kNever;     // release that is queued
  std::uint32_t timer_place_ = UINT32_MAX;
  bool timer_active_ = false;
  bool on_grid_ = false;    // the releases are on the grid of first_release
  bool withdrawn_ = false;  // reset while queued: the queued release must not run
  std::atomic<std::uint64_t> skipped_{0};

  // --- phased callbacks: guarded by the thread set's mutex ---
  std::uint64_t seen_overwritten_ = 0;  // overwritten arrivals reported so far
  std::uint64_t seen_lost_ = 0;         // lost messages reported so far

  // --- non-triggering callbacks (non_triggering.hpp) ---
  // The non-triggering callbacks whose messages this callback takes. Guarded by the scheduler's
  // inputs_mutex_. Null: none.
  std::vector<InputEntry> * inputs_ = nullptr;
  const NonTriggering * non_triggering_ =
    nullptr;                                // null: the callback triggers. Set before it is added.
  std::atomic<std::uint64_t> left_out_{0};  // messages that takers left out

  // --- callbacks under a condition (condition.hpp) ---
  std::atomic<std::uint64_t> released_{0};  // arrivals below this index are released
  Time newest_ = kNever;  // arrival of the newest message; guarded by the condition's mutex

  // With Condition::spread: the message that waits for its set. Guarded by the condition's mutex;
  // the pointer changes only while the callback is added. Null: the condition has no spread.
  SetHead * head_ = nullptr;

  // --- set-up only ---
  std::uint32_t registration_ = 0;  // number in the order of `add`, for its kind
};

/// Orders callbacks by precedence.
struct CallbackLess
{
  bool operator()(const CallbackEntry * a, const CallbackEntry * b) const noexcept
  {
    return a->precedence_.before(b->precedence_);
  }
};

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__CALLBACK_ENTRY_HPP_
