#include "adopt/group_nodes.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "adopt/ids.hpp"

namespace takt_rclcpp
{
namespace
{

using Names = std::map<
  rclcpp::CallbackGroup::WeakPtr, GroupName, std::owner_less<rclcpp::CallbackGroup::WeakPtr>>;

std::mutex g_mutex;
Names g_names;

}  // namespace

void remember_node(
  const rclcpp::CallbackGroup::SharedPtr & group,
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node)
{
  if (group == nullptr || node == nullptr) {
    return;
  }
  GroupName name{node_in_ids(node->get_fully_qualified_name()), "unknown", node};
  const auto of_node = node->get_default_callback_group();
  unsigned number = 0;
  node->for_each_callback_group([&](const rclcpp::CallbackGroup::SharedPtr & one) {
    const std::string what = one == of_node ? "default" : std::to_string(++number);
    if (one == group) {
      name.group = what;
    }
  });
  const std::lock_guard lock(g_mutex);
  std::erase_if(g_names, [](const auto & entry) { return entry.first.expired(); });
  g_names.insert_or_assign(group, std::move(name));
}

std::optional<GroupName> remembered(const rclcpp::CallbackGroup::SharedPtr & group)
{
  const std::lock_guard lock(g_mutex);
  const auto found = g_names.find(group);
  return found == g_names.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace takt_rclcpp
