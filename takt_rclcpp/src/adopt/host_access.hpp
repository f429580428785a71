// The protected members of rclcpp's classes that an adoption needs.
//
// A class that derives from rclcpp's can name these members. The pointers to members have rclcpp's
// own class as their type, so they apply to any executor, and no object is cast.
#ifndef ADOPT__HOST_ACCESS_HPP_
#define ADOPT__HOST_ACCESS_HPP_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/executor.hpp"
#include "rclcpp/executors/executor_notify_waitable.hpp"
#include "rclcpp_api/rclcpp_api.hpp"

namespace takt_rclcpp
{

/// The protected members of an executor of rclcpp, the host of an adoption.
struct HostAccess : rclcpp::Executor
{
  static std::atomic_bool & spinning_of(rclcpp::Executor & host)
  {
    return host.*(&HostAccess::spinning);
  }
  static std::atomic_bool & rebuild_of(rclcpp::Executor & host)
  {
    return host.*(&HostAccess::entities_need_rebuild_);
  }
  static const std::shared_ptr<rclcpp::Context> & context_of(rclcpp::Executor & host)
  {
    return host.*(&HostAccess::context_);
  }
  static rclcpp::executors::ExecutorNotifyWaitable & notify_waitable_of(rclcpp::Executor & host)
  {
    auto * const own = api::own_notify_waitable_of(host);
    return own != nullptr ? *own : *(host.*(&HostAccess::notify_waitable_));
  }
  /// An object that belongs to this executor only, and lives as long as the executor.
  static std::weak_ptr<void> identity_of(rclcpp::Executor & host)
  {
    return host.*(&HostAccess::notify_waitable_);
  }
  static rclcpp::executors::ExecutorEntitiesCollector & collector_of(rclcpp::Executor & host)
  {
    auto * const own = api::own_collector_of(host);
    return own != nullptr ? *own : host.*(&HostAccess::collector_);
  }
  static rcl_wait_set_t & wait_set_of(rclcpp::Executor & host)
  {
    return const_cast<rcl_wait_set_t &>((host.*(&HostAccess::wait_set_)).get_rcl_wait_set());
  }
};

/// The protected members of an executor's collector.
struct CollectorAccess : rclcpp::executors::ExecutorEntitiesCollector
{
  /// The nodes that were added whole, in arbitrary order.
  static std::vector<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr> nodes_of(
    rclcpp::executors::ExecutorEntitiesCollector & collector)
  {
    const std::lock_guard<std::mutex> lock(collector.*(&CollectorAccess::mutex_));
    std::vector<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr> nodes;
    for (const auto & weak : collector.*(&CollectorAccess::weak_nodes_)) {
      if (auto node = weak.lock(); node != nullptr) {
        nodes.push_back(std::move(node));
      }
    }
    return nodes;
  }
};

/// True if the loaded librclcpp has the members of an executor at the same places as the headers of
/// this build. Builds an executor with the library's constructor, and looks for the values that the
/// constructor got. Set-up only.
bool layouts_agree(const std::shared_ptr<rclcpp::Context> & context);

}  // namespace takt_rclcpp

#endif  // ADOPT__HOST_ACCESS_HPP_
