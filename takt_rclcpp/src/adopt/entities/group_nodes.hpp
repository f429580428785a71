// Names the callback groups of a node. For groups that were added to an executor without their
// node, remembers the node, because rclcpp's executors do not store it.
#ifndef ADOPT__ENTITIES__GROUP_NODES_HPP_
#define ADOPT__ENTITIES__GROUP_NODES_HPP_

#include <optional>
#include <string>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace takt_rclcpp
{

struct NamedGroup
{
  rclcpp::CallbackGroup::SharedPtr group;
  /// "default", "1", "2", ... in the order in which the node made them. "clock": the group of
  /// rclcpp's own subscription to simulated time. Empty: the group has no callback yet, and may
  /// become the clock's.
  std::string name;
};

/// The existing groups of `node`. A group keeps its name; after its destruction a new group may get
/// its number. Any thread; may block and allocate.
std::vector<NamedGroup> name_groups(
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node);

/// Remembers the node of a group, in one table for the process. Any thread; may block and allocate.
void remember_node(
  const rclcpp::CallbackGroup::SharedPtr & group,
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node);

/// The names of a group and of its node.
struct GroupName
{
  std::string node;   ///< in the form of ids
  std::string group;  ///< see NamedGroup; "unknown" if the node was destroyed first
  rclcpp::node_interfaces::NodeBaseInterface::WeakPtr of;
};
std::optional<GroupName> remembered(const rclcpp::CallbackGroup::SharedPtr & group);

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__GROUP_NODES_HPP_
