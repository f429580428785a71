// A thread with a wait set, for what cannot say by itself when it is ready: timers on a clock that may jump
// (ROS time, system time) and waitables that users wrote.
//
// The thread starts with the first entity. It only announces: the entity is run by an executor thread, and
// is out of the wait set until it has run (`again`).
#ifndef ADOPT__ENTITIES__CLOCK_WAITER_HPP_
#define ADOPT__ENTITIES__CLOCK_WAITER_HPP_

#include <rcl/wait.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/waitable.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rclcpp
{

class WaitSet;

class ClockWaiter
{
public:
  /// `place`: where the executor whose entities these are has its own wait set, in which it does not wait.
  /// `attributes`: of the thread. What the kernel refuses of them is told in one line. `one_at_a_time`: the
  /// program's callbacks never run beside each other, and what it wrote of waitables does not run beside them.
  ClockWaiter(
    std::shared_ptr<rclcpp::Context> context, rcl_wait_set_t & place,
    const takt_rt::ThreadAttributes & attributes, bool one_at_a_time);
  /// Ends the thread.
  ~ClockWaiter();
  ClockWaiter(const ClockWaiter &) = delete;
  ClockWaiter & operator=(const ClockWaiter &) = delete;

  /// `ready` is called on the waiter's thread, once for each time that the object becomes ready, and not
  /// again before `again(owner)`. Set-up only. `owner` names the object in the other functions.
  void add(
    const rclcpp::TimerBase::SharedPtr & timer, const void * owner, std::function<void()> ready);
  void add(
    const rclcpp::Waitable::SharedPtr & waitable, const void * owner, std::function<void()> ready);
  /// Afterwards `ready` is not called. Set-up only; waits for a call in progress.
  void remove(const void * owner) noexcept;
  /// The object ran, or changed. Any thread.
  void again(const void * owner) noexcept;
  /// For each run of a callback: while it is held, no waitable is asked. Holds nothing where that need not be. Any
  /// thread; real-time safe but for the time that a waitable takes to answer.
  std::unique_lock<takt_rt::PiMutex> exclude();
  /// What is ready now has been announced when this returns. Not on the waiter's thread; waits for a turn of it.
  void settle();

private:
  struct Entry
  {
    const void * owner;
    rclcpp::TimerBase::WeakPtr timer;
    rclcpp::Waitable::WeakPtr waitable;
    std::function<void()> ready;
    bool announced = false;
    bool asked = false;  // a waitable, at least once
  };
  struct Watched;

  void add(Entry entry);
  void wake() noexcept;
  void work();
  /// False: nothing was told, because a waitable was dropped.
  bool wait_and_tell(WaitSet & holder, bool for_ever);
  void drop(const void * owner, const std::exception & error);
  std::vector<Watched> watched();
  void tell(const std::vector<Watched> & watched, const rcl_wait_set_t & wait_set);

  const std::shared_ptr<rclcpp::Context> context_;
  rcl_wait_set_t & place_;
  const takt_rt::ThreadAttributes attributes_;
  std::shared_ptr<rclcpp::GuardCondition> changed_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  const bool one_at_a_time_;
  std::atomic<bool> asks_{false};  // it has had a waitable
  takt_rt::PiMutex asking_;        // before `mutex_`
  bool ending_ = false;
  bool working_ = false;
  std::uint64_t asked_turns_ = 0;
  std::uint64_t turns_ = 0;  // of those, the ones that are over
  std::condition_variable turned_;
  std::thread thread_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__CLOCK_WAITER_HPP_
