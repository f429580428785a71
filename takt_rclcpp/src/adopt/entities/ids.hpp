// The ids of an adopted program's callbacks and groups, as schedules name them (docs/schedule.md).
//
// An id consists of fully qualified names and of periods, so it is the same in each run of a
// program that makes its entities in the same order. Equal ids are numbered in that order.
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

/// The name of an entity, before equal ids are numbered.
struct EntityName
{
  std::string id;
  /// The id that must match a rule of the schedule, if it is not `id`: for messages within the
  /// process the id of their subscription. Empty: `id`.
  std::string placed_as;
  /// True if rclcpp made the entity and not the program: a node's services for parameters and
  /// types, or an event of a publisher or subscription. Without a rule in the schedule the entity
  /// follows its group.
  bool follows_group = false;
  std::string topic = {};         ///< of a subscription
  takt_rt::Duration period = {};  ///< of a timer
  std::int64_t depth = 0;         ///< messages that the history holds; -1: unbounded
  bool within_process = false;    ///< its messages come without the middleware
};

/// The name of a node in ids. Some libraries end the name of a node of their own with an address or
/// a process id (tf2's listener does). This end differs in each run, and is omitted.
std::string node_in_ids(std::string_view fully_qualified_name);

EntityName name_of(const std::string & node, const rclcpp::SubscriptionBase & subscription);
EntityName name_of(const std::string & node, const rclcpp::ServiceBase & service);
EntityName name_of(const std::string & node, const rclcpp::ClientBase & client);
EntityName name_of(const std::string & node, rclcpp::TimerBase & timer);
EntityName name_of(const std::string & node, const rclcpp::Waitable & waitable);
/// The name of a timer that belongs to `waitable` (`get_timers`).
EntityName name_of_timer(const std::string & node, const rclcpp::Waitable & waitable);

/// The place of `object` in the order in which the nodes of this process got their entities. 0:
/// unknown, because the program runs without the preloaded shim.
unsigned long long made_as(const void * object);

class Entity;

/// The number of `object` among the living objects of this process with the id `base`: 1 for the
/// first, and so on. An object keeps its number; after its destruction a new object may get it. If
/// a callback replaces its own object (a timer that replaces itself), the new object gets the
/// number while the callback still runs. Any thread; may block.
unsigned number_among_equals(const std::string & base, const std::shared_ptr<void> & object);
/// Says that `entity` runs the callbacks of the numbered `object`. Any thread; may block.
void runs_numbered(
  const std::string & base, const std::weak_ptr<void> & object,
  const std::shared_ptr<Entity> & entity);
/// True if another object has the number of `object`, because the callback of `object` replaced it
/// and is still running. Any thread; may block.
bool gave_way(const std::weak_ptr<void> & object);

using takt_core::adapter::numbered;

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__IDS_HPP_
