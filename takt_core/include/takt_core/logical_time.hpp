// Logical execution time (LET): a group reads its inputs at the release of its timer, and its
// outputs come out at the end of the timer's period, however long the run took.
//
// A group with logical execution time has one timer. The group's subscriptions do not trigger: the
// timer's run takes the messages that arrived by the timer's release (`NonTriggering::by_release`),
// each with its own callback. Messages of these callbacks and of the timer's own function are held
// until the release plus one period, the *border*, and then published. So the times at which data
// comes in and out do not depend on other work, as long as each run ends before its border.
//
// At a border, outputs come before inputs: before the run of a group with logical execution time
// takes its inputs, it publishes all outputs of its executor that are due by its release. These
// outputs have the border as their arrival time, whenever the thread really publishes them. So
// groups of one executor exchange the same messages in each run of the program. For all other
// receivers, a callback of takt publishes the outputs at the border, with the highest priority on
// the timer's threads.
//
// A run that ends after its border is late: its outputs are published at its end or dropped, as the
// schedule says. A run that was not late publishes all that it held.
//
// The idea is from Henzinger, Horowitz, Kirsch, "Giotto: a time-triggered language for embedded
// programming" (2001). rclc's executor implements the half of it that concerns inputs.
#ifndef TAKT_CORE__LOGICAL_TIME_HPP_
#define TAKT_CORE__LOGICAL_TIME_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "takt_core/activation.hpp"
#include "takt_rt/constinit.hpp"
#include "takt_rt/fault.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Time;

class Callback;
class LogicalTimes;
struct Run;

/// The treatment of the outputs of a run that ends after its border.
enum class LateOutputs : std::uint8_t
{
  publish,  ///< at the end of the run
  drop
};

/// As the schedule file spells them.
std::string_view to_string(LateOutputs late) noexcept;

/// A message that waits for its border. The front end makes the object, and owns it again from
/// `release` on.
class HeldOutput
{
public:
  HeldOutput() = default;
  HeldOutput(const HeldOutput &) = delete;
  HeldOutput & operator=(const HeldOutput &) = delete;

  /// Publishes the message, on a thread of the executor and with the activations of the callback
  /// that held it. The executor holds a lock, so the call must not add or remove callbacks.
  virtual void publish() noexcept = 0;
  /// The last call on the object, after `publish` or instead of it. The executor holds no lock.
  virtual void release() noexcept = 0;

protected:
  virtual ~HeldOutput() = default;

private:
  friend class LogicalTime;
  friend class LogicalTimes;

  HeldOutput * next_ = nullptr;
  Time due_{};
  ActivationSet activations_;
};

/// The counts of a group with logical execution time.
struct LogicalTimeCounts
{
  std::uint64_t runs = 0;
  std::uint64_t late = 0;       ///< runs that ended after their border
  std::uint64_t published = 0;  ///< outputs that were published
  std::uint64_t dropped = 0;    ///< outputs of late runs, or left when the executor ended
};

/// The logical execution time of one group. The executor drives it.
class LogicalTime
{
public:
  explicit LogicalTime(LateOutputs late) noexcept : late_(late) {}
  /// Drops the held outputs.
  ~LogicalTime();
  LogicalTime(const LogicalTime &) = delete;
  LogicalTime & operator=(const LogicalTime &) = delete;

  /// The logical time of the run on the calling thread. If there is one, the run's publishers pass
  /// their messages to `hold` instead of publishing them. Null: the publishers publish at once.
  /// Real-time safe.
  static LogicalTime * current() noexcept { return s_current; }

  /// Holds `output` until the border. Call on the thread of the run for which `current` returned
  /// this object. Real-time safe.
  void hold(HeldOutput & output) noexcept;

  /// The setting that the constructor got. Any thread; real-time safe.
  LateOutputs late() const noexcept { return late_; }
  /// The counts so far. Any thread; real-time safe.
  LogicalTimeCounts counts() const noexcept;

private:
  friend class LogicalTimes;
  friend class LogicalTimeScope;

  struct List
  {
    HeldOutput * first = nullptr;
    HeldOutput * last = nullptr;

    void push(HeldOutput & output) noexcept;
    /// Inserts the output by its border, behind outputs of the same border.
    void insert(HeldOutput & output) noexcept;
    HeldOutput * pop() noexcept;
  };

  [[gnu::tls_model("initial-exec")]] TAKT_RT_CONSTINIT static thread_local LogicalTime * s_current;

  const LateOutputs late_;

  // --- only for the thread of the run ---
  List held_;
  Time border_{};

  // --- with the mutex of LogicalTimes held ---
  Callback * timer_ = nullptr;           // the group's timer; null: not in an executor
  std::shared_ptr<Callback> publisher_;  // runs at borders
  Time next_ = takt_rt::kNever;          // when the publisher runs; kNever: no output waits
  List due_;                             // outputs in the order of their borders

  std::atomic<std::uint64_t> runs_{0};
  std::atomic<std::uint64_t> late_runs_{0};
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace takt_core

#endif  // TAKT_CORE__LOGICAL_TIME_HPP_
