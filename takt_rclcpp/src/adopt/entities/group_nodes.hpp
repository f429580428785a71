// What the callback groups of a node are called, and the nodes of groups that were added to an executor by themselves:
// rclcpp's executors do not keep them.
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
  /// "default", "1", "2", ... in the order in which the node made them. "clock": that of rclcpp's own subscription to
  /// simulated time. Empty: it has no callback yet, and may become that.
  std::string name;
};

/// The groups of `node` that are there. A group keeps its name; a number is given again when its group is gone. Any
/// thread; may block and allocate.
std::vector<NamedGroup> name_groups(
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node);

/// One table for the process. Any thread; may block and allocate.
void remember_node(
  const rclcpp::CallbackGroup::SharedPtr & group,
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node);

/// A group by itself as its node calls it.
struct GroupName
{
  std::string node;  ///< as ids name it
  std::string
    group;  ///< as NamedGroup has it; "unknown" where the node was gone before it was asked for
  rclcpp::node_interfaces::NodeBaseInterface::WeakPtr of;
};
std::optional<GroupName> remembered(const rclcpp::CallbackGroup::SharedPtr & group);

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__GROUP_NODES_HPP_
