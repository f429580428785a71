// The entities of rcl in a waitable of rclcpp_action, each of which makes one of its parts ready.
//
// rclcpp_action sets one function for all of them. takt listens to each by rcl's function for it, so that the function
// that the program has set with rclcpp_action stays in force beside takt's.
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
  int part = 0;                   ///< as rclcpp_action numbers it
  const void * handle = nullptr;  ///< rcl's; lives as long as the waitable
  std::string name{};             ///< of the service or topic
  /// rcl's function for the handle.
  std::function<rcl_ret_t(rcl_event_callback_t, const void *)> set{};
};

/// `waitable`: a server or client of rclcpp_action. Empty: it has other entities than takt knows. Set-up only; throws what
/// rclcpp throws.
std::vector<ActionPart> parts_of_action(
  rclcpp::Waitable & waitable, rclcpp::Context & context, bool is_server);

}  // namespace takt_rclcpp

#endif  // LISTEN__ACTION_PARTS_HPP_
