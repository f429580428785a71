// A callback that code triggers: from another thread, a device driver, another callback.
#ifndef TAKT_RCL__GUARD_CONDITION_HPP_
#define TAKT_RCL__GUARD_CONDITION_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "takt_rcl/entity.hpp"

namespace takt_rcl
{

/// Options of Node::create_guard_condition.
struct GuardConditionOptions : EntityOptions
{
  /// Triggers that lead to one run each; further ones count as overwritten.
  std::uint32_t depth = 1;
};

/// `trigger` runs the callback once on an executor thread.
class GuardCondition : public Entity
{
public:
  using SharedPtr = std::shared_ptr<GuardCondition>;
  using Function = std::function<void()>;

  /// A guard condition without a node and without a callback of its own: only `trigger` and the
  /// listener.
  GuardCondition();
  /// For Node::create_guard_condition.
  GuardCondition(
    std::shared_ptr<NodeState> node, Function function, const GuardConditionOptions & options);
  /// Waits for a run of the callback on another thread.
  ~GuardCondition() override;

  /// Releases the callback once. Triggers before the node is in an executor are kept. Inside a
  /// callback the trigger carries that callback's activation. Any thread. Real-time safe as
  /// takt_core::adapter::Attachment::use, and as the listener, if set.
  void trigger() noexcept;

  /// Each trigger calls `listener(1)` on the triggering thread, after the release of the callback.
  /// The listener must not throw, nor trigger this guard condition. nullptr: no listener. May
  /// block.
  void set_on_trigger_callback(std::function<void(std::size_t)> listener);

private:
  class Run;

  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) override;
  void removed(takt_core::Callback & callback) noexcept override;

  const std::shared_ptr<Function> function_;
  const std::uint32_t capacity_;
  std::atomic<bool> listened_{false};
  takt_rt::PiMutex listener_mutex_;
  std::function<void(std::size_t)> listener_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__GUARD_CONDITION_HPP_
