// Tells whether bounds that rest on timer phases hold now, and what disturbed an executor's phases
// last.
//
// Such bounds hold while each timer runs once in each of its periods and each message arrives. A
// *set* holds one message from each of several topics; a callback works when its set is complete
// (docs/system.md). After a skipped period, a lost message, or the start of a process that
// publishes to others, a set may contain other messages than the analysis assumes. That lasts until
// all sets are in step again. The scheduler and the front ends note each disturbance where they
// count the period or message, so an undisturbed run costs nothing.
#ifndef TAKT_CORE__CLOCK__PHASES_HPP_
#define TAKT_CORE__CLOCK__PHASES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "takt_core/phased.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::PiMutex;

class Callback;

/// The causes of a disturbance.
enum class Disturbance : std::uint8_t
{
  skipped_period,     ///< a timer started later than its next release
  lost_message,       ///< a history overwrote a message before its take, or the middleware lost one
  restarted_process,  ///< a publisher began after the callback had messages of another publisher
};

/// The cause's words, such as "skipped period".
std::string_view to_string(Disturbance cause) noexcept;

/// The facts that an executor's phases need from its schedule.
struct PhaseOptions
{
  /// The time after which all sets are in step again: after a disturbance and, if timers count from
  /// the zero of a clock, after a start. Absent: after a disturbance this time is unknown, and
  /// after a start it is computed from the hyperperiod of the executor's own timers.
  std::optional<Duration> settles;
};

/// The state of the phases at one moment.
struct PhaseState
{
  /// The latest disturbance.
  struct Last
  {
    Disturbance cause = Disturbance::skipped_period;
    std::string callback;  ///< id of the timer, or of the callback that lost the message
    Time time{};
  };

  std::uint64_t disturbances = 0;  ///< since the executor was created
  std::optional<Last> last;        ///< absent: no disturbance
  bool started = false;            ///< the executor's timers have begun
  /// Bounds hold from this time on. kNever: only after a new start; absent: unknown.
  std::optional<Time> holds_from{};

  /// True if bounds that rest on phases hold at `now`. Real-time safe.
  bool holds(Time now) const noexcept { return holds_from && *holds_from <= now; }
};

/// Sums up the phased timers of an executor.
struct PhasedTimers
{
  Duration hyperperiod{};  ///< zero: no timers; kForever: too long to be of use
  Duration longest_offset{};

  /// Adds a timer's period and offset. Real-time safe.
  void add(const TimerOptions & timer) noexcept;
  /// The time after a start until all sets are in step: one hyperperiod, plus the whole
  /// hyperperiods in the longest offset, because the timer with that offset begins so much later.
  /// Absent: unknown.
  std::optional<Duration> settle() const noexcept;
};

/// Notes the disturbances of one executor. Any thread; real-time safe except `state`, which
/// allocates.
class Phases
{
public:
  Phases(const PhaseOptions & options, Epoch epoch) noexcept;

  /// The starts that `begin` records.
  enum class Begins : std::uint8_t
  {
    once,   ///< ignored if the timers have begun
    again,  ///< recorded with each start
  };
  /// Timers begin at `start`.
  void begin(Time start, Begins begins) noexcept;
  /// `callback` was disturbed. Waits at most for another call, whose thread inherits the caller's
  /// priority.
  void note(Disturbance cause, const Callback & callback, Phased phased, Time now) noexcept;
  /// `callback` got the first message of a publisher: under an epoch of a clock, sets begin with
  /// this message. `again`: the callback had messages of other publishers before.
  void publisher_began(const Callback & callback, bool again, Time now) noexcept;

  /// The state now. `timers`: the executor's phased timers. Allocates.
  PhaseState state(const PhasedTimers & timers) const;

private:
  static constexpr std::size_t kMostId = 1000;

  const PhaseOptions options_;
  const Epoch epoch_;
  mutable PiMutex mutex_;  // guards the members below
  std::optional<Time> start_;
  std::uint64_t disturbances_ = 0;
  Disturbance cause_ = Disturbance::skipped_period;
  Time time_{};             // of the last disturbance
  Time unsettled_{};        // of the last event after which the sets must settle
  bool disturbed_ = false;  // since the start
  bool for_good_ = false;   // a callback that is phased `for_good` was disturbed, since the start
  std::size_t id_size_ = 0;
  std::array<char, kMostId> id_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__CLOCK__PHASES_HPP_
