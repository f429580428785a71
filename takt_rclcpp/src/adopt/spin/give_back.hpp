// Gives an executor that listens for itself between spins its listeners back.
#ifndef ADOPT__SPIN__GIVE_BACK_HPP_
#define ADOPT__SPIN__GIVE_BACK_HPP_

#include "rclcpp/executor.hpp"

namespace takt_rclcpp
{

/// For rclcpp's EventsExecutor: it listens to all its entities, and to its nodes, again. Set-up only.
void give_back_listeners(rclcpp::Executor & host);

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__GIVE_BACK_HPP_
