// Which messages make callbacks ready, as the program says it: the keys `trigger: false`, `with`
// and `when` of a schedule (docs/schedule.md) in C++.
//
//     takt_rcl::trigger_on(camera_).with(lidar_, radar_).when(takt_rcl::all());
//
// Messages of the subscriptions that `with` names wait in the middleware and wake no thread. A
// callback of `trigger_on` that starts first runs their callbacks for the messages that wait, on
// its own thread, oldest first. With `when` the messages of the group's subscriptions wait until
// the condition holds; it is looked at when a message for a triggering subscription arrives.
//
// Set-up only; before the node is in an executor. A schedule's own rule for a subscription or a
// group has precedence. All functions throw `Error` where the callbacks are in an executor already.
#ifndef TAKT_RCL__TRIGGER_HPP_
#define TAKT_RCL__TRIGGER_HPP_

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "takt_core/condition.hpp"
#include "takt_rcl/subscription.hpp"
#include "takt_rt/time.hpp"

namespace takt_rcl
{

/// Each subscription of the group has a message that waits.
takt_core::Condition all();
/// Any message came; as without a condition.
takt_core::Condition any();
/// So many subscriptions of the group have a message that waits. Throws `Error` for 0.
takt_core::Condition count(std::uint32_t subscriptions);
/// As `any`, and the newest message of each subscription of the group, waiting or not, is younger.
/// Throws `Error` for an age of 0 or less.
takt_core::Condition fresh(takt_rt::Duration age);
/// The callbacks of the group's subscriptions run in sets of one message of each, whose header
/// stamps lie within this. Needs messages whose first field is a std_msgs/msg/Header, a mutually
/// exclusive group, no `with` for its subscriptions, and the same threads for all of them; else the
/// node does not enter the executor.
/// Throws `Error` for a negative time.
takt_core::Condition spread(takt_rt::Duration time);

/// The messages of a group's subscriptions when its condition is looked at. Real-time safe.
class TriggerInputs
{
public:
  TriggerInputs(std::span<const takt_core::ConditionInput> inputs, takt_rt::Time now) noexcept
  : inputs_(inputs),
    now_(now)
  {
  }

  /// Messages of the subscription that wait; 0 if it is not of the group. Compares ids.
  std::uint32_t waiting(const SubscriptionBase & subscription) const noexcept;
  /// Since the arrival of its newest message, waiting or not; takt_rt::kForever if none came.
  takt_rt::Duration age(const SubscriptionBase & subscription) const noexcept;
  /// In the order in which the subscriptions entered the executor.
  std::span<const takt_core::ConditionInput> all() const noexcept { return inputs_; }
  takt_rt::Time now() const noexcept { return now_; }

private:
  const takt_core::ConditionInput * find(const SubscriptionBase & subscription) const noexcept;

  std::span<const takt_core::ConditionInput> inputs_;
  takt_rt::Time now_;
};

/// Of `trigger_on`. One thread.
class Trigger
{
public:
  /// Throws `Error` without a callback, or for a null pointer.
  explicit Trigger(std::vector<std::shared_ptr<Entity>> on);

  /// The subscriptions' messages wait for the triggering callbacks. Their histories must have a
  /// limited depth. Each subscription has one rule: a later `with` of another trigger replaces it.
  template <std::derived_from<SubscriptionBase>... Subscription>
  Trigger & with(const std::shared_ptr<Subscription> &... subscriptions)
  {
    add({subscriptions...});
    return *this;
  }
  /// Of the subscriptions that `with` named: of the messages that wait only the newest `messages`
  /// reach the callback; 0: all. Older ones are taken and left out.
  Trigger & keep(std::uint32_t messages);
  /// As above: messages that came earlier than this before the triggering callback starts are left
  /// out. Throws `Error` for an age of 0 or less.
  Trigger & max_age(takt_rt::Duration age);

  /// The condition of the group of all these callbacks, which must have the same group; triggers
  /// must be subscriptions. A later condition of the group replaces it.
  Trigger & when(const takt_core::Condition & condition);
  /// As above by a function of the program. It is called with a lock of the scheduler held, perhaps
  /// on a thread of the middleware: it must be real-time safe and call no function of the executor.
  template <std::predicate<const TriggerInputs &> Predicate>
  Trigger & when(Predicate predicate)
  {
    takt_core::Condition condition = any();
    condition.predicate = [holds = std::move(predicate)](
                            std::span<const takt_core::ConditionInput> inputs, takt_rt::Time now) {
      return static_cast<bool>(holds(TriggerInputs(inputs, now)));
    };
    return when(condition);
  }

private:
  void add(std::vector<std::shared_ptr<SubscriptionBase>> inputs);
  void apply();
  void check_group(const Entity & one) const;

  const std::vector<std::shared_ptr<Entity>> on_;
  std::vector<std::shared_ptr<SubscriptionBase>> inputs_;
  std::vector<std::string> ids_;  // of the triggering callbacks
  std::uint32_t keep_ = 0;
  takt_rt::Duration max_age_ = takt_rt::kForever;
  bool conditional_ = false;
};

/// Begins the sentence; `on`: subscriptions, timers, services or clients that take the messages of
/// others. Nothing changes before `with` or `when`.
template <std::derived_from<Entity>... Callback>
Trigger trigger_on(const std::shared_ptr<Callback> &... on)
{
  return Trigger({on...});
}

}  // namespace takt_rcl

#endif  // TAKT_RCL__TRIGGER_HPP_
