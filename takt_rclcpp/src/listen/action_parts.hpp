// The entities of rcl in a waitable of rclcpp_action. Each entity makes one part of the waitable
// ready.
//
// rclcpp_action sets one function for all entities. takt sets a listener for each entity by rcl's
// function, so that rclcpp_action's function, which the program may set, stays in force.
#ifndef LISTEN__ACTION_PARTS_HPP_
#define LISTEN__ACTION_PARTS_HPP_

#include <rcl/event_callback.h>
#include <rcl/types.h>

#include <functional>
#include <string>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/waitable.hpp"

namespace takt_rclcpp
{

struct ActionPart
{
  int part = 0;                   ///< rclcpp_action's number of this part
  const void * handle = nullptr;  ///< rcl's handle; lives as long as the waitable
  std::string name{};             ///< of the service or topic
  /// Calls rcl's function that sets the listener of the handle.
  std::function<rcl_ret_t(rcl_event_callback_t, const void *)> set{};
};

/// `waitable`: a server or client of rclcpp_action. Empty: takt does not know its entities. Set-up
/// only; throws rclcpp's exceptions.
std::vector<ActionPart> parts_of_action(
  rclcpp::Waitable & waitable, rclcpp::Context & context, bool is_server);

}  // namespace takt_rclcpp

#endif  // LISTEN__ACTION_PARTS_HPP_
