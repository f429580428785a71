#include "takt_rcl/service.hpp"

#include <utility>

#include "engine.hpp"
#include "node_state.hpp"
#include "service_run.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{
namespace
{

std::shared_ptr<ServiceShared> open_service(
  std::shared_ptr<NodeState> node, const rosidl_service_type_support_t & type,
  const std::string & name, std::unique_ptr<RequestHandler> handler, const ServiceOptions & options)
{
  auto shared = std::make_shared<ServiceShared>(std::move(node), std::move(handler));
  rcl_service_options_t rcl_options = rcl_service_get_default_options();
  rcl_options.qos = options.qos.get_rmw_qos_profile();
  {
    std::lock_guard lock(rcl_mutex());
    if (
      rcl_service_init(&shared->rcl, shared->node->rcl(), &type, name.c_str(), &rcl_options) !=
      RCL_RET_OK) {
      detail::throw_rcl(
        shared->node->fully_qualified_name() + ": cannot offer service '" + name + "'");
    }
  }
  shared->name = rcl_service_get_service_name(&shared->rcl);
  const rmw_qos_profile_t & actual = *rcl_service_request_subscription_get_actual_qos(&shared->rcl);
  shared->history = arrival_depth(actual);
  shared->reliable = actual.reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE;
  shared->depth = options.depth != 0 ? options.depth : shared->history;
  return shared;
}

}  // namespace

ServiceBase::ServiceBase(
  std::shared_ptr<NodeState> node, const rosidl_service_type_support_t & type,
  const std::string & name, std::unique_ptr<RequestHandler> handler, const ServiceOptions & options)
: ServiceBase(open_service(std::move(node), type, name, std::move(handler), options), options)
{
}

ServiceBase::ServiceBase(std::shared_ptr<ServiceShared> shared, const ServiceOptions & options)
: Entity(shared->node, takt_core::Kind::service, "service", shared->name, options),
  shared_(std::move(shared))
{
  set_depth(shared_->depth);
  try {
    listen(&ServiceBase::on_early_request, this);
    node().entity_made();
  } catch (...) {
    stop_listening();
    throw;
  }
}

ServiceBase::~ServiceBase()
{
  leave_node();
  stop_listening();
  shared_->ended.store(true, std::memory_order_release);
}

std::shared_ptr<takt_core::Callback> ServiceBase::make(
  Engine & engine, takt_core::CallbackOptions options, const takt_core::adapter::CallbackSettings &)
{
  options.depth = shared_->depth;
  const std::uint32_t lanes = engine.core().lanes(*options.group);
  return std::make_shared<ServiceRun>(std::move(options), shared_, engine.core(), lanes);
}

// The listener outside of executors: the next executor gets the announcements.
void ServiceBase::on_early_request(const void * self, std::size_t count)
{
  const_cast<ServiceBase *>(static_cast<const ServiceBase *>(self))->keep(count);
}

// Twice, for the reason that SubscriptionBase::listen gives.
void ServiceBase::listen(rcl_event_callback_t listener, const void * data)
{
  for (int i = 0; i < 2; ++i) {
    if (rcl_service_set_on_new_request_callback(&shared_->rcl, listener, data) != RCL_RET_OK) {
      detail::throw_rcl(id() + ": cannot listen for requests");
    }
  }
}

void ServiceBase::stop_listening() noexcept
{
  detail::ignore(rcl_service_set_on_new_request_callback(&shared_->rcl, nullptr, nullptr));
}

void ServiceBase::connect(takt_core::Executor &, takt_core::Callback & callback)
{
  listen(&ServiceRun::on_new_request, static_cast<ServiceRun *>(&callback));
}

void ServiceBase::disconnect(takt_core::Callback &) noexcept
{
  detail::ignore(
    rcl_service_set_on_new_request_callback(&shared_->rcl, &ServiceBase::on_early_request, this));
}

void ServiceBase::removed(takt_core::Callback & callback) noexcept
{
  static_cast<ServiceRun &>(callback).close();
}

const std::string & ServiceBase::service() const noexcept
{
  return shared_->name;
}

std::uint64_t ServiceBase::taken_requests() const noexcept
{
  return shared_->taken.load(std::memory_order_relaxed);
}

std::uint64_t ServiceBase::sent_responses() const noexcept
{
  return shared_->sent.load(std::memory_order_relaxed);
}

std::uint64_t ServiceBase::failed_responses() const noexcept
{
  return shared_->failed_responses.load(std::memory_order_relaxed);
}

std::uint64_t ServiceBase::lost_requests() const noexcept
{
  return shared_->gaps->lost();
}

std::uint64_t ServiceBase::failed_takes() const noexcept
{
  return shared_->failed_takes.load(std::memory_order_relaxed);
}

bool ServiceBase::send(const rmw_request_id_t & request, const void * response) noexcept
{
  return shared_->send(request, response);
}

}  // namespace takt_rcl
