// The core callback behind a subscription: listens, takes, delivers.
#ifndef SUBSCRIPTION_RUN_HPP_
#define SUBSCRIPTION_RUN_HPP_

#include <rcutils/error_handling.h>
#include <rmw/rmw.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hold.hpp"
#include "node_state.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rcl/sequence_gaps.hpp"
#include "takt_rcl/subscription.hpp"

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

}  // namespace takt_rcl

#endif  // SUBSCRIPTION_RUN_HPP_
