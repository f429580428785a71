// A thread with a wait set for entities that do not announce when they are ready: timers on a clock
// that may jump (ROS time, system time), and waitables that users wrote.
//
// The thread starts with the first entity. It only announces that an entity is ready; an executor
// thread then runs the entity. Until the entity has run (`again`), it is not in the wait set.
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
  /// `place`: the wait set of the executor whose entities these are; this executor does not wait in
  /// it. `attributes`: of the thread; a refusal of the kernel is printed in one line.
  /// `one_at_a_time`: the program's callbacks never run side by side, so the thread asks no
  /// waitable while a callback runs.
  ClockWaiter(
    std::shared_ptr<rclcpp::Context> context, rcl_wait_set_t & place,
    const takt_rt::ThreadAttributes & attributes, bool one_at_a_time);
  /// Ends and joins the thread.
  ~ClockWaiter();
  ClockWaiter(const ClockWaiter &) = delete;
  ClockWaiter & operator=(const ClockWaiter &) = delete;

  /// Calls `ready` on the waiter's thread when the object becomes ready. Does not call it again
  /// before `again(owner)`. `owner` names the object in the other functions. Set-up only.
  void add(
    const rclcpp::TimerBase::SharedPtr & timer, const void * owner, std::function<void()> ready);
  void add(
    const rclcpp::Waitable::SharedPtr & waitable, const void * owner, std::function<void()> ready);
  /// Removes the object. After the return, no call of `ready` runs or begins. Set-up only; waits
  /// for a call in progress.
  void remove(const void * owner) noexcept;
  /// Call it when the object has run or has changed: the thread then waits for it again. Any
  /// thread.
  void again(const void * owner) noexcept;
  /// Call it for each run of a callback. While the caller holds the result, the thread asks no
  /// waitable. The result holds no lock if callbacks may run side by side, or if there is no
  /// waitable. Any thread; real-time safe, except for the time that a waitable takes to answer.
  std::unique_lock<takt_rt::PiMutex> exclude();
  /// Returns when all objects that were ready have been announced. Waits for one turn of the
  /// waiter's thread, so do not call it on this thread.
  void settle();

private:
  struct Entry
  {
    const void * owner;
    rclcpp::TimerBase::WeakPtr timer;
    rclcpp::Waitable::WeakPtr waitable;
    std::function<void()> ready;
    bool announced = false;
    bool asked = false;  // a waitable was asked once
  };
  struct Watched;

  void add(Entry entry);
  void wake() noexcept;
  void work();
  /// Waits once and announces the ready objects. If it had to drop a waitable before the wait,
  /// announces nothing and returns false.
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
  std::atomic<bool> asks_{false};  // a waitable has been added
  takt_rt::PiMutex asking_;        // locked before `mutex_`
  bool ending_ = false;
  bool working_ = false;
  std::uint64_t asked_turns_ = 0;
  std::uint64_t turns_ = 0;  // the number of ended turns
  std::condition_variable turned_;
  std::thread thread_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__CLOCK_WAITER_HPP_
