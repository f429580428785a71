// The core callback behind a subscription: listens, takes, delivers.
#ifndef SUBSCRIPTION_RUN_HPP_
#define SUBSCRIPTION_RUN_HPP_

#include <rcutils/error_handling.h>
#include <rmw/rmw.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "intra_process.hpp"
#include "messages/channel_transport.hpp"
#include "messages/late_input.hpp"
#include "messages/named_transport.hpp"
#include "node_state.hpp"
#include "takt_core/adapter/hold.hpp"
#include "takt_core/arrival_word.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_host/audited_function.hpp"
#include "takt_host/header_stamp.hpp"
#include "takt_host/source_callback.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rcl/subscription.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

struct SubscriptionBase::Shared
{
  Shared(
    std::shared_ptr<NodeState> n, const rosidl_message_type_support_t & t,
    std::unique_ptr<MessageHandler> h)
  : node(std::move(n)),
    type(t),
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
  const rosidl_message_type_support_t & type;
  const std::unique_ptr<MessageHandler> handler;
  rcl_subscription_t subscription;
  std::string topic;
  std::uint32_t history = 1;
  bool reliable = false;
  bool header = false;  // the type begins with a std_msgs/msg/Header
  std::uint32_t depth = 1;
  // Serialises the subscription's takes, also against a run in another executor that has not ended.
  takt_rt::PiMutex take_mutex;
  // A callback reports from it, perhaps longer than this object lives.
  const std::shared_ptr<takt_host::SequenceGaps> gaps = std::make_shared<takt_host::SequenceGaps>();
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> oversized{0};
  std::mutex listener_mutex;  // serialises changes of the listener and of the middleware's reader
  std::atomic<bool> filtered{false};  // there is a content filter, or was: gaps are no losses
  std::unique_ptr<Inbox> inbox;       // null: no messages by pointer
  std::unique_ptr<ChannelInbox>
    channel;   // not null: all messages come by it, and there is no middleware's subscription
  QoS qos{1};  // with the channel
  std::shared_ptr<const std::string> by_middleware;  // its topic, in the context's list

  LateInput late_input;  // of `take` and `take_sequence`

  std::string_view transport() const noexcept
  {
    return channel != nullptr ? "shared_memory" : inbox != nullptr ? "pointer" : "middleware";
  }
  // Of `count` announced messages.
  std::size_t without_copies(std::size_t count) noexcept
  {
    return inbox != nullptr ? inbox->hear(count) : count;
  }
};

/// The core callback.
class SubscriptionBase::Run final : public takt_host::SourceCallback<SubscriptionBase::Run>,
                                    public NamedTransport,
                                    public takt_host::AuditedFunction,
                                    private takt_core::ArrivalWord
{
public:
  Run(
    takt_core::CallbackOptions options, const std::shared_ptr<Shared> & shared,
    takt_core::Executor & executor, std::uint32_t lanes, std::uint32_t pool)
  : SourceCallback(
      std::move(options), executor, shared->history,
      {shared->reliable, shared->channel != nullptr || Context::publication_sequence_supported(),
       takt_host::NamedBy::sequence, shared->gaps}),
    work_(std::make_shared<Work>(shared, lanes, pool)),
    infos_(lanes),
    in_place_(shared->channel != nullptr ? lanes : 0),
    most_pending_(depth()),
    inbox_(shared->inbox.get()),
    shared_(*shared),
    history_(shared->history)
  {
    if (shared->channel != nullptr) {
      std::lock_guard lock(shared->channel->mutex());
      missed_before_ = shared->channel->missed();
    }
  }

  // The listener. Runs on a thread of the middleware or inside a publish, with the middleware's
  // locks held: only counts and wakes.
  static void on_new_message(const void * self, std::size_t count)
  {
    auto * const here = const_cast<Run *>(static_cast<const Run *>(self));
    const std::size_t own = here->inbox_ != nullptr ? here->inbox_->hear(count) : count;
    if (own > 0) {
      here->arrive(static_cast<std::uint32_t>(own));
    }
  }
  // The inbox's listener: runs inside a publish.
  static void on_parcel(const void * self, std::size_t count)
  {
    const_cast<Run *>(static_cast<const Run *>(self))->arrive(static_cast<std::uint32_t>(count));
  }

  takt_host::FunctionMemory function_memory() const override
  {
    return takt_host::function_in_block(shared_.handler.get(), work_->lanes.get());
  }

  takt_host::Took take_message(takt_host::Taking & taking)
  {
    if (!begin(work_)) {
      return takt_host::Took::nothing;
    }
    takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    Shared & shared = *work_->shared;
    if (shared.channel != nullptr) {
      const takt_host::Took took = take_from_channel(shared, taking);
      if (took == takt_host::Took::message) {
        shared.taken.fetch_add(1, std::memory_order_relaxed);
        read_stamp(shared, taking.run());
        releasing.keep();
      }
      return took;
    }
    const std::size_t lane = this->lane(taking.run());
    const auto buffer = [&] { return work_->lanes->message(static_cast<std::uint32_t>(lane)); };
    Next next;
    // Outside of the lock, so that a waiting thread is at the ceiling too.
    const takt_core::MiddlewareCeilingScope ceiling;
    std::lock_guard lock(shared.take_mutex);
    if (dropped(taking.run())) {
      return takt_host::Took::skipped;
    }
    const takt_host::Took took = take_next(shared, buffer, shared.handler->serialized(), next);
    if (took == takt_host::Took::message) {
      infos_[lane] = next.info;
      taking.found(next.key, next.counted);
      if (!next.parcel.empty()) {
        work_->lanes->put(static_cast<std::uint32_t>(lane), std::move(next.parcel));
      }
      read_stamp(shared, taking.run());
      releasing.keep();
    }
    return took;
  }

  /// A message that a take found.
  struct Next
  {
    MessageInfo info{};
    takt_core::MessageKey key{};
    takt_core::MessageKey counted{};  // see takt_host::Taking::found
    detail::Parcel parcel{};          // empty: the message is in the buffer
  };
  /// Takes the next message, by pointer or of the middleware, into `buffer()`. With the take mutex
  /// held. Real-time safe.
  template <typename Buffer>
  static takt_host::Took take_next(
    Shared & shared, const Buffer & buffer, bool serialized, Next & next) noexcept
  {
    const takt_host::Took took = shared.channel != nullptr ? take_copy(shared, buffer, next)
                                 : shared.inbox != nullptr
                                   ? take_either(shared, buffer, serialized, next)
                                   : take_from_middleware(shared, buffer, serialized, next);
    if (took == takt_host::Took::message) {
      // Under the mutex, so it need not be one step.
      shared.taken.store(
        shared.taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    return took;
  }

  void run(const takt_core::Run & run) override
  {
    const takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::size_t lane = this->lane(run);
    const ReadInPlace reading(*this, lane);
    work_->lanes->deliver(static_cast<std::uint32_t>(lane), infos_[lane]);
  }

  void leave_out(const takt_core::Run & run) noexcept override
  {
    const std::size_t lane = this->lane(run);
    if (inbox_ != nullptr || !in_place_.empty()) {
      work_->lanes->put(static_cast<std::uint32_t>(lane), {});  // lets go of the pointer
    }
    give_back(lane);
    work_.release();
  }

  /// The middleware's reader was replaced, and no listener listens: with the take mutex held.
  void reader_replaced() noexcept { drop_announced(); }

  void close() noexcept { work_.release(); }

  std::string_view transport() const noexcept override { return shared_.transport(); }

  /// With a channel: its word, on which executor threads sleep.
  takt_core::ArrivalWord * arrival_word() noexcept override
  {
    return shared_.channel != nullptr ? this : nullptr;
  }
  /// A channel counts better than announcements, some of which are for a publisher that came or
  /// left.
  takt_core::MessageCounts counted() const noexcept
  {
    if (in_place_.empty()) {
      return SourceCallback::counted();
    }
    takt_core::MessageCounts counts;
    counts.history = history_;
    counts.arrivals = channel_arrivals_.load(std::memory_order_relaxed);
    counts.overwritten = missed_.load(std::memory_order_relaxed);
    counts.waiting = std::min(backlog(), history_);
    return counts;
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
    const std::unique_ptr<MessageLanes> lanes;  // destroyed before the handler
  };

  /// Gives the message back that the run reads in place.
  class ReadInPlace
  {
  public:
    ReadInPlace(Run & run, std::size_t lane) noexcept : run_(run), lane_(lane) {}
    ~ReadInPlace() { run_.give_back(lane_); }
    ReadInPlace(const ReadInPlace &) = delete;
    ReadInPlace & operator=(const ReadInPlace &) = delete;

  private:
    Run & run_;
    const std::size_t lane_;
  };

  const std::atomic<std::uint32_t> & word() const noexcept override
  {
    return shared_.channel->bell();
  }
  void changed() noexcept override
  {
    std::lock_guard lock(shared_.channel->mutex());
    const std::uint64_t arrived = shared_.channel->arrived();
    channel_arrivals_.fetch_add(arrived, std::memory_order_relaxed);
    announce_waiting(arrived);
  }

  // Announces the messages that wait and are not announced. `arrived`: those that the channel has
  // just counted. With the channel's mutex held.
  void announce_waiting(std::uint64_t arrived) noexcept
  {
    const std::uint64_t waiting = std::min(shared_.channel->waiting(), most_pending_);
    std::uint64_t count = waiting - std::min(waiting, pending_);
    if (waiting == most_pending_) {
      // Further messages have replaced older ones.
      count = std::max(count, std::min(arrived, most_pending_));
    }
    // A message that nobody has counted: its publisher does so next, or was killed before it did.
    // The look also maps or unmaps the memory of a publisher that came or left.
    takt_rt::Time newest = shared_.channel->newest();
    if (pending_ == 0 && count == 0 && shared_.channel->has_message()) {
      count = 1;
      newest = takt_rt::kNever;
    }
    if (count > 0) {
      pending_ = std::min(pending_ + count, most_pending_);
      arrive(static_cast<std::uint32_t>(count), newest);
    }
  }

  // After the callback. Looks for further messages only here: the look costs as much as a take, and
  // the callback would wait.
  void give_back(std::size_t lane) noexcept
  {
    if (in_place_.empty()) {
      return;
    }
    std::lock_guard lock(shared_.channel->mutex());
    if (in_place_[lane]) {
      shared_.channel->release(in_place_[lane]);
      --reading_;
    }
    announce_rest();
  }

  // Once all announced messages are taken, further ones may wait: the announcements have a limit.
  // Call it in a run; the messages do not belong to the run's activations. With the channel's mutex
  // held.
  void announce_rest() noexcept
  {
    if (pending_ == 0) {
      static const takt_core::ActivationSet nobody;
      const takt_core::ActivationScope scope(nobody);
      const takt_core::MessageScope unnamed(0);
      announce_waiting(0);
    }
  }

  takt_host::Took take_from_channel(Shared & shared, takt_host::Taking & taking)
  {
    const std::size_t lane = this->lane(taking.run());
    const auto number = static_cast<std::uint32_t>(lane);
    ChannelInbox & channel = *shared.channel;
    // Outside of the lock; it may allocate.
    void * const buffer =
      shared.handler->reads_in_place() ? nullptr : work_->lanes->message(number);
    std::lock_guard lock(shared.take_mutex);
    takt_channel::Message message;
    bool in_place = false;
    {
      std::lock_guard channel_lock(channel.mutex());
      pending_ -= pending_ > 0 ? 1 : 0;
      message = channel.take();
      if (message.denial == takt_channel::Denial::empty) {
        return takt_host::Took::nothing;
      }
      if (!message) {
        shared.failed.fetch_add(1, std::memory_order_relaxed);
        announce_rest();
        return takt_host::Took::skipped;
      }
      missed_.store(channel.missed() - missed_before_, std::memory_order_relaxed);
      in_place = buffer == nullptr && reading_ < ChannelInbox::kInPlace;
      reading_ += in_place ? 1 : 0;
    }
    const ChannelTrailer trailer = channel.trailer(message);
    taking.run().arrived = message.published;
    takt_core::MessageKey counted = trailer.info;
    counted.publisher = by_pointer(counted.publisher);
    infos_[lane] = info_of(trailer.info, false);
    taking.found(trailer.key, counted);
    if (in_place) {
      in_place_[lane] = message;
      // Owns nothing: the message is given back when the run is over.
      auto * const data = const_cast<std::byte *>(message.data);
      work_->lanes->put(
        number, detail::Parcel::of(std::shared_ptr<void>(std::shared_ptr<void>(), data), false));
    } else {
      std::memcpy(
        buffer != nullptr ? buffer : work_->lanes->message(number), message.data,
        channel.message_size());
      std::lock_guard channel_lock(channel.mutex());
      channel.release(message);
    }
    return takt_host::Took::message;
  }

  // With the take mutex held.
  template <typename Buffer>
  static takt_host::Took take_copy(Shared & shared, const Buffer & buffer, Next & next)
  {
    ChannelTrailer trailer;
    const takt_channel::Denial denial = shared.channel->take_copy(buffer, trailer);
    if (denial == takt_channel::Denial::empty) {
      return takt_host::Took::nothing;
    }
    if (denial != takt_channel::Denial::none) {
      shared.failed.fetch_add(1, std::memory_order_relaxed);
      return takt_host::Took::nothing;
    }
    next.info = info_of(trailer.info, false);
    next.key = trailer.key;
    next.counted = trailer.info;
    next.counted.publisher = by_pointer(next.counted.publisher);
    return takt_host::Took::message;
  }

  template <typename Buffer>
  static takt_host::Took take_from_middleware(
    Shared & shared, const Buffer & buffer, bool serialized, Next & next)
  {
    const takt_host::Took took = ask_middleware(shared, buffer(), serialized, next.info);
    next.key = next.info.key();
    next.counted = shared.filtered.load() ? takt_core::MessageKey{} : next.key;
    return took;
  }

  // A message by pointer or one of the middleware.
  template <typename Buffer>
  static takt_host::Took take_either(
    Shared & shared, const Buffer & buffer, bool serialized, Next & next)
  {
    Inbox & inbox = *shared.inbox;
    if (!inbox.pop_before_middleware(next.parcel)) {
      const std::uint64_t asked = inbox.ask_middleware();
      takt_host::Took took = take_from_middleware(shared, buffer, serialized, next);
      while (took == takt_host::Took::message) {
        const MessageInfo & info = next.info;
        if (
          !inbox.is_copy(info.publisher_gid(), info.publication_sequence_number()) &&
          inbox.keeps_middleware_message()) {
          return took;
        }
        took = take_from_middleware(shared, buffer, serialized, next);
      }
      if (took == takt_host::Took::skipped) {
        return took;
      }
      inbox.middleware_is_empty(asked);
      if (!inbox.pop(next.parcel)) {
        return takt_host::Took::nothing;
      }
    }
    next.info = info_of(next.parcel.info, true);
    next.key = next.parcel.key;
    next.counted = next.parcel.info;
    next.counted.publisher = by_pointer(next.counted.publisher);
    return takt_host::Took::message;
  }

  static takt_host::Took ask_middleware(
    Shared & shared, void * message, bool serialized, MessageInfo & message_info)
  {
    rmw_message_info_t info = rmw_get_zero_initialized_message_info();
    auto * const bytes = serialized ? static_cast<SerializedMessage *>(message) : nullptr;
    const rcl_ret_t result = bytes != nullptr
                               ? take_bytes(shared, *bytes, info)
                               : rcl_take(&shared.subscription, message, &info, nullptr);
    if (result == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
      return takt_host::Took::nothing;
    }
    if (result != RCL_RET_OK) {
      rcutils_reset_error();
      const bool oversized = bytes != nullptr && bytes->refused();
      (oversized ? shared.oversized : shared.failed).fetch_add(1, std::memory_order_relaxed);
      return takt_host::Took::skipped;
    }
    message_info = MessageInfo(info);
    return takt_host::Took::message;
  }

  static rcl_ret_t take_bytes(
    Shared & shared, SerializedMessage & message, rmw_message_info_t & info)
  {
    message.clear();
    return rcl_take_serialized_message(
      &shared.subscription, &message.get_rcl_serialized_message(), &info, nullptr);
  }

  // Of the message that the run took.
  void read_stamp(const Shared & shared, const takt_core::Run & run) const noexcept
  {
    if (!keeps_for_set()) {
      return;
    }
    const void * const message = work_->lanes->taken(static_cast<std::uint32_t>(lane(run)));
    if (shared.handler->serialized()) {
      const auto & bytes =
        static_cast<const SerializedMessage *>(message)->get_rcl_serialized_message();
      run.stamp = takt_host::stamp_of_bytes({bytes.buffer, bytes.buffer_length});
    } else {
      run.stamp = takt_host::stamp_of_message(message);
    }
  }

  std::size_t lane(const takt_core::Run & run) const noexcept
  {
    return infos_.size() == 1 ? 0 : run.lane;
  }

  takt_core::adapter::Hold<Work> work_;
  std::vector<MessageInfo> infos_;               // one per lane
  std::vector<takt_channel::Message> in_place_;  // one per lane; none without a channel
  std::atomic<std::uint64_t> channel_arrivals_{0};
  // With the channel's mutex held.
  std::uint32_t reading_ = 0;  // messages in place
  // Messages of the channel that are announced, and for which no take began; at most as many as the
  // core keeps arrivals.
  std::uint64_t pending_ = 0;
  const std::uint64_t most_pending_;
  std::uint64_t missed_before_ = 0;
  std::atomic<std::uint64_t> missed_{0};
  Inbox * const inbox_;  // of the work; for listeners, which end before it
  Shared & shared_;      // of the work, for the executor's looks, which end before it, and for runs
  const std::uint32_t history_;
};

}  // namespace takt_rcl

#endif  // SUBSCRIPTION_RUN_HPP_
