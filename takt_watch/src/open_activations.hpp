// Holds the activations of one chain that were released and have not ended, and finds the overdue
// ones.
//
// An activation is overdue when its deadline has passed and neither it nor a younger activation of
// the chain has ended. A younger activation that ended in time carried newer data. Activations of a
// chain may stop ending, so the watch thread calls `judge` without waiting for an end. `judge`
// counts each overdue activation once. If the activation ends later, `ended` returns true, so that
// its miss is not counted again.
//
// Two exceptions: until an activation of the chain has ended, the first 5 s count as start-up, in
// which publishers and subscriptions find each other. No activation is overdue then. And no
// activation is overdue if the chain's last callback has only run for other activations so far,
// because then the middleware or another process has lost the connection to the root.
//
// Bounded: 256 open releases. Further releases share the last place, which is judged by its
// youngest release. If none of these releases has ended, all are overdue; if an older one has
// ended, one is overdue. The last 16 ranges of overdue activations are stored. If an activation
// older than these ranges ends, it counts as one that was overdue.
//
// Any thread; real-time safe: each call holds one priority-inheriting mutex, and no call allocates.
#ifndef TAKT_WATCH__SRC__OPEN_ACTIVATIONS_HPP_
#define TAKT_WATCH__SRC__OPEN_ACTIVATIONS_HPP_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_watch
{

/// The releases of a root timer for which no run has started. The first is at `next`, which may be
/// in the future; further releases follow, one in each period.
struct UnstartedTimer
{
  takt_rt::Time next{};
  takt_rt::Duration period{};
};

class OpenActivations
{
public:
  static constexpr std::uint32_t kCapacity = 256;
  static constexpr std::uint32_t kTimes = 16;
  static constexpr takt_rt::Duration kStartUp = std::chrono::seconds(5);

  /// Records `count` releases of the root at `release`.
  void released(takt_rt::Time release, std::uint32_t count = 1) noexcept;
  /// Takes back one release at `release`, because the take found no message.
  void withdrawn(takt_rt::Time release) noexcept;
  /// Records the end of the activation released at `release`. Returns true if the activation was
  /// counted as overdue.
  bool ended(takt_rt::Time release) noexcept;
  /// Records a run of the chain's last callback that worked for no activation of the chain.
  void ended_for_others() noexcept;

  struct Judgement
  {
    std::uint64_t overdue = 0;  ///< activations that became overdue since the last call
    /// The time at which the next activation becomes overdue if none ends.
    takt_rt::Time next = takt_rt::kNever;
  };
  /// Finds overdue activations. `timer`: the unstarted releases of the root, if it is a timer.
  Judgement judge(
    takt_rt::Time now, takt_rt::Duration deadline,
    const std::optional<UnstartedTimer> & timer) noexcept;

  /// Forgets open activations, because the executor does not spin.
  void pause() noexcept;
  /// Resets all members, to use the object for another chain.
  void forget() noexcept;

  /// The release of the first overdue activation. Absent: no activation is overdue, or one has
  /// ended since.
  std::optional<takt_rt::Time> silent_since() const noexcept;

private:
  static constexpr takt_rt::Time kBefore = takt_rt::Time::min();
  static constexpr std::int64_t kNotSilent = INT64_MAX;

  /// Releases that share a place; usually one.
  struct Releases
  {
    takt_rt::Time first{};
    takt_rt::Time last{};
    std::uint32_t count = 0;
  };
  /// A range of overdue activations: those released after `from` and until `to`.
  struct Told
  {
    takt_rt::Time from{};
    takt_rt::Time to{};
  };

  Releases & place(std::uint32_t index) noexcept { return open_[(begin_ + index) % kCapacity]; }
  void drop_first() noexcept
  {
    begin_ = (begin_ + 1) % kCapacity;
    --size_;
  }
  void tell(takt_rt::Time first, takt_rt::Time last) noexcept;
  bool was_told(takt_rt::Time release) const noexcept;

  takt_rt::PiMutex mutex_;
  std::array<Releases, kCapacity> open_{};  // a ring, oldest first
  std::uint32_t begin_ = 0;
  std::uint32_t size_ = 0;
  std::array<Told, kTimes> told_{};  // the latest is at `(told_count_ - 1) % kTimes`
  std::uint64_t told_count_ = 0;
  takt_rt::Time told_before_ = kBefore;  // activations up to this release count as overdue ones
  // releases up to this one are judged; those during start-up were not overdue
  takt_rt::Time judged_ = kBefore;
  takt_rt::Time newest_ended_ = kBefore;  // release of the youngest ended activation
  takt_rt::Time first_release_ = takt_rt::kNever;
  takt_rt::Time timer_from_ = takt_rt::kNever;  // older releases of an unstarted timer are ignored
  bool has_ended_ = false;
  bool ends_for_others_ = false;
  std::atomic<std::int64_t> silent_since_{kNotSilent};
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__OPEN_ACTIVATIONS_HPP_
