// The nodes of groups that were added to an executor by themselves: rclcpp's executors do not keep them.
#ifndef ADOPT__GROUP_NODES_HPP_
#define ADOPT__GROUP_NODES_HPP_

#include <optional>
#include <string>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace takt_rclcpp
{

/// One table for the process. Any thread; may block and allocate.
void remember_node(
  const rclcpp::CallbackGroup::SharedPtr & group,
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node);

/// A group by itself as its node calls it.
struct GroupName
{
  std::string node;   ///< as ids name it
  std::string group;  ///< "default", "1", "2", ...
  rclcpp::node_interfaces::NodeBaseInterface::WeakPtr of;
};
std::optional<GroupName> remembered(const rclcpp::CallbackGroup::SharedPtr & group);

}  // namespace takt_rclcpp

#endif  // ADOPT__GROUP_NODES_HPP_
