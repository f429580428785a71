// Whether bounds that rest on known phases hold now, and what disturbed the phases of an executor.
//
// Bounds that count on the offsets of timers hold while each timer runs once in each of its periods and each message
// arrives. After a skipped period or a lost message a set of messages may take other messages than the analysis says,
// until all sets are back in step; the same goes for the start of a process of which others have messages. The scheduler
// and the front ends tell of each disturbance where they count the period or the message, so an undisturbed run pays
// nothing for this.
#ifndef TAKT_CORE__CLOCK__PHASES_HPP_
#define TAKT_CORE__CLOCK__PHASES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "takt_core/timer.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::PiMutex;

class Callback;

enum class Disturbance : std::uint8_t
{
  skipped_period,     ///< a timer started later than its next release
  lost_message,       ///< a history overwrote it before it was taken, or the middleware lost it
  restarted_process,  ///< messages come from a publisher that began while others had been heard of
};

/// "skipped period" and so on.
std::string_view to_string(Disturbance cause) noexcept;

/// What a disturbance of a callback does to the sets of messages behind it.
enum class Phased : std::uint8_t
{
  no,        ///< no bound rests on its phase
  settles,   ///< they are back in step after a while
  for_good,  ///< one takes other messages from then on, until a new start
};

struct PhaseOptions
{
  /// So long after a disturbance all sets are back in step, and so long after a start where timers count from a clock.
  /// Absent: after a disturbance it is not known; after a start it is the hyperperiods of the executor's own timers.
  std::optional<Duration> settles;
};

/// What is known at one moment.
struct PhaseState
{
  struct Last
  {
    Disturbance cause = Disturbance::skipped_period;
    std::string callback;  ///< its id; the timer, or the callback that the message was for
    Time time{};
  };

  std::uint64_t disturbances = 0;  ///< since the executor was created
  std::optional<Last> last;        ///< absent: there was none
  bool started = false;            ///< its timers have begun
  std::optional<Time>
    holds_from{};  ///< bounds hold from then on; kNever: after a new start; absent: not known

  bool holds(Time now) const noexcept { return holds_from && *holds_from <= now; }
};

/// Of the timers of an executor whose phases are known.
struct PhasedTimers
{
  Duration hyperperiod{};  ///< zero: there are none; kForever: it is too long to be of use
  Duration longest_offset{};

  void add(const TimerOptions & timer) noexcept;
  /// How long sets need until they are in step after a start: the hyperperiod, and the hyperperiods by which a slow
  /// source begins later. Absent: not known.
  std::optional<Duration> settle() const noexcept;
};

/// Notes the disturbances of one executor. Any thread; real-time safe but for `state`, which allocates.
class Phases
{
public:
  Phases(const PhaseOptions & options, Epoch epoch) noexcept;

  enum class Begins : std::uint8_t
  {
    once,   ///< unless it has begun
    again,  ///< with each start
  };
  /// Timers begin at `start`.
  void begin(Time start, Begins begins) noexcept;
  /// `callback` was disturbed. Waits at most for another thread that notes one, which inherits the caller's priority.
  void note(Disturbance cause, const Callback & callback, Phased phased, Time now) noexcept;
  /// The first message of a publisher: under an epoch that is a clock's, sets begin with it. `again`: the callback had
  /// messages of others before.
  void publisher_began(const Callback & callback, bool again, Time now) noexcept;

  PhaseState state(const PhasedTimers & timers) const;

private:
  static constexpr std::size_t kMostId = 1000;

  const PhaseOptions options_;
  const Epoch epoch_;
  mutable PiMutex mutex_;  // all below
  std::optional<Time> start_;
  std::uint64_t disturbances_ = 0;
  Disturbance cause_ = Disturbance::skipped_period;
  Time time_{};             // of the last one
  Time unsettled_{};        // of the last one, or of what else the sets have to settle after
  bool disturbed_ = false;  // since the start
  bool for_good_ = false;   // the same
  std::size_t id_size_ = 0;
  std::array<char, kMostId> id_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__CLOCK__PHASES_HPP_
