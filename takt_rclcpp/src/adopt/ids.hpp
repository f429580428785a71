// The ids of an adopted program's callbacks and groups, as schedules name them (docs/schedule.md).
//
// They are made from fully qualified names and from periods, so they are the same in each run of a program
// that makes its entities in the same order; equal ids are numbered in that order.
#ifndef ADOPT__IDS_HPP_
#define ADOPT__IDS_HPP_

#include <string>

#include "rclcpp/client.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/waitable.hpp"
#include "takt_core/time.hpp"

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
  std::string topic = {};           ///< of a subscription
  takt_core::Duration period = {};  ///< of a timer
};

EntityName name_of(const std::string & node, const rclcpp::SubscriptionBase & subscription);
EntityName name_of(const std::string & node, const rclcpp::ServiceBase & service);
EntityName name_of(const std::string & node, const rclcpp::ClientBase & client);
EntityName name_of(const std::string & node, rclcpp::TimerBase & timer);
EntityName name_of(const std::string & node, const rclcpp::Waitable & waitable);

}  // namespace takt_rclcpp

#endif  // ADOPT__IDS_HPP_
