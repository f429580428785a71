// A callback group: callbacks of an exclusive group never run at the same time.
#ifndef TAKT_RCL__CALLBACK_GROUP_HPP_
#define TAKT_RCL__CALLBACK_GROUP_HPP_

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "takt_core/adapter/id_registry.hpp"
#include "takt_core/condition.hpp"
#include "takt_core/group.hpp"

namespace takt_rcl
{

class Engine;
class NodeState;

/// As rclcpp's.
enum class CallbackGroupType
{
  MutuallyExclusive,
  Reentrant
};

/// A node makes its groups. Callbacks of several nodes cannot share a group.
class CallbackGroup
{
public:
  using SharedPtr = std::shared_ptr<CallbackGroup>;

  /// For Node::create_callback_group. `ids`: the node's registry, which keeps the id unique until
  /// the group ends.
  CallbackGroup(
    CallbackGroupType type, const std::string & id,
    std::shared_ptr<takt_core::adapter::IdRegistry> ids = nullptr,
    bool automatically_add_to_executor_with_node = true);
  ~CallbackGroup();
  CallbackGroup(const CallbackGroup &) = delete;
  CallbackGroup & operator=(const CallbackGroup &) = delete;

  /// Real-time safe.
  CallbackGroupType type() const noexcept { return type_; }
  /// Real-time safe.
  bool exclusive() const noexcept { return type_ == CallbackGroupType::MutuallyExclusive; }
  /// `/ns/node:group(name)`. Real-time safe.
  const std::string & id() const noexcept { return id_; }
  /// False: callbacks of this group enter an executor only by Executor::add_callback_group.
  bool automatically_add_to_executor_with_node() const noexcept { return automatic_; }
  /// Of trigger.hpp; absent: none. Set-up only.
  std::optional<takt_core::Condition> condition() const;

private:
  friend class Entity;
  friend class NodeState;
  friend class Trigger;

  // Throws `Error` if a callback of the group is in an executor.
  void set_condition(const takt_core::Condition & condition);

  // The core's group in that executor: made when the group's first callback enters it. Throws
  // `Error` while a callback runs that was removed from another executor.
  std::shared_ptr<takt_core::Group> in(const Engine & engine);

  const CallbackGroupType type_;
  const std::shared_ptr<takt_core::adapter::IdRegistry> ids_;  // also identifies the group's node
  const std::string id_;
  const bool automatic_;
  mutable std::mutex mutex_;
  std::optional<takt_core::Condition> condition_;
  const Engine * engine_ = nullptr;
  std::weak_ptr<takt_core::Group> group_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__CALLBACK_GROUP_HPP_
