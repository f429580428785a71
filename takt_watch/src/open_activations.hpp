// The activations of one chain that were released and have not ended, and which of them are overdue.
//
// An activation is overdue as soon as its deadline has passed and neither it nor a younger one of the chain has ended:
// newer data that ended in time does its work. A chain may stop ending, so the watch thread asks (`judge`), and no end
// has to come. Each overdue activation is told once; its end may come later, and `ended` says then that it was told.
//
// Until an activation of the chain has ended, its first 5 s count as start-up, in which publishers and subscriptions
// find each other, and nothing is overdue. If the chain's last callback runs for other activations only before one of
// the chain has ended, the middleware or another process has lost the way from the root, and nothing is overdue either.
//
// Bounded: 256 releases that are neither ended nor told. Releases beyond these share the last place, which is judged by
// its youngest release: if none of them has ended all are overdue, if an older one of them has, only one is. Of 16 times
// in which activations were overdue it is known which activations were told; those of earlier times count as told.
//
// Any thread; real-time safe: one priority-inheriting mutex, held for the length of a call; nothing allocates.
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

/// The releases of a root timer that it has not started for: at `next`, which may be in the future, and once in each
/// period from there on.
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

  /// The root was released `count` times at `release`.
  void released(takt_rt::Time release, std::uint32_t count = 1) noexcept;
  /// One of those releases was none: its message was not there.
  void withdrawn(takt_rt::Time release) noexcept;
  /// The activation released at `release` has ended. True: it was told as overdue.
  bool ended(takt_rt::Time release) noexcept;
  /// The chain's last callback has ended a run that worked for no activation of the chain.
  void ended_for_others() noexcept;

  struct Judgement
  {
    std::uint64_t overdue = 0;             ///< since the last call
    takt_rt::Time next = takt_rt::kNever;  ///< when the next one will be, if nothing ends
  };
  /// `timer`: of the root, if it is one.
  Judgement judge(
    takt_rt::Time now, takt_rt::Duration deadline,
    const std::optional<UnstartedTimer> & timer) noexcept;

  /// Forgets what is open: the executor does not spin.
  void pause() noexcept;
  /// Begins anew, as for another chain.
  void forget() noexcept;

  /// The release of the first activation that is overdue; absent: nothing is overdue, or one has ended since.
  std::optional<takt_rt::Time> silent_since() const noexcept;

private:
  static constexpr takt_rt::Time kBefore = takt_rt::Time::min();
  static constexpr std::int64_t kNotSilent = INT64_MAX;

  /// Releases that share a place: mostly one.
  struct Releases
  {
    takt_rt::Time first{};
    takt_rt::Time last{};
    std::uint32_t count = 0;
  };
  /// Activations released after `from`, and not after `to`.
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
  std::array<Told, kTimes> told_{};  // the latest at `(told_count_ - 1) % kTimes`
  std::uint64_t told_count_ = 0;
  takt_rt::Time told_before_ = kBefore;  // activations up to here count as told
  takt_rt::Time judged_ =
    kBefore;  // so do those up to here, unless they were released before the start-up ended
  takt_rt::Time newest_ended_ = kBefore;  // release of the youngest one that has ended
  takt_rt::Time first_release_ = takt_rt::kNever;
  takt_rt::Time timer_from_ =
    takt_rt::kNever;  // older releases of a timer that did not start are not looked at
  bool has_ended_ = false;
  bool ends_for_others_ = false;
  std::atomic<std::int64_t> silent_since_{kNotSilent};
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__OPEN_ACTIVATIONS_HPP_
