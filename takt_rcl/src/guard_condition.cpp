#include "takt_rcl/guard_condition.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine.hpp"
#include "takt_core/adapter/announced_callback.hpp"
#include "takt_core/adapter/hold.hpp"

namespace takt_rcl
{

class GuardCondition::Run : public takt_core::adapter::AnnouncedCallback
{
public:
  Run(takt_core::CallbackOptions options, std::shared_ptr<Function> function)
  : AnnouncedCallback(std::move(options)),
    function_(std::move(function))
  {
  }
  bool take(const takt_core::Run &) override { return begin(function_); }
  void run(const takt_core::Run &) override
  {
    const takt_core::adapter::Hold<Function>::Releasing releasing(function_);
    (*function_)();
  }
  void close() noexcept { function_.release(); }

private:
  takt_core::adapter::Hold<Function> function_;
};

GuardCondition::GuardCondition(
  std::shared_ptr<NodeState> node, Function function, const GuardConditionOptions & options)
: Entity(std::move(node), takt_core::Kind::waitable, "waitable", "guard_condition", options),
  function_(std::make_shared<Function>(std::move(function))),
  capacity_(std::max(options.depth, 1U))
{
  set_depth(capacity_);
}

GuardCondition::GuardCondition()
: Entity(takt_core::Kind::waitable, "guard_condition"),
  capacity_(1)
{
  set_depth(capacity_);
}

GuardCondition::~GuardCondition()
{
  leave_node();
}

void GuardCondition::trigger() noexcept
{
  const bool announced =
    attachment_.use([](takt_core::Executor & executor, takt_core::Callback & callback) {
      static_cast<Run &>(callback).announce(executor, 1);
    });
  if (!announced) {
    keep(1);
    announce_kept();  // it may have entered an executor too early to see this trigger
  }
  if (listened_.load(std::memory_order_acquire)) {
    std::lock_guard lock(listener_mutex_);
    if (listener_ != nullptr) {
      listener_(1);
    }
  }
}

void GuardCondition::set_on_trigger_callback(std::function<void(std::size_t)> listener)
{
  std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
  listened_.store(listener_ != nullptr, std::memory_order_release);
}

std::shared_ptr<takt_core::Callback> GuardCondition::make(
  Engine &, takt_core::CallbackOptions options, const takt_core::adapter::CallbackSettings &)
{
  options.depth = capacity_;
  return std::make_shared<Run>(std::move(options), function_);
}

void GuardCondition::removed(takt_core::Callback & callback) noexcept
{
  static_cast<Run &>(callback).close();
}

}  // namespace takt_rcl
