// The core callback behind a subscription: listens, takes, delivers.
#ifndef SUBSCRIPTION_RUN_HPP_
#define SUBSCRIPTION_RUN_HPP_

#include <rcutils/error_handling.h>
#include <rmw/rmw.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "message_name.hpp"
#include "node_state.hpp"
#include "takt_core/adapter/announced_callback.hpp"
#include "takt_core/adapter/hold.hpp"
#include "takt_core/adapter/loss_account.hpp"
#include "takt_core/adapter/sequence_gaps.hpp"
#include "takt_core/adapter/tell_phases.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rcl/subscription.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_trace/recording.hpp"

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
  bool reliable = false;
  std::uint32_t depth = 1;
  // Takes of one subscription exclude each other also where a run that began in another executor
  // has not ended yet.
  takt_rt::PiMutex take_mutex;
  // A callback tells of it as long as it is there, which may be longer than this.
  const std::shared_ptr<takt_core::adapter::SequenceGaps> gaps =
    std::make_shared<takt_core::adapter::SequenceGaps>();
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> failed{0};
};

/// The core callback.
class SubscriptionBase::Run : public takt_core::adapter::AnnouncedCallback
{
public:
  Run(
    takt_core::CallbackOptions options, const std::shared_ptr<Shared> & shared,
    takt_core::Executor & executor, std::uint32_t lanes, std::uint32_t pool)
  : AnnouncedCallback(std::move(options)),
    context_(shared->node->context()),
    gaps_(shared->gaps),
    history_(shared->history),
    losses_(shared->reliable, shared->gaps->lost()),
    work_(std::make_shared<Work>(shared, lanes, pool)),
    executor_(executor),
    infos_(lanes)
  {
  }

  // The listener. Runs on a thread of the middleware or inside somebody's publish, with the
  // middleware's locks held: counts and wakes, nothing else.
  static void on_new_message(const void * self, std::size_t count)
  {
    Run & run = *const_cast<Run *>(static_cast<const Run *>(self));
    run.announce(run.executor_, static_cast<std::uint32_t>(count));
  }

  bool take(const takt_core::Run & run) override
  {
    if (!begin(work_)) {
      return false;
    }
    takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::size_t lane = this->lane(run);
    Shared & shared = *work_->shared;
    void * const message = work_->lanes->message(static_cast<std::uint32_t>(lane));
    rmw_message_info_t info = rmw_get_zero_initialized_message_info();
    auto noted = takt_core::adapter::SequenceGaps::Noted::expected;
    {
      // Outside of the lock, so that whoever waits for it does so at the ceiling too.
      const takt_core::MiddlewareCeilingScope ceiling;
      std::lock_guard lock(shared.take_mutex);
      const rcl_ret_t result = rcl_take(&shared.subscription, message, &info, nullptr);
      if (result != RCL_RET_OK) {
        if (result != RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
          rcutils_reset_error();
          shared.failed.fetch_add(1, std::memory_order_relaxed);
        }
        return false;
      }
      if (sequences_ && info.publication_sequence_number != MessageInfo::kUnsupported) {
        const Gid publisher = to_gid(info.publisher_gid);
        noted = shared.gaps->note(publisher, info.publication_sequence_number);
        run.found = message_name(publisher, info.publication_sequence_number);
      }
    }
    takt_core::adapter::tell_phases(executor_, *this, noted);
    losses_.taken(lost_announcements());
    infos_[lane] = MessageInfo(info);
    shared.taken.fetch_add(1, std::memory_order_relaxed);
    context_->for_each_message_observer([&](MessageObserver & observer) {
      observer.on_take(number(), to_gid(info.publisher_gid), info.publication_sequence_number);
    });
    if (takt_trace::recording()) {
      const Gid taken_from = to_gid(info.publisher_gid);
      takt_trace::record_take(
        {takt_trace::fold(taken_from.data(), taken_from.size()),
         static_cast<std::int64_t>(info.publication_sequence_number), info.source_timestamp});
    }
    releasing.keep();
    return true;
  }

  void run(const takt_core::Run & run) override
  {
    const takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::size_t lane = this->lane(run);
    work_->lanes->deliver(static_cast<std::uint32_t>(lane), infos_[lane]);
  }

  void close() noexcept { work_.release(); }

  std::optional<std::uint64_t> lost() const noexcept override { return losses().lost; }
  takt_core::MessageCounts message_counts() const noexcept override
  {
    return {backlog(), losses().overwritten, std::min(history_, depth()), arrivals()};
  }

private:
  struct Work
  {
    Work(std::shared_ptr<Shared> s, std::uint32_t count, std::uint32_t pool)
    : shared(std::move(s)),
      lanes(shared->handler->make_lanes(count, pool))
    {
    }
    const std::shared_ptr<Shared> shared;
    const std::unique_ptr<MessageLanes> lanes;  // goes before the handler
  };

  // A ring that is shorter than the history drops announcements, and no messages.
  std::uint64_t lost_announcements() const noexcept
  {
    return depth() < history_ ? 0 : overwritten();
  }

  takt_core::adapter::Losses losses() const noexcept
  {
    const auto gaps = sequences_ ? std::optional(gaps_->lost()) : std::nullopt;
    return losses_.split(lost_announcements(), gaps);
  }

  std::size_t lane(const takt_core::Run & run) const noexcept
  {
    return infos_.size() == 1 ? 0 : run.lane;
  }

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const takt_core::adapter::SequenceGaps> gaps_;
  const std::uint32_t history_;
  takt_core::adapter::LossAccount losses_;
  takt_core::adapter::Hold<Work> work_;
  takt_core::Executor & executor_;
  std::vector<MessageInfo> infos_;  // one per lane
  const bool sequences_ = Context::publication_sequence_supported();
};

}  // namespace takt_rcl

#endif  // SUBSCRIPTION_RUN_HPP_
