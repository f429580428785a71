#include "takt_rcl/entity.hpp"

#include <algorithm>
#include <utility>

#include "engine.hpp"
#include "node_state.hpp"
#include "takt_core/adapter/announced_callback.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{
namespace
{

EntityOptions with_group(EntityOptions options, const NodeState & node)
{
  if (options.callback_group == nullptr) {
    options.callback_group = node.default_group();
  }
  node.must_own(*options.callback_group);
  return options;
}

const takt_core::Callback * running_callback() noexcept
{
  const takt_core::Run * const run = takt_core::current_run();
  return run == nullptr ? nullptr : run->callback;
}

}  // namespace

Entity::Entity(
  std::shared_ptr<NodeState> node, takt_core::Kind kind, const std::string & stem,
  const std::string & name, EntityOptions options)
: node_(std::move(node)),
  kind_(kind),
  options_(with_group(std::move(options), *node_)),
  base_(node_->base_id(stem, options_.name.empty() ? name : options_.name)),
  id_(node_->claim_id(base_)),
  maker_(running_callback())
{
}

Entity::Entity(takt_core::Kind kind, const std::string & id)
: kind_(kind),
  base_(id),
  id_(id),
  maker_(nullptr)
{
  options_.callback_group = std::make_shared<CallbackGroup>(
    CallbackGroupType::MutuallyExclusive, takt_core::adapter::own_group_id(id));
}

Entity::~Entity()
{
  leave_node();
  if (node_ != nullptr) {
    node_->forget_ended();
  }
}

void Entity::leave_node() noexcept
{
  const auto own = callback();
  const bool in_its_run = own != nullptr && own.get() == running_callback();
  detach();
  if (id_claimed_.exchange(false) && node_ != nullptr) {
    if (!in_its_run || !node_->give_id(*this, *takt_core::current_run())) {
      node_->release_id(id_);
    }
  }
}

// In an exclusive group `other` cannot have begun yet.
bool Entity::is_replaced_by(const Entity & other, const takt_core::Run & run) const noexcept
{
  return &other != this && kind_ == takt_core::Kind::timer && other.kind_ == kind_ &&
         other.maker_ == run.callback && other.made_ >= run.start && other.base_ == base_ &&
         &other.group() == &group() && group().exclusive();
}

void Entity::rename(const std::string & id)
{
  std::shared_ptr<Engine> engine;
  {
    std::lock_guard lock(mutex_);
    engine = engine_;
  }
  detach();
  id_ = id;
  if (engine != nullptr) {
    attach(engine);
  }
}

void Entity::do_not_trigger(const takt_core::NonTriggering & rule)
{
  std::lock_guard lock(mutex_);
  if (callback_ != nullptr) {
    throw Error(id_ + " is in an executor already: say what triggers it before");
  }
  options_.binding.non_triggering = rule;
  options_.binding.non_triggering->of_program = true;
}

void Entity::add_own_rules(takt_core::adapter::CallbackSettings & settings) const
{
  takt_core::Binding & binding = settings.binding;
  if (!binding.non_triggering && options_.binding.non_triggering) {
    binding.non_triggering = options_.binding.non_triggering;
  }
  if (binding.non_triggering) {  // it runs on its taker's thread
    binding.threads = 0;
    binding.priority.reset();
    binding.boost.reset();
  }
  if (!settings.condition) {
    settings.condition = group().condition();
    if (settings.condition && settings.logical_time) {
      throw Error(
        "cannot place " + id_ + ": the schedule gives its group " + group().id() +
        " logical execution time (let), so the group reads its messages when its timer is released "
        "and waits for no condition; omit let in the schedule, or when in the program");
    }
  }
}

void Entity::attach(const std::shared_ptr<Engine> & engine)
{
  std::lock_guard lock(mutex_);
  if (callback_ != nullptr) {
    throw Error(id_ + " is in an executor already");
  }
  takt_core::adapter::CallbackSettings settings;
  settings.binding = options_.binding;
  takt_core::CallbackOptions core_options;
  core_options.id = id_;
  core_options.kind = kind_;
  core_options.group = group().in(*engine);
  if (auto * const placer = engine->placer(); placer != nullptr) {
    auto placed = placer->place(id_, kind_, group().id());
    detail::throw_schedule_faults("cannot place " + id_, placed.faults());
    settings = *placed;
  }
  add_own_rules(settings);
  const auto settled = takt_core::adapter::settle(engine->core(), *core_options.group, settings);
  detail::throw_schedule_faults("cannot place " + id_, settled.faults());
  auto callback = make(*engine, std::move(core_options), settings);
  const takt_rt::Status added = engine->core().add(callback, settings.binding);
  if (engine->placer() != nullptr) {
    detail::throw_schedule_faults("cannot add " + id_, added.faults());
  }
  detail::throw_faults("cannot add " + id_, added.faults());
  engine_ = engine;
  callback_ = callback;
  overwritten_before_.store(overwritten_.load());
  attachment_.set(engine->core(), *callback);
  // This thread announces messages that wait already: they do not belong to a callback that happens
  // to run here.
  static const takt_core::ActivationSet nobody;
  const takt_core::ActivationScope scope(nobody);
  connect(engine->core(), *callback);
  announce_kept();
}

void Entity::detach() noexcept
{
  std::shared_ptr<Engine> engine;
  std::shared_ptr<takt_core::Callback> callback;
  {
    std::lock_guard lock(mutex_);
    engine = std::move(engine_);
    callback = std::move(callback_);
    if (callback == nullptr) {
      return;
    }
    overwritten_.store(overwritten_before_ + callback->overwritten());
    attachment_.clear();
    disconnect(*callback);
  }
  engine->core().remove(*callback);
  // From here on the callback is neither announced nor picked.
  auto * const announced = dynamic_cast<takt_core::adapter::AnnouncedCallback *>(callback.get());
  if (announced != nullptr) {
    announced->stop();
  }
  removed(*callback);
  std::uint64_t overwritten = overwritten_before_ + callback->overwritten();
  if (announced != nullptr) {
    overwritten += announced->unseen();
    keep(announced->left());
  }
  overwritten_.store(overwritten);
  announce_kept();  // it may be in another executor by now
}

void Entity::announce_kept() noexcept
{
  attachment_.use([this](takt_core::Executor & executor, takt_core::Callback & callback) {
    const std::uint64_t kept = kept_.exchange(0, std::memory_order_seq_cst);
    if (kept > 0) {
      static_cast<takt_core::adapter::AnnouncedCallback &>(callback).announce(
        executor, static_cast<std::uint32_t>(std::min<std::uint64_t>(kept, UINT32_MAX)));
    }
  });
}

void Entity::drop_kept() noexcept
{
  const std::uint64_t kept = kept_.exchange(0, std::memory_order_seq_cst);
  overwritten_.fetch_add(kept - std::min<std::uint64_t>(kept, depth_), std::memory_order_relaxed);
}

std::shared_ptr<takt_core::Callback> Entity::callback() const
{
  std::lock_guard lock(mutex_);
  return callback_;
}

std::uint32_t Entity::number() const noexcept
{
  std::uint32_t number = 0;
  attachment_.use([&](auto &, takt_core::Callback & callback) { number = callback.number(); });
  return number;
}

std::uint32_t Entity::backlog() const noexcept
{
  std::uint32_t backlog = 0;
  attachment_.use([&](auto &, takt_core::Callback & callback) { backlog = callback.backlog(); });
  return backlog;
}

std::uint64_t Entity::overwritten() const noexcept
{
  std::uint64_t count = 0;
  const bool here = attachment_.use([&](auto &, takt_core::Callback & callback) {
    count = overwritten_before_.load(std::memory_order_relaxed) + callback.overwritten();
  });
  if (!here) {
    const std::uint64_t kept = kept_.load(std::memory_order_relaxed);
    count =
      overwritten_.load(std::memory_order_relaxed) + kept - std::min<std::uint64_t>(kept, depth_);
  }
  return count;
}

}  // namespace takt_rcl
