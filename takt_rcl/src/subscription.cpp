#include "takt_rcl/subscription.hpp"

#include <rcutils/error_handling.h>
#include <rmw/rmw.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "hold.hpp"
#include "node_state.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rcl/sequence_gaps.hpp"
#include "wait_for.hpp"

namespace takt_rcl
{

struct SubscriptionBase::Shared
{
  Shared(std::shared_ptr<NodeState> n, std::unique_ptr<MessageHandler> h)
  : node(std::move(n)),
    handler(std::move(h)),
    subscription(rcl_get_zero_initialized_subscription())
  {
  }
  ~Shared()
  {
    std::lock_guard lock(rcl_mutex());
    if (
      subscription.impl != nullptr &&
      rcl_subscription_fini(&subscription, node->rcl()) != RCL_RET_OK) {
      detail::take_rcl_error();
    }
  }

  const std::shared_ptr<NodeState> node;
  const std::unique_ptr<MessageHandler> handler;
  rcl_subscription_t subscription;
  std::string topic;
  std::uint32_t history = 1;
  std::uint32_t depth = 1;
  SequenceGaps gaps;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> failed{0};
};

/// The core callback.
class SubscriptionBase::Run : public takt_core::Callback
{
public:
  Run(
    takt_core::CallbackOptions options, std::shared_ptr<Shared> shared,
    takt_core::Executor & executor, std::uint32_t lanes)
  : Callback(std::move(options)),
    context_(shared->node->context()),
    shared_(std::move(shared)),
    executor_(executor),
    infos_(lanes)
  {
  }

  // The listener. Runs on a thread of the middleware or inside somebody's publish, with the
  // middleware's locks held: counts and wakes, nothing else.
  static void on_new_message(const void * self, std::size_t count)
  {
    Run & run = *const_cast<Run *>(static_cast<const Run *>(self));
    run.executor_.ready(run, static_cast<std::uint32_t>(count));
  }

  bool take(const takt_core::Run & run) override
  {
    if (!shared_.acquire()) {
      return false;
    }
    Hold<Shared>::Releasing releasing(shared_);
    const std::size_t lane = this->lane(run);
    Shared & shared = *shared_;
    void * const message = shared.handler->message(static_cast<std::uint32_t>(lane));
    rmw_message_info_t info = rmw_get_zero_initialized_message_info();
    rcl_ret_t result = RCL_RET_ERROR;
    {
      const takt_core::MiddlewareCeilingScope ceiling;
      result = rcl_take(&shared.subscription, message, &info, nullptr);
    }
    if (result != RCL_RET_OK) {
      if (result != RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
        rcutils_reset_error();
        shared.failed.fetch_add(1, std::memory_order_relaxed);
      }
      return false;
    }
    infos_[lane] = MessageInfo(info);
    shared.taken.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t sequence = info.publication_sequence_number;
    if (sequences_ && sequence != MessageInfo::kUnsupported) {
      shared.gaps.note(to_gid(info.publisher_gid), sequence);
    }
    if (MessageObserver * const observer = context_->message_observer(); observer != nullptr) {
      observer->on_take(number(), to_gid(info.publisher_gid), sequence);
    }
    releasing.keep();
    return true;
  }

  void run(const takt_core::Run & run) override
  {
    const Hold<Shared>::Releasing releasing(shared_);
    const std::size_t lane = this->lane(run);
    shared_->handler->deliver(static_cast<std::uint32_t>(lane), infos_[lane]);
  }

  void close() noexcept { shared_.release(); }

private:
  std::size_t lane(const takt_core::Run & run) const noexcept
  {
    return infos_.size() == 1 ? 0 : run.thread;
  }

  const std::shared_ptr<Context> context_;
  Hold<Shared> shared_;
  takt_core::Executor & executor_;
  std::vector<MessageInfo> infos_;  // one per lane
  const bool sequences_ = Context::publication_sequence_supported();
};

std::shared_ptr<SubscriptionBase::Shared> SubscriptionBase::open(
  std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
  const std::string & topic, const QoS & qos, std::unique_ptr<MessageHandler> handler,
  const SubscriptionOptions & options)
{
  auto shared = std::make_shared<Shared>(std::move(node), std::move(handler));
  rcl_subscription_options_t rcl_options = rcl_subscription_get_default_options();
  rcl_options.qos = qos.get_rmw_qos_profile();
  rcl_options.rmw_subscription_options.ignore_local_publications =
    options.ignore_local_publications;
  {
    std::lock_guard lock(rcl_mutex());
    const rcl_ret_t result = rcl_subscription_init(
      &shared->subscription, shared->node->rcl(), &type, topic.c_str(), &rcl_options);
    if (result != RCL_RET_OK) {
      detail::throw_rcl(
        shared->node->fully_qualified_name() + ": cannot subscribe to '" + topic + "'");
    }
  }
  shared->topic = rcl_subscription_get_topic_name(&shared->subscription);
  shared->history = arrival_depth(*rcl_subscription_get_actual_qos(&shared->subscription));
  shared->depth = options.depth != 0 ? options.depth : shared->history;
  return shared;
}

SubscriptionBase::SubscriptionBase(
  std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
  const std::string & topic, const QoS & qos, std::unique_ptr<MessageHandler> handler,
  const SubscriptionOptions & options)
: SubscriptionBase(
    open(std::move(node), type, topic, qos, std::move(handler), options), options)
{
}

SubscriptionBase::SubscriptionBase(
  std::shared_ptr<Shared> shared, const SubscriptionOptions & options)
: Entity(shared->node, takt_core::Kind::subscription, "sub", shared->topic, options),
  shared_(std::move(shared))
{
  node().entity_made();
}

SubscriptionBase::~SubscriptionBase() { leave_node(); }

std::shared_ptr<takt_core::Callback> SubscriptionBase::make(
  Engine & engine, takt_core::CallbackOptions options, const Placement & placement)
{
  options.depth = shared_->depth;
  // Of an unbounded history as many as are likely to be kept at once, not all.
  constexpr std::uint32_t kLargestPool = 64;
  shared_->handler->prepare(placement.lanes, std::min(shared_->history, kLargestPool));
  return std::make_shared<Run>(std::move(options), shared_, engine.core(), placement.lanes);
}

// Twice, because between looking at what waits and listening for what comes a message may slip
// through; it would be announced only with the next one. The second call finds it.
void SubscriptionBase::connect(takt_core::Callback & callback)
{
  for (int i = 0; i < 2; ++i) {
    if (
      rcl_subscription_set_on_new_message_callback(
        &shared_->subscription, &Run::on_new_message, static_cast<Run *>(&callback)) !=
      RCL_RET_OK) {
      detail::throw_rcl(id() + ": cannot listen for messages");
    }
  }
}

void SubscriptionBase::disconnect(takt_core::Callback & callback) noexcept
{
  if (
    rcl_subscription_set_on_new_message_callback(&shared_->subscription, nullptr, nullptr) !=
    RCL_RET_OK) {
    detail::take_rcl_error();
  }
  static_cast<Run &>(callback).close();
}

const std::string & SubscriptionBase::topic() const noexcept { return shared_->topic; }

QoS SubscriptionBase::get_actual_qos() const
{
  return QoS(*rcl_subscription_get_actual_qos(&shared_->subscription));
}

std::uint64_t SubscriptionBase::taken_messages() const noexcept
{
  return shared_->taken.load(std::memory_order_relaxed);
}

std::uint64_t SubscriptionBase::lost_messages() const noexcept { return shared_->gaps.lost(); }

std::uint64_t SubscriptionBase::allocated_messages() const noexcept
{
  return shared_->handler->allocated();
}

std::uint64_t SubscriptionBase::failed_takes() const noexcept
{
  return shared_->failed.load(std::memory_order_relaxed);
}

std::size_t SubscriptionBase::get_publisher_count() const
{
  std::size_t count = 0;
  if (rcl_subscription_get_publisher_count(&shared_->subscription, &count) != RCL_RET_OK) {
    detail::take_rcl_error();
    return 0;
  }
  return count;
}

bool SubscriptionBase::wait_for_matched(std::size_t count, takt_core::Duration timeout) const
{
  return wait_for(
    *shared_->node->context(), timeout, [&] { return get_publisher_count() >= count; });
}

}  // namespace takt_rcl
