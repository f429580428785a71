// The counts of one callback, one chain and one executor thread.
//
// Hooks write the atomics and readers read them, without a lock. The ends of runs and set-up lock
// the mutexes of these records. Readers of distributions and the watch thread lock them briefly.
#ifndef TAKT_WATCH__SRC__RECORDS_HPP_
#define TAKT_WATCH__SRC__RECORDS_HPP_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "miss_counter.hpp"
#include "open_activations.hpp"
#include "root_ids.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/chain.hpp"
#include "takt_core/seen_activations.hpp"
#include "takt_core/statistics_observer.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_watch
{

/// Stands for "no limit" when hooks compare durations: longer than any duration.
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// Sets `most` to `value` if `value` is larger. Real-time safe.
template <typename Number>
void raise_to(std::atomic<Number> & most, Number value) noexcept
{
  Number old = most.load(std::memory_order_relaxed);
  while (old < value && !most.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}

/// The number of responses in the rule's window; 1 without a rule.
inline std::uint32_t window_of(const std::optional<takt_schedule::MissRule> & rule)
{
  return rule ? rule->of : 1;
}

struct ChainRecord
{
  // --- a run that ends, or set-up, holds the mutex ---
  takt_rt::PiMutex mutex;
  Root * root = nullptr;
  takt_rt::Duration deadline = takt_rt::kForever;
  takt_core::SeenActivations seen;
  MissCounter misses;  // one thread at a time records
  // The next distributions are made when the last callback is added.
  // Responses from the release of the root.
  std::unique_ptr<takt_core::Distribution> responses{};
  // Responses from the arrival of the last callback's message, used if the root is not in this
  // process.
  std::unique_ptr<takt_core::Distribution> from_arrival{};
  // Responses from the release of the root while the switch was off. Null: nobody wants them (see
  // WatchedExecutor::measures_chains).
  std::unique_ptr<takt_core::Distribution> while_off{};
  std::uint64_t late = 0;  // values of `responses` and `while_off` that exceeded the deadline

  // --- any thread ---
  // gets releases if the chain has a deadline and its last callback is in this executor
  OpenActivations open;
  std::atomic<std::uint64_t> activations{0};  // activations that ended or are overdue
  // Misses that were counted before the activation ended.
  std::atomic<std::uint64_t> overdue{0};
  std::atomic<std::int64_t> longest{0};  // the longest response since the last look, ns

  // --- set-up, with the observer's mutex ---
  takt_core::ChainOptions options{};
  takt_schedule::ChainWatchRule rule{};
  std::size_t order = 0;  // the place in the order of setting
  bool removed = false;
  bool ends_here = false;     // true if its last callback is in this executor
  Root * followed = nullptr;  // the root that passes releases to `open`
  takt_rt::Duration followed_deadline{};

  /// Returns true if `activation` is one of this chain and ends now for the first time. Then adds
  /// its response to `to`, which may be null. Real-time safe. Call it with the mutex held, and
  /// check the root first.
  bool ends_first(
    const takt_core::Activation & activation, takt_rt::Time end,
    takt_core::Distribution * to) noexcept
  {
    if (!seen.first_time(activation)) {
      return false;
    }
    if (to != nullptr) {
      const takt_rt::Duration response = end - activation.release;
      to->record(response);
      late += response > deadline ? 1 : 0;
    }
    return true;
  }
};

/// Counts that the callback itself keeps (Callback::message_counts and others).
struct OwnCounts
{
  std::uint64_t arrivals = 0;
  std::uint64_t overwritten = 0;
  std::uint64_t lost = 0;
  std::uint64_t skipped = 0;
};

struct CallbackRecord
{
  // --- a run that ends, or set-up, holds the mutex ---
  takt_rt::PiMutex mutex;
  std::vector<ChainRecord *> ends{};  // the chains that end with this callback
  MissCounter misses;                 // one thread at a time records

  // --- any thread ---
  std::atomic<std::uint32_t> number{0};  // Callback::number; changed by set-up
  std::atomic<std::uint64_t> starts{0};
  std::atomic<std::uint64_t> empty_takes{0};
  std::atomic<std::uint64_t> exceptions{0};
  std::atomic<std::uint64_t> overruns{0};
  std::atomic<std::int64_t> longest_overrun{0};  // the longest since the last look, ns
  std::atomic<std::int64_t> busy{0};             // ns
  std::atomic<std::uint32_t> most_waiting{0};
  // The limits of the rule, in ns; set-up changes them.
  std::atomic<std::int64_t> age{kNoLimit};
  std::atomic<std::int64_t> stall{kNoLimit};
  std::atomic<std::int64_t> budget{kNoLimit};

  // --- set-up and looks, with the observer's mutex ---
  const takt_core::Callback * callback = nullptr;  // null: removed
  std::string id{};
  std::string chain_id{};
  std::string group{};
  bool exclusive = true;
  std::uint32_t guard_name = 0;  ///< the guard's number of its id; 0: the guard is not there
  takt_core::Kind kind = takt_core::Kind::waitable;
  std::uint64_t order = 0;  // the place in the order of adding
  takt_schedule::WatchRule rule{};
  OwnCounts before{};    // the counts of earlier callbacks with this id
  OwnCounts began_at{};  // the callback's counts when its watching began
  bool too_old = false;  // the oldest message has reached the age of the rule
  // The figures of the last window:
  std::optional<std::uint64_t> window_arrivals{};
  std::uint64_t window_starts = 0;
  std::optional<double> arrival_rate{};  // 1/s
  std::optional<double> service_rate{};
};

/// One executor thread, or the caller of `spin_once` and `spin_some`.
struct alignas(64) ThreadSlot
{
  // --- the thread writes, others read through `current` ---
  std::atomic<std::uint32_t> callback{0};  // Callback::number
  std::atomic<std::int64_t> since{0};      // start of the run; 0: no run
  std::atomic<pid_t> tid{0};

  // --- used only by the thread ---
  CallbackRecord * record = nullptr;
  bool started = false;

  // --- set-up and looks, with the observer's mutex ---
  std::uint32_t number = 0;
  bool visitor = false;  // the caller of `spin_once`; does not change
  std::string name{};
  std::int64_t told_since = 0;  // start of the last run that was reported as stalled

  struct Current
  {
    std::uint32_t callback = 0;
    std::int64_t since = 0;
  };
  /// The run in progress; absent: no run, or the run has just changed. Any thread; real-time safe.
  std::optional<Current> current() const noexcept
  {
    Current result;
    result.since = since.load(std::memory_order_acquire);
    result.callback = callback.load(std::memory_order_acquire);
    // If a newer run began after the first load, `since` has changed.
    if (result.since == 0 || since.load(std::memory_order_relaxed) != result.since) {
      return std::nullopt;
    }
    return result;
  }
  // Notes the start of a run. Only the thread itself calls it.
  void begin(std::uint32_t number_of_callback, takt_rt::Time time) noexcept
  {
    callback.store(number_of_callback, std::memory_order_release);
    since.store(takt_rt::to_ns(time), std::memory_order_release);
  }
  void end() noexcept { since.store(0, std::memory_order_release); }
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__RECORDS_HPP_
