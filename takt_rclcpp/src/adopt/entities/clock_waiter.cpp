#include "adopt/entities/clock_waiter.hpp"

#include <algorithm>
#include <utility>

#include <rcl/error_handling.h>
#include <rcl/timer.h>

#include "adopt/process_settings.hpp"
#include "listen/wait_set.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"

namespace takt_rclcpp
{
namespace
{

void check(rcl_ret_t result)
{
  if (result != RCL_RET_OK) {
    rclcpp::exceptions::throw_from_rcl_error(result, "takt cannot fill a wait set");
  }
}

// Puts `set` in the place of the executor's own wait set for this call. A guard condition of rclcpp
// stores the address of the first wait set that it is added to, and throws if it is added to
// another one. The executor itself does not wait.
void add_to(rcl_wait_set_t & set, rcl_wait_set_t & place, rclcpp::Waitable & waitable)
{
  std::swap(set, place);
  try {
    waitable.add_to_wait_set(place);
  } catch (...) {
    std::swap(set, place);
    throw;
  }
  std::swap(set, place);
}

bool is_ready(const rcl_timer_t & timer)
{
  bool ready = false;
  if (rcl_timer_is_ready(&timer, &ready) != RCL_RET_OK) {
    rcl_reset_error();  // the timer is cancelled
    return false;
  }
  return ready;
}

/// True if an entry of `set` other than its first guard condition is ready.
bool more_is_ready(const rcl_wait_set_t & set)
{
  const auto any = [](const auto * const * entries, std::size_t begin, std::size_t end) {
    return std::any_of(
      entries + begin, entries + end, [](const auto * entry) { return entry != nullptr; });
  };
  return any(set.subscriptions, 0, set.size_of_subscriptions) ||
         any(set.guard_conditions, 1, set.size_of_guard_conditions) ||
         any(set.timers, 0, set.size_of_timers) || any(set.clients, 0, set.size_of_clients) ||
         any(set.services, 0, set.size_of_services) || any(set.events, 0, set.size_of_events);
}

}  // namespace

// Holds only rcl's part of a timer: the program may destroy its timer and the callback's captures
// while the waiter's thread waits.
struct ClockWaiter::Watched
{
  const void * owner;
  std::shared_ptr<const rcl_timer_t> timer;
  rclcpp::Waitable::SharedPtr waitable;
  bool asked;
};

ClockWaiter::ClockWaiter(
  std::shared_ptr<rclcpp::Context> context, rcl_wait_set_t & place,
  const takt_rt::ThreadAttributes & attributes, bool one_at_a_time)
: context_(std::move(context)),
  place_(place),
  attributes_(attributes),
  one_at_a_time_(one_at_a_time)
{
}

ClockWaiter::~ClockWaiter()
{
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ClockWaiter::add(
  const rclcpp::TimerBase::SharedPtr & timer, const void * owner, std::function<void()> ready)
{
  add(Entry{owner, timer, {}, std::move(ready)});
}

void ClockWaiter::add(
  const rclcpp::Waitable::SharedPtr & waitable, const void * owner, std::function<void()> ready)
{
  asks_.store(true);
  add(Entry{owner, {}, waitable, std::move(ready)});
}

std::unique_lock<takt_rt::PiMutex> ClockWaiter::exclude()
{
  return one_at_a_time_ && asks_.load(std::memory_order_relaxed)
           ? std::unique_lock(asking_)
           : std::unique_lock<takt_rt::PiMutex>();
}

void ClockWaiter::add(Entry entry)
{
  {
    const std::lock_guard lock(mutex_);
    const bool first = changed_ == nullptr;
    if (first) {
      changed_ = std::make_shared<rclcpp::GuardCondition>(context_);
    }
    entries_.push_back(std::move(entry));
    if (first) {
      working_ = true;
      thread_ = std::thread([this] { work(); });
    }
  }
  wake();
}

void ClockWaiter::remove(const void * owner) noexcept
{
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry & entry) { return entry.owner == owner; });
  }
  wake();
}

void ClockWaiter::again(const void * owner) noexcept
{
  {
    const std::lock_guard lock(mutex_);
    for (Entry & entry : entries_) {
      if (entry.owner == owner) {
        entry.announced = false;
      }
    }
  }
  wake();
}

void ClockWaiter::settle()
{
  std::unique_lock lock(mutex_);
  if (!working_ || entries_.empty()) {
    return;
  }
  const std::uint64_t turn = ++asked_turns_;
  lock.unlock();
  wake();
  lock.lock();
  turned_.wait(lock, [&] { return turns_ >= turn || !working_; });
}

void ClockWaiter::wake() noexcept
{
  try {
    std::unique_lock lock(mutex_);
    const auto changed = changed_;
    lock.unlock();
    if (changed != nullptr) {
      changed->trigger();
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(rclcpp::get_logger("takt"), "cannot wake the thread that waits: %s", error.what());
  }
}

std::vector<ClockWaiter::Watched> ClockWaiter::watched()
{
  std::vector<Watched> watched;
  const std::lock_guard lock(mutex_);
  for (const Entry & entry : entries_) {
    if (entry.announced) {
      continue;
    }
    Watched one{entry.owner, nullptr, entry.waitable.lock(), entry.asked};
    if (const auto timer = entry.timer.lock(); timer != nullptr) {
      one.timer = timer->get_timer_handle();
    }
    if (one.timer != nullptr || one.waitable != nullptr) {
      watched.push_back(std::move(one));
    }
  }
  return watched;
}

// Holds `mutex_` while it calls `ready`, so that `remove` waits for a call in progress. If any
// entry of the wait set is ready, asks all waitables, as rclcpp does. Asks each new waitable once
// without that, because some waitables are ready whenever an executor asks them.
void ClockWaiter::tell(const std::vector<Watched> & watched, const rcl_wait_set_t & wait_set)
{
  const bool more = more_is_ready(wait_set);
  for (const Watched & one : watched) {
    bool ready = false;
    if (one.timer != nullptr) {
      ready = is_ready(*one.timer);
    } else if (more || !one.asked) {
      try {
        const auto alone = exclude();
        ready = one.waitable->is_ready(wait_set);
      } catch (const std::exception & error) {
        drop(one.owner, error);
        continue;
      }
    }
    const std::lock_guard lock(mutex_);
    const auto entry = std::find_if(
      entries_.begin(), entries_.end(), [&](const Entry & e) { return e.owner == one.owner; });
    if (entry == entries_.end()) {
      continue;
    }
    entry->asked = true;
    if (ready && !entry->announced) {
      entry->announced = true;
      entry->ready();
    }
  }
}

// Drops a waitable that throws, so that the others go on.
void ClockWaiter::drop(const void * owner, const std::exception & error)
{
  RCLCPP_ERROR(rclcpp::get_logger("takt"), "a waitable stops: %s", error.what());
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry & entry) { return entry.owner == owner; });
}

bool ClockWaiter::wait_and_tell(WaitSet & holder, bool for_ever)
{
  const std::vector<Watched> now = watched();
  std::size_t counts[6] = {0, 1, 0, 0, 0, 0};
  auto alone = exclude();
  for (const Watched & one : now) {
    if (one.timer != nullptr) {
      ++counts[2];
      continue;
    }
    try {
      counts[0] += one.waitable->get_number_of_ready_subscriptions();
      counts[1] += one.waitable->get_number_of_ready_guard_conditions();
      counts[2] += one.waitable->get_number_of_ready_timers();
      counts[3] += one.waitable->get_number_of_ready_clients();
      counts[4] += one.waitable->get_number_of_ready_services();
      counts[5] += one.waitable->get_number_of_ready_events();
    } catch (const std::exception & error) {
      drop(one.owner, error);
      return false;
    }
  }
  if (alone.owns_lock()) {
    alone.unlock();  // making a wait set may take long
  }
  rcl_wait_set_t & set =
    holder.make(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
  check(rcl_wait_set_add_guard_condition(&set, &changed_->get_rcl_guard_condition(), nullptr));
  alone = exclude();
  for (const Watched & one : now) {
    if (one.timer != nullptr) {
      check(rcl_wait_set_add_timer(&set, one.timer.get(), nullptr));
      continue;
    }
    try {
      add_to(set, place_, *one.waitable);
    } catch (const std::exception & error) {
      drop(one.owner, error);
      return false;
    }
  }
  if (alone.owns_lock()) {
    alone.unlock();
  }
  const rcl_ret_t result = rcl_wait(&set, for_ever ? -1 : 0);
  if (result != RCL_RET_OK && result != RCL_RET_TIMEOUT) {
    rclcpp::exceptions::throw_from_rcl_error(result, "takt cannot wait");
  }
  tell(now, set);
  return true;
}

void ClockWaiter::work()
{
  for (const auto & fault : takt_rt::apply(attributes_).faults) {
    say("the thread that waits for timers on ROS time: " + takt_rt::to_string(fault));
  }
  try {
    WaitSet holder(*context_);
    std::unique_lock lock(mutex_);
    while (!ending_ && context_->is_valid()) {
      const std::uint64_t turn = asked_turns_;
      const bool asked = turn != turns_;
      lock.unlock();
      const bool told = wait_and_tell(holder, !asked);
      lock.lock();
      if (!told) {
        continue;
      }
      turns_ = turn;
      turned_.notify_all();
    }
  } catch (const std::exception & error) {
    if (context_->is_valid()) {
      RCLCPP_ERROR(
        rclcpp::get_logger("takt"),
        "timers on ROS time and waitables that wait in a wait set stop: %s", error.what());
    }
  }
  const std::lock_guard lock(mutex_);
  working_ = false;
  turned_.notify_all();
}

}  // namespace takt_rclcpp
