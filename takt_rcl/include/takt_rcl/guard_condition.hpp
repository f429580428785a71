// A callback that code triggers: from another thread, a device driver, another callback.
#ifndef TAKT_RCL__GUARD_CONDITION_HPP_
#define TAKT_RCL__GUARD_CONDITION_HPP_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "takt_rcl/entity.hpp"

namespace takt_rcl
{

struct GuardConditionOptions : EntityOptions
{
  /// Triggers that are kept apart, one run each; what exceeds it counts as overwritten.
  std::uint32_t depth = 1;
};

class GuardCondition : public Entity
{
public:
  using SharedPtr = std::shared_ptr<GuardCondition>;
  using Function = std::function<void()>;

  /// For Node::create_guard_condition.
  GuardCondition(
    std::shared_ptr<NodeState> node, Function function, const GuardConditionOptions & options);
  ~GuardCondition() override;

  /// Releases the callback once. Triggers before the node is in an executor are kept. From inside a
  /// callback it carries that callback's activation. Any thread. Real-time safe, lock-free.
  void trigger() noexcept;

private:
  class Run;

  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options, const Placement & placement) override;
  void connect(takt_core::Callback & callback) override;
  void disconnect(takt_core::Callback & callback) noexcept override;

  const std::shared_ptr<Function> function_;
  const std::uint32_t depth_;
  std::atomic<std::uint32_t> waiting_{0};  // triggers without an executor
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__GUARD_CONDITION_HPP_
