#include "takt_rcl/entity.hpp"

#include <utility>

#include "engine.hpp"
#include "node_state.hpp"
#include "placer.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{

Entity::Entity(
  std::shared_ptr<NodeState> node, takt_core::Kind kind, const std::string & stem,
  const std::string & name, EntityOptions options)
: node_(std::move(node)),
  kind_(kind),
  options_(std::move(options)),
  id_(node_->claim_id(stem, options_.name.empty() ? name : options_.name))
{
  if (options_.callback_group == nullptr) {
    options_.callback_group = node_->default_group();
  }
}

Entity::~Entity()
{
  node_->forget(id_);
}

void Entity::leave_node() noexcept
{
  detach();
}

void Entity::attach(const std::shared_ptr<Engine> & engine)
{
  std::lock_guard lock(mutex_);
  Placement placement;
  placement.binding = options_.binding;
  takt_core::CallbackOptions core_options;
  core_options.id = id_;
  core_options.kind = kind_;
  core_options.group = group().in(*engine);
  placement.lanes = group().exclusive() ? 1 : engine->core().scheduler().thread_count() + 1;
  if (Placer * const placer = engine->placer(); placer != nullptr) {
    const Placer::Place place = placer->place(id_, kind_, group().id());
    placement.binding = place.binding;
    placement.offset = place.offset;
    placement.missed_periods = place.missed_periods;
    if (place.across_priorities) {
      engine->core().allow_across_priorities(*core_options.group);
    }
  }
  auto callback = make(*engine, std::move(core_options), placement);
  const takt_core::Status added = engine->core().add(callback, placement.binding);
  if (engine->placer() != nullptr) {
    detail::throw_schedule_faults("cannot add " + id_, added.faults());
  }
  detail::throw_faults("cannot add " + id_, added.faults());
  engine_ = engine;
  callback_ = callback;
  attachment_.set(engine->core(), *callback);
  // What waits already is announced from here, on this thread: it is not the work of a callback
  // that happens to run here.
  static const takt_core::ActivationSet nobody;
  const takt_core::ActivationScope scope(nobody);
  connect(*callback);
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
    attachment_.clear();
    disconnect(*callback);
  }
  engine->core().remove(*callback);
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
  attachment_.use([&](auto &, takt_core::Callback & callback) { count = callback.overwritten(); });
  return count;
}

}  // namespace takt_rcl
