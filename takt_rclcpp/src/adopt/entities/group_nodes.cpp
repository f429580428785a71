#include "adopt/entities/group_nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "adopt/entities/ids.hpp"
#include "rclcpp/subscription_base.hpp"

namespace takt_rclcpp
{
namespace
{

using Names = std::map<
  rclcpp::CallbackGroup::WeakPtr, GroupName, std::owner_less<rclcpp::CallbackGroup::WeakPtr>>;
using Group = rclcpp::CallbackGroup::SharedPtr;

struct Known
{
  std::mutex mutex;
  Names names;
  std::vector<rclcpp::CallbackGroup::WeakPtr> clocks;
};

Known & known()
{
  // Never destroyed: programs spin until the process has ended.
  static auto * const the_known = new Known;
  return *the_known;
}

/// The content of a group that is not added with its node.
enum class Content
{
  nothing,
  clock,  ///< only rclcpp's subscription to simulated time
  other
};

Content content_of(const rclcpp::CallbackGroup & group)
{
  std::size_t count = 0;
  bool clock = false;
  const auto other = [&](const auto &) { ++count; };
  group.collect_all_ptrs(
    [&](const rclcpp::SubscriptionBase::SharedPtr & one) {
      ++count;
      const rclcpp::SubscriptionBase & subscription = *one;
      clock = std::string_view(typeid(subscription).name()).find("rosgraph_msgs3msg6Clock") !=
              std::string_view::npos;
    },
    other, other, other,
    [&](const auto & waitable) {
      // Do not count the waitables of the subscription's events.
      count += name_of({}, *waitable).follows_group ? 0 : 1;
    });
  return count == 0 ? Content::nothing : clock && count == 1 ? Content::clock : Content::other;
}

bool is_known_clock(const Group & group)
{
  const std::lock_guard lock(known().mutex);
  auto & clocks = known().clocks;
  std::erase_if(clocks, [](const auto & one) { return one.expired(); });
  return std::any_of(
    clocks.begin(), clocks.end(), [&](const auto & one) { return one.lock() == group; });
}

}  // namespace

std::vector<NamedGroup> name_groups(
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node)
{
  std::vector<NamedGroup> groups;
  node->for_each_callback_group([&](const Group & group) { groups.push_back({group, {}}); });
  const auto of_node = node->get_default_callback_group();
  // Include the node's address, because nodes of one name have the same names of groups.
  const std::string numbers = node_in_ids(node->get_fully_qualified_name()) + ":group@" +
                              std::to_string(reinterpret_cast<std::uintptr_t>(node.get()));
  for (NamedGroup & one : groups) {
    const bool may_be_clock = !one.group->automatically_add_to_executor_with_node() &&
                              one.group->type() == rclcpp::CallbackGroupType::MutuallyExclusive;
    const Content content = may_be_clock ? content_of(*one.group) : Content::other;
    if (one.group == of_node) {
      one.name = "default";
    } else if (content == Content::clock || (may_be_clock && is_known_clock(one.group))) {
      one.name = "clock";
      if (content == Content::clock && !is_known_clock(one.group)) {
        const std::lock_guard lock(known().mutex);
        known().clocks.push_back(one.group);
      }
    } else if (content == Content::nothing && &one == &groups.back()) {
      // Keep the name of an empty last group open, because the group may become the clock's. rclcpp
      // adds the clock's subscription before the node can make another group, so no earlier empty
      // group can be the clock's.
    } else {
      one.name = std::to_string(number_among_equals(numbers, one.group));
    }
  }
  return groups;
}

void remember_node(
  const rclcpp::CallbackGroup::SharedPtr & group,
  const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node)
{
  if (group == nullptr || node == nullptr) {
    return;
  }
  GroupName name{node_in_ids(node->get_fully_qualified_name()), "unknown", node};
  {
    const std::lock_guard lock(known().mutex);
    Names & names = known().names;
    std::erase_if(names, [](const auto & entry) { return entry.first.expired(); });
    names.insert_or_assign(group, std::move(name));
  }
  static_cast<void>(remembered(group));
}

std::optional<GroupName> remembered(const rclcpp::CallbackGroup::SharedPtr & group)
{
  GroupName name;
  {
    const std::lock_guard lock(known().mutex);
    const auto found = known().names.find(group);
    if (found == known().names.end()) {
      return std::nullopt;
    }
    name = found->second;
  }
  const auto node = name.of.lock();
  if (node == nullptr) {
    return name;
  }
  for (NamedGroup & one : name_groups(node)) {
    if (one.group == group) {
      name.group = std::move(one.name);
    }
  }
  const std::lock_guard lock(known().mutex);
  known().names.insert_or_assign(group, name);
  return name;
}

}  // namespace takt_rclcpp
