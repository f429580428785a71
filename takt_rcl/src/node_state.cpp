#include "node_state.hpp"

#include <rcl/arguments.h>
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>

#include <utility>

#include "engine.hpp"
#include "intra_process.hpp"
#include "logging.hpp"
#include "parameters/parameter_overrides.hpp"
#include "takt_core/adapter/callback_ids.hpp"
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
  intra_process_(IntraProcess::of(rcl_context_.get())),
  intra_process_by_default_(options.use_intra_process_comms())
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
      rcl_node_init(
        &handle_.node, name.c_str(), namespace_.c_str(), rcl_context_.get(), &rcl_options) !=
      RCL_RET_OK) {
      detail::throw_rcl("cannot make node '" + name + "' in namespace '" + namespace_ + "'");
    }
    if (options.enable_rosout() && rcl_logging_rosout_enabled()) {
      handle_.rosout = rcl_logging_rosout_init_publisher_for_node(&handle_.node) == RCL_RET_OK;
      detail::take_rcl_error();
    }
  }
  name_ = rcl_node_get_fully_qualified_name(&handle_.node);
  default_group_ = make_group(CallbackGroupType::MutuallyExclusive, "default");
  if (options.use_global_arguments()) {
    read_overrides(rcl_context_->global_arguments, name_, overrides);
  }
  read_overrides(rcl_options.arguments, name_, overrides);
  for (const Parameter & parameter : options.parameter_overrides()) {
    overrides.insert_or_assign(parameter.get_name(), parameter.get_parameter_value());
  }
}

NodeState::Handle::~Handle()
{
  if (node.impl == nullptr) {
    return;  // no node was made
  }
  std::scoped_lock lock(logging::mutex(), rcl_mutex());
  if (rosout) {
    detail::ignore(rcl_logging_rosout_fini_publisher_for_node(&node));
  }
  detail::ignore(rcl_node_fini(&node));
  detail::take_rcl_error();
}

CallbackGroup::SharedPtr NodeState::make_group(
  CallbackGroupType type, const std::string & name, bool automatic)
{
  const unsigned number = groups_.fetch_add(1);
  const std::string part = name.empty() ? std::to_string(number) : name;
  return std::make_shared<CallbackGroup>(
    type, takt_core::adapter::group_id(name_, part), group_ids_, automatic);
}

void NodeState::must_own(const CallbackGroup & group) const
{
  if (group.ids_ != group_ids_) {
    throw Error(group.id() + " is not a callback group of " + name_);
  }
}

std::string NodeState::resolve_topic(const std::string & topic)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  char * resolved = nullptr;
  if (
    rcl_node_resolve_name(&handle_.node, topic.c_str(), allocator, false, false, &resolved) !=
    RCL_RET_OK) {
    detail::throw_rcl("'" + topic + "' is not a topic name");
  }
  std::string result = resolved;
  allocator.deallocate(resolved, allocator.state);
  return result;
}

std::string NodeState::base_id(const std::string & stem, const std::string & name) const
{
  return takt_core::adapter::callback_id(name_, stem, name);
}

std::string NodeState::claim_id(const std::string & base)
{
  return ids_.claim(base);
}

void NodeState::release_id(const std::string & id) noexcept
{
  ids_.release(id);
}

void NodeState::entity_made()
{
  std::vector<std::shared_ptr<Engine>> engines;
  {
    std::lock_guard lock(mutex_);
    engines.push_back(membership_.engine);
    for (const Own & own : own_) {
      engines.push_back(own.membership.engine);
    }
  }
  for (const auto & engine : engines) {
    if (engine != nullptr && engine->placer() != nullptr) {
      detail::throw_faults(
        "cannot set threads of the process", engine->placer()->entity_made().faults());
    }
  }
}

}  // namespace takt_rcl
