#include "node_state.hpp"

#include <rcl/arguments.h>
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "engine.hpp"
#include "logging.hpp"
#include "parameter_overrides.hpp"
#include "placer.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{

std::mutex & rcl_mutex()
{
  static auto * const the_mutex = new std::mutex;
  return *the_mutex;
}

NodeState::NodeState(
  const std::string & name, const std::string & namespace_, const NodeOptions & options,
  ParameterMap & overrides)
: context_(options.context() != nullptr ? options.context() : default_context()),
  rcl_context_(context_->rcl_context("cannot make node '" + name + "'")),
  node_(rcl_get_zero_initialized_node())
{
  rcl_node_options_t rcl_options = rcl_node_get_default_options();
  rcl_options.use_global_arguments = options.use_global_arguments();
  rcl_options.enable_rosout = options.enable_rosout();
  std::vector<const char *> arguments;
  for (const std::string & argument : options.arguments()) {
    arguments.push_back(argument.c_str());
  }
  if (
    rcl_parse_arguments(
      static_cast<int>(arguments.size()), arguments.data(), rcl_get_default_allocator(),
      &rcl_options.arguments) != RCL_RET_OK) {
    detail::throw_rcl("bad ROS arguments for node '" + name + "'");
  }
  struct EndOptions
  {
    rcl_node_options_t & options;
    ~EndOptions() { detail::ignore(rcl_node_options_fini(&options)); }
  } const end_options{rcl_options};

  {
    std::scoped_lock lock(logging::mutex(), rcl_mutex());
    if (
      rcl_node_init(&node_, name.c_str(), namespace_.c_str(), rcl_context_.get(), &rcl_options) !=
      RCL_RET_OK) {
      detail::throw_rcl("cannot make node '" + name + "' in namespace '" + namespace_ + "'");
    }
    if (options.enable_rosout() && rcl_logging_rosout_enabled()) {
      rosout_ = rcl_logging_rosout_init_publisher_for_node(&node_) == RCL_RET_OK;
      detail::take_rcl_error();
    }
  }
  name_ = rcl_node_get_fully_qualified_name(&node_);
  default_group_ = make_group(CallbackGroupType::MutuallyExclusive, "default");
  if (options.use_global_arguments()) {
    read_overrides(rcl_context_->global_arguments, name_, overrides);
  }
  read_overrides(rcl_options.arguments, name_, overrides);
  for (const Parameter & parameter : options.parameter_overrides()) {
    overrides.insert_or_assign(parameter.get_name(), parameter.get_parameter_value());
  }
}

NodeState::~NodeState()
{
  if (node_.impl == nullptr) {
    return;  // the constructor threw
  }
  std::scoped_lock lock(logging::mutex(), rcl_mutex());
  if (rosout_) {
    detail::ignore(rcl_logging_rosout_fini_publisher_for_node(&node_));
  }
  detail::ignore(rcl_node_fini(&node_));
  detail::take_rcl_error();
}

CallbackGroup::SharedPtr NodeState::make_group(
  CallbackGroupType type, const std::string & name, bool automatic)
{
  std::lock_guard lock(names_mutex_);
  const std::string part = name.empty() ? std::to_string(groups_) : name;
  ++groups_;
  const std::string base = name_ + ":group(" + part + ")";
  std::string id = base;
  for (unsigned n = 2; !group_ids_.insert(id).second; ++n) {
    id = base + "#" + std::to_string(n);
  }
  return std::make_shared<CallbackGroup>(type, id, this, automatic);
}

std::string NodeState::resolve_topic(const std::string & topic)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  char * resolved = nullptr;
  if (
    rcl_node_resolve_name(&node_, topic.c_str(), allocator, false, false, &resolved) !=
    RCL_RET_OK) {
    detail::throw_rcl("'" + topic + "' is no topic name");
  }
  std::string result = resolved;
  allocator.deallocate(resolved, allocator.state);
  return result;
}

std::string NodeState::claim_id(const std::string & stem, const std::string & name)
{
  std::lock_guard lock(names_mutex_);
  const std::string base = name_ + ":" + stem + "(" + name + ")";
  std::string id = base;
  for (unsigned n = 2; !ids_.insert(id).second; ++n) {
    id = base + "#" + std::to_string(n);
  }
  return id;
}

void NodeState::adopt(const std::shared_ptr<Entity> & entity)
{
  std::lock_guard lock(mutex_);
  entities_.push_back(entity);
  if (const auto engine = engine_of(entity->group()); engine != nullptr) {
    entity->attach(engine);
  }
}

void NodeState::release_id(const std::string & id) noexcept
{
  std::lock_guard lock(names_mutex_);
  ids_.erase(id);
}

void NodeState::forget_ended() noexcept
{
  std::lock_guard lock(mutex_);
  std::erase_if(entities_, [](const auto & weak) { return weak.expired(); });
}

void NodeState::entity_made()
{
  std::vector<std::shared_ptr<Engine>> engines;
  {
    std::lock_guard lock(mutex_);
    engines.push_back(engine_);
    for (const Own & own : own_) {
      engines.push_back(own.engine);
    }
  }
  for (const auto & engine : engines) {
    if (engine != nullptr && engine->placer() != nullptr) {
      engine->placer()->entity_made();
    }
  }
}

NodeState::Entities NodeState::entities()
{
  Entities alive;
  for (const auto & weak : entities_) {
    if (auto entity = weak.lock(); entity != nullptr) {
      alive.push_back(std::move(entity));
    }
  }
  return alive;
}

std::vector<NodeState::Own>::iterator NodeState::own(const CallbackGroup & group) noexcept
{
  return std::find_if(
    own_.begin(), own_.end(), [&](const Own & one) { return one.group.get() == &group; });
}

std::shared_ptr<Engine> NodeState::engine_of(const CallbackGroup & group) noexcept
{
  if (const auto found = own(group); found != own_.end()) {
    return found->engine;
  }
  return group.automatically_add_to_executor_with_node() ? engine_ : nullptr;
}

NodeState::Entities NodeState::entities_of(const CallbackGroup & group)
{
  Entities all = entities();
  std::erase_if(all, [&](const auto & entity) { return &entity->group() != &group; });
  return all;
}

NodeState::Entities NodeState::entities_of_node()
{
  Entities all = entities();
  std::erase_if(all, [&](const auto & entity) {
    return !entity->group().automatically_add_to_executor_with_node() ||
           own(entity->group()) != own_.end();
  });
  return all;
}

void NodeState::may_join(const Engine & engine) const
{
  if (engine.context() != context_) {
    throw Error(name_ + " belongs to another context than the executor");
  }
}

std::exception_ptr NodeState::attach(
  const Entities & entities, const std::shared_ptr<Engine> & engine) noexcept
{
  try {
    for (const auto & entity : entities) {
      entity->attach(engine);
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// The end of a join: the schedule sees to new threads. What fails undoes all, without the mutex.
template <typename Undo>
void NodeState::settle(const Engine & engine, std::exception_ptr failed, Undo undo)
{
  try {
    if (failed != nullptr) {
      std::rethrow_exception(failed);
    }
    if (engine.placer() != nullptr) {
      engine.placer()->entity_made();
    }
  } catch (...) {
    undo();
    throw;
  }
}

void NodeState::join(const std::shared_ptr<Engine> & engine)
{
  Entities all;  // declared first: the last hold on an entity must not end under the mutex
  std::exception_ptr failed;
  {
    std::lock_guard lock(mutex_);
    if (engine_ != nullptr) {
      throw Error(name_ + " is in an executor already");
    }
    may_join(*engine);
    all = entities_of_node();
    engine_ = engine;
    failed = attach(all, engine);
  }
  settle(*engine, failed, [&] { leave(*engine); });
}

void NodeState::join(const std::shared_ptr<Engine> & engine, const CallbackGroup::SharedPtr & group)
{
  Entities all;
  std::exception_ptr failed;
  {
    std::lock_guard lock(mutex_);
    if (group->node_ != this) {
      throw Error(group->id() + " is no callback group of " + name_);
    }
    if (engine_of(*group) != nullptr) {
      throw Error(group->id() + " is in an executor already");
    }
    may_join(*engine);
    own_.push_back({group, engine});
    all = entities_of(*group);
    failed = attach(all, engine);
  }
  settle(*engine, failed, [&] { leave(*engine, *group); });
}

void NodeState::detach(const Entities & entities) noexcept
{
  for (const auto & entity : entities) {
    entity->detach();
  }
}

bool NodeState::leave(const Engine & engine) noexcept
{
  Entities all;
  std::shared_ptr<Engine> left;
  {
    std::lock_guard lock(mutex_);
    if (engine_ == nullptr || engine_.get() != &engine) {
      return false;
    }
    left = std::move(engine_);
    engine_.reset();
    all = entities_of_node();
  }
  detach(all);
  return true;
}

bool NodeState::leave(const Engine & engine, const CallbackGroup & group) noexcept
{
  Entities all;
  Own left;
  {
    std::lock_guard lock(mutex_);
    const auto found = own(group);
    if (found == own_.end() || found->engine.get() != &engine) {
      return false;
    }
    left = std::move(*found);
    own_.erase(found);
    all = entities_of(group);
  }
  detach(all);
  return true;
}

void NodeState::leave_all(const Engine & engine) noexcept
{
  std::vector<Own> groups;
  {
    std::lock_guard lock(mutex_);
    groups = own_;
  }
  for (const Own & own : groups) {
    leave(engine, *own.group);
  }
  leave(engine);
}

void NodeState::leave_all() noexcept
{
  Entities all;
  std::vector<Own> groups;
  std::shared_ptr<Engine> left;
  {
    std::lock_guard lock(mutex_);
    groups.swap(own_);
    left.swap(engine_);
    all = entities();
  }
  detach(all);
}

}  // namespace takt_rcl
