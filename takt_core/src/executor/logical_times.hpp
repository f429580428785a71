// The groups with logical execution time of one executor (logical_time.hpp). Private to the
// executor's sources.
#ifndef TAKT_CORE__SRC__LOGICAL_TIMES_HPP_
#define TAKT_CORE__SRC__LOGICAL_TIMES_HPP_

#include <memory>
#include <utility>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/logical_time.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

class Scheduler;

/// Publishes the outputs that groups hold. Its mutex is held while it publishes, so a group that
/// begins at a border waits until all outputs of that border are out.
class LogicalTimes
{
public:
  LogicalTimes() = default;
  ~LogicalTimes() { clear(); }
  LogicalTimes(const LogicalTimes &) = delete;
  LogicalTimes & operator=(const LogicalTimes &) = delete;

  // ---- set-up only ----

  /// Gives `group` the period of `timer`. Returns the callback that publishes at the borders; the
  /// caller adds it to `scheduler`, which is the timer's. `group` lives as long as the callback.
  std::shared_ptr<Callback> attach(
    const std::shared_ptr<LogicalTime> & group, Callback & timer, Scheduler & scheduler);
  /// The publisher and the outputs that `detach` takes from a group. The destructor releases the
  /// outputs, so destroy the object while no lock is held.
  struct Left
  {
    Left() = default;
    Left(Left && other) noexcept
    : publisher(std::move(other.publisher)),
      outputs(std::exchange(other.outputs, {}))
    {
    }
    Left & operator=(Left &&) = delete;
    ~Left() { release(outputs); }

    std::shared_ptr<Callback> publisher;  ///< published at the borders
    LogicalTime::List outputs;
  };
  /// Removes the group's timer, and publishes the held outputs. The caller destroys the result.
  Left detach(LogicalTime & group);
  /// Drops all held outputs. Call when no thread runs callbacks any more.
  void clear() noexcept;
  /// The timer of the group; null: it has none.
  const Callback * timer_of(const LogicalTime & group) const;
  /// The callback that publishes at the borders of the group whose timer is `timer`; null: none.
  Callback * publisher_of(const Callback & timer) const;

  // ---- real-time safe if the publishers of the front end are ----

  /// Publishes all outputs whose border is at or before `until`.
  void publish_due(Time until) noexcept;

  /// The arrival time that the scheduler gets for a message that arrives now: the border whose
  /// outputs this thread publishes, else `now`.
  static Time arrival_time(Time now) noexcept
  {
    return s_border == takt_rt::kNever ? now : s_border;
  }

private:
  friend class LogicalTimeScope;
  class Publisher;

  static constinit thread_local Time s_border;

  HeldOutput * pop_due(Time until, LogicalTime *& of) noexcept;
  void end_run(LogicalTime & group) noexcept;
  static void publish(LogicalTime & group, HeldOutput & output, bool at_border) noexcept;
  static void release(LogicalTime::List & outputs) noexcept;
  static void arm(LogicalTime & group) noexcept;

  mutable takt_rt::PiMutex mutex_;
  std::vector<LogicalTime *> groups_;
};

/// Open while a timer's run and the runs of its inputs are in progress. The constructor publishes
/// the outputs that are due by the run's release. On the thread of the run.
class LogicalTimeScope
{
public:
  /// `period`: of the timer.
  LogicalTimeScope(
    LogicalTimes & all, LogicalTime & group, const Run & run, Duration period) noexcept;
  /// Hides the logical time of another executor, inside whose callback this thread runs.
  LogicalTimeScope() noexcept : previous_(LogicalTime::s_current)
  {
    LogicalTime::s_current = nullptr;
  }
  ~LogicalTimeScope();
  LogicalTimeScope(const LogicalTimeScope &) = delete;
  LogicalTimeScope & operator=(const LogicalTimeScope &) = delete;

private:
  LogicalTime * const previous_;
  LogicalTimes * const all_ = nullptr;
  LogicalTime * const group_ = nullptr;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__LOGICAL_TIMES_HPP_
