#include "takt_rcl/client.hpp"

#include <rcl/graph.h>
#include <rcutils/logging_macros.h>
#include <rmw/rmw.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "client_run.hpp"
#include "engine.hpp"
#include "node_state.hpp"
#include "service_run.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/message_key.hpp"
#include "takt_core/sequence.hpp"
#include "takt_rcl/error.hpp"
#include "wait_for.hpp"

namespace takt_rcl
{
namespace
{

std::shared_ptr<ClientShared> open_client(
  std::shared_ptr<NodeState> node, const rosidl_service_type_support_t & type,
  const std::string & name, const ClientOptions & options)
{
  auto shared = std::make_shared<ClientShared>(std::move(node));
  rcl_client_options_t rcl_options = rcl_client_get_default_options();
  rcl_options.qos = options.qos.get_rmw_qos_profile();
  {
    std::lock_guard lock(rcl_mutex());
    if (
      rcl_client_init(&shared->rcl, shared->node->rcl(), &type, name.c_str(), &rcl_options) !=
      RCL_RET_OK) {
      detail::throw_rcl(
        shared->node->fully_qualified_name() + ": cannot make a client of service '" + name + "'");
    }
  }
  shared->name = rcl_client_get_service_name(&shared->rcl);
  rmw_gid_t gid{};
  if (rmw_get_gid_for_client(rcl_client_get_rmw_handle(&shared->rcl), &gid) == RMW_RET_OK) {
    shared->gid = to_gid(gid);
  } else {
    detail::take_rcl_error();
  }
  const rmw_qos_profile_t & actual = *rcl_client_response_subscription_get_actual_qos(&shared->rcl);
  shared->history = arrival_depth(actual);
  shared->reliable = actual.reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE;
  return shared;
}

// Whether `callback` of this executor cannot start before the run of the calling thread has ended.
bool waits_for(
  takt_core::Executor & executor, const takt_core::Callback & callback, const takt_core::Run & run)
{
  if (takt_core::current_executor() == nullptr) {
    return true;  // within spin_once and spin_some there is only this thread
  }
  const bool same_group = &callback.group() == &run.callback->group();
  const std::uint32_t lanes = executor.lanes(callback.group());
  if (same_group && lanes == 1) {
    return true;
  }
  takt_core::Scheduler & scheduler = executor.scheduler_of(callback);
  if (&scheduler != &executor.scheduler()) {
    // Its group has threads of its own. A reentrant group has one lane more than threads.
    return same_group && lanes == 2;
  }
  const auto binding = scheduler.binding(callback);
  const takt_core::ThreadMask may =
    binding && binding->threads != 0 ? binding->threads : ~takt_core::ThreadMask{0};
  const std::vector<pid_t> threads = executor.thread_ids();
  const std::size_t own = std::min<std::size_t>(executor.options().threads.size(), threads.size());
  for (std::size_t i = 0; i < own; ++i) {
    if ((may >> i & 1) != 0 && threads[i] != 0 && threads[i] != ::gettid()) {
      return false;
    }
  }
  return true;
}

}  // namespace

ClientBase::ClientBase(
  std::shared_ptr<NodeState> node, const rosidl_service_type_support_t & type,
  const std::string & name, const MakeCalls & make_calls, const ClientOptions & options)
: ClientBase(
    [&] {
      auto shared = open_client(std::move(node), type, name, options);
      shared->calls = make_calls(options.pending != 0 ? options.pending : shared->history);
      shared->calls->end_waits_with(shared->node->context());
      return shared;
    }(),
    options)
{
}

ClientBase::ClientBase(std::shared_ptr<ClientShared> shared, const ClientOptions & options)
: Entity(shared->node, takt_core::Kind::client, "client", shared->name, options),
  shared_(std::move(shared)),
  forget_after_(options.forget_after)
{
  set_depth(shared_->history);
  try {
    listen(&ClientBase::on_early_response, this);
    node().entity_made();
  } catch (...) {
    stop_listening();
    throw;
  }
}

ClientBase::~ClientBase()
{
  leave_node();
  stop_listening();
  prune_pending_requests();
}

std::shared_ptr<takt_core::Callback> ClientBase::make(
  Engine & engine, takt_core::CallbackOptions options, const takt_core::adapter::CallbackSettings &)
{
  options.depth = shared_->history;
  const std::uint32_t lanes = engine.core().lanes(*options.group);
  return std::make_shared<ClientRun>(std::move(options), shared_, engine.core(), lanes);
}

// The listener outside of executors: the next executor gets the announcements.
void ClientBase::on_early_response(const void * self, std::size_t count)
{
  const_cast<ClientBase *>(static_cast<const ClientBase *>(self))->keep(count);
}

// Twice, for the reason that SubscriptionBase::listen gives.
void ClientBase::listen(rcl_event_callback_t listener, const void * data)
{
  for (int i = 0; i < 2; ++i) {
    if (rcl_client_set_on_new_response_callback(&shared_->rcl, listener, data) != RCL_RET_OK) {
      detail::throw_rcl(id() + ": cannot listen for responses");
    }
  }
}

void ClientBase::stop_listening() noexcept
{
  detail::ignore(rcl_client_set_on_new_response_callback(&shared_->rcl, nullptr, nullptr));
}

void ClientBase::connect(takt_core::Executor &, takt_core::Callback & callback)
{
  listen(&ClientRun::on_new_response, static_cast<ClientRun *>(&callback));
}

void ClientBase::disconnect(takt_core::Callback &) noexcept
{
  detail::ignore(
    rcl_client_set_on_new_response_callback(&shared_->rcl, &ClientBase::on_early_response, this));
}

void ClientBase::removed(takt_core::Callback & callback) noexcept
{
  static_cast<ClientRun &>(callback).close();
}

// A service of this process learns from the name which activation the request carries. The
// middleware numbers the requests of a client one by one; a wrong guess only means that the name is
// unknown.
std::int64_t ClientBase::send(const void * request) noexcept
{
  const takt_core::MessageKey key{shared_->gid, static_cast<std::uint64_t>(shared_->last) + 1, 0};
  const takt_core::MessageScope announced(key.name_by_sequence());
  std::int64_t number = 0;
  if (rcl_send_request(&shared_->rcl, request, &number) != RCL_RET_OK) {
    rcutils_reset_error();
    shared_->refused.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  shared_->last = number;
  return number;
}

void ClientBase::make_room()
{
  if (forget_after_ != takt_rt::kForever && pending_requests() > 0) {
    prune_requests_older_than(forget_after_);
  }
}

void ClientBase::no_place()
{
  shared_->refused.fetch_add(1, std::memory_order_relaxed);
  if (!shared_->logged.exchange(true, std::memory_order_relaxed)) {
    RCUTILS_LOG_WARN_NAMED(
      "takt",
      "%s refuses a request, because all its places are taken; %zu requests wait for a response. "
      "ClientOptions::forget_after or prune_requests_older_than frees places of requests without a "
      "response. refused_requests() counts further refusals.",
      id().c_str(), pending_requests());
  }
}

bool ClientBase::remove_pending_request(std::int64_t request)
{
  const bool removed = shared_->calls->forget(request);
  shared_->forgotten.fetch_add(removed ? 1 : 0, std::memory_order_relaxed);
  return removed;
}

std::size_t ClientBase::prune_pending_requests()
{
  const std::size_t pruned = shared_->calls->forget_older(takt_rt::kNever);
  shared_->forgotten.fetch_add(pruned, std::memory_order_relaxed);
  return pruned;
}

std::size_t ClientBase::prune_requests_older_than(takt_rt::Duration age)
{
  const std::size_t pruned = shared_->calls->forget_older(takt_rt::now() - age);
  shared_->forgotten.fetch_add(pruned, std::memory_order_relaxed);
  return pruned;
}

// The response waits for the client's callback. The request may wait for a service of the same
// executor.
void ClientBase::must_not_wait() const
{
  const takt_core::Run * const run = takt_core::current_run();
  if (run == nullptr) {
    return;
  }
  // A thread within spin_once is in no executor by itself: then the client's is meant, if it has
  // the running callback.
  takt_core::Executor * executor = takt_core::current_executor();
  if (executor == nullptr) {
    attachment_.use([&](takt_core::Executor & its, takt_core::Callback &) { executor = &its; });
  }
  if (executor == nullptr) {
    return;
  }
  const auto all = executor->callbacks();
  const bool runs_here = std::any_of(
    all.begin(), all.end(), [&](const auto & one) { return one.get() == run->callback; });
  if (!runs_here) {
    return;
  }
  const auto own = callback();
  for (const auto & other : all) {
    const auto * const service = dynamic_cast<const ServiceRun *>(other.get());
    const bool serves = service != nullptr && service->service() == shared_->name;
    if ((serves || other == own) && waits_for(*executor, *other, *run)) {
      throw Error(
        id() + ": " + run->callback->id() + " must not wait for the response, because " +
        other->id() +
        " cannot start before the end of this wait: give the request a callback, or bind " +
        other->id() + " to another thread and callback group");
    }
  }
  takt_core::SequenceScope::before_wait();
}

PendingCalls & ClientBase::calls() const noexcept
{
  return *shared_->calls;
}

std::shared_ptr<PendingCalls> ClientBase::shared_calls() const noexcept
{
  return shared_->calls;
}

const std::string & ClientBase::service() const noexcept
{
  return shared_->name;
}

const Gid & ClientBase::gid() const noexcept
{
  return shared_->gid;
}

std::uint64_t ClientBase::taken_responses() const noexcept
{
  return shared_->taken.load(std::memory_order_relaxed);
}

std::uint64_t ClientBase::unexpected_responses() const noexcept
{
  return shared_->unexpected.load(std::memory_order_relaxed);
}

std::uint64_t ClientBase::refused_requests() const noexcept
{
  return shared_->refused.load(std::memory_order_relaxed);
}

std::uint64_t ClientBase::forgotten_requests() const noexcept
{
  return shared_->forgotten.load(std::memory_order_relaxed);
}

std::uint64_t ClientBase::failed_takes() const noexcept
{
  return shared_->failed_takes.load(std::memory_order_relaxed);
}

std::size_t ClientBase::pending_requests() const noexcept
{
  return shared_->calls->pending();
}

bool ClientBase::service_is_ready() const
{
  bool ready = false;
  if (rcl_service_server_is_available(shared_->node->rcl(), &shared_->rcl, &ready) != RCL_RET_OK) {
    detail::take_rcl_error();
    return false;
  }
  return ready;
}

bool ClientBase::wait_for_service_for(takt_rt::Duration timeout) const
{
  return wait_for(
    *shared_->node->context(), timeout < takt_rt::Duration::zero() ? takt_rt::kForever : timeout,
    [this] { return service_is_ready(); });
}

}  // namespace takt_rcl
