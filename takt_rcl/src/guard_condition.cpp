#include "takt_rcl/guard_condition.hpp"

#include <algorithm>
#include <utility>

#include "engine.hpp"
#include "hold.hpp"

namespace takt_rcl
{

class GuardCondition::Run : public takt_core::Callback
{
public:
  Run(takt_core::CallbackOptions options, std::shared_ptr<Function> function)
  : Callback(std::move(options)),
    function_(std::move(function))
  {
  }
  bool take(const takt_core::Run &) override { return function_.acquire(); }
  void run(const takt_core::Run &) override
  {
    const Hold<Function>::Releasing releasing(function_);
    (*function_)();
  }
  void close() noexcept { function_.release(); }

private:
  Hold<Function> function_;
};

GuardCondition::GuardCondition(
  std::shared_ptr<NodeState> node, Function function, const GuardConditionOptions & options)
: Entity(std::move(node), takt_core::Kind::waitable, "waitable", "guard_condition", options),
  function_(std::make_shared<Function>(std::move(function))),
  depth_(std::max(options.depth, 1U))
{
}

GuardCondition::~GuardCondition()
{
  leave_node();
}

void GuardCondition::trigger() noexcept
{
  const auto release = [](takt_core::Executor & executor, takt_core::Callback & callback) {
    executor.ready(callback);
  };
  if (!attachment_.use(release)) {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    // It may have come into an executor meanwhile, too early to see this.
    attachment_.use([&](takt_core::Executor & executor, takt_core::Callback & callback) {
      executor.ready(callback, waiting_.exchange(0, std::memory_order_seq_cst));
    });
  }
}

std::shared_ptr<takt_core::Callback> GuardCondition::make(
  Engine &, takt_core::CallbackOptions options, const Placement &)
{
  options.depth = depth_;
  return std::make_shared<Run>(std::move(options), function_);
}

void GuardCondition::connect(takt_core::Callback &)
{
  attachment_.use([&](takt_core::Executor & executor, takt_core::Callback & callback) {
    executor.ready(callback, waiting_.exchange(0, std::memory_order_seq_cst));
  });
}

void GuardCondition::disconnect(takt_core::Callback & callback) noexcept
{
  // What has not run yet waits for the next executor.
  waiting_.fetch_add(callback.backlog(), std::memory_order_seq_cst);
  static_cast<Run &>(callback).close();
}

}  // namespace takt_rcl
