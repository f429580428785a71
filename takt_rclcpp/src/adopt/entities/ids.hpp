// The ids of an adopted program's callbacks and groups, as schedules name them (docs/schedule.md).
//
// They are made from fully qualified names and from periods, so they are the same in each run of a program
// that makes its entities in the same order; equal ids are numbered in that order.
#ifndef ADOPT__ENTITIES__IDS_HPP_
#define ADOPT__ENTITIES__IDS_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rclcpp/client.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/waitable.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp
{

/// What an entity is called, before equal ids are numbered.
struct EntityName
{
  std::string id;
  /// The id by which the schedule is asked: that of the subscription for the messages that reach it within
  /// the process. Empty: `id`.
  std::string placed_as;
  /// The program did not write it for itself: a node's services for parameters and types, an event of a
  /// publisher or subscription. Where the schedule does not name it, it goes with its group.
  bool follows_group = false;
  std::string topic = {};         ///< of a subscription
  takt_rt::Duration period = {};  ///< of a timer
  std::int64_t depth = 0;         ///< of a history; -1: it keeps all
  bool within_process = false;    ///< its messages come without the middleware
};

/// The name of a node in ids. Some libraries put an address or the number of the process behind the name of a
/// node of their own (the listener of tf2 does): that part is another in each run, and is left out.
std::string node_in_ids(std::string_view fully_qualified_name);

EntityName name_of(const std::string & node, const rclcpp::SubscriptionBase & subscription);
EntityName name_of(const std::string & node, const rclcpp::ServiceBase & service);
EntityName name_of(const std::string & node, const rclcpp::ClientBase & client);
EntityName name_of(const std::string & node, rclcpp::TimerBase & timer);
EntityName name_of(const std::string & node, const rclcpp::Waitable & waitable);
/// Of a timer that `waitable` names (`get_timers`).
EntityName name_of_timer(const std::string & node, const rclcpp::Waitable & waitable);

/// The number of an entity in the order in which the nodes of this process got theirs. 0: nobody saw it, because the
/// program runs without the preloaded shim.
unsigned long long made_as(const void * object);

class Entity;

/// The number of `object` among the objects of this process that are alive and have the id `base`: 1 for the
/// first, and so on. An object keeps its number; a number is given again when its object is gone. What a callback makes
/// in the place of its own object (a timer that replaces itself) gets that object's number while the callback still
/// runs. Any thread; may block.
unsigned number_among_equals(const std::string & base, const std::shared_ptr<void> & object);
/// `entity` runs the callbacks of `object`, which has a number. Any thread; may block.
void runs_numbered(
  const std::string & base, const std::weak_ptr<void> & object,
  const std::shared_ptr<Entity> & entity);
/// Whether another object has got its number: it is gone when its callback has ended. Any thread; may block.
bool gave_way(const std::weak_ptr<void> & object);

using takt_core::adapter::numbered;

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__IDS_HPP_
