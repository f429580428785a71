#include "intra_process.hpp"

#include <rmw/error_handling.h>
#include <rmw/features.h>
#include <rmw/qos_profiles.h>
#include <rmw/rmw.h>

#include <algorithm>
#include <map>
#include <utility>

namespace takt_rcl
{
namespace
{

thread_local const Outbox * t_publishing = nullptr;

bool same_topic(const End & publisher, const End & subscription)
{
  return publisher.topic == subscription.topic && publisher.type == subscription.type &&
         publisher.qos.avoid_ros_namespace_conventions ==
           subscription.qos.avoid_ros_namespace_conventions;
}

bool compatible(const rmw_qos_profile_t & publisher, const rmw_qos_profile_t & subscription)
{
  rmw_qos_compatibility_type_t compatibility = RMW_QOS_COMPATIBILITY_ERROR;
  if (
    rmw_qos_profile_check_compatible(publisher, subscription, &compatibility, nullptr, 0) !=
    RMW_RET_OK) {
    rmw_reset_error();
    return false;
  }
  return compatibility == RMW_QOS_COMPATIBILITY_OK;
}

bool unlimited(const rmw_time_t & time) noexcept
{
  const rmw_time_t infinite = RMW_DURATION_INFINITE;
  return (time.sec == 0 && time.nsec == 0) || time.sec >= infinite.sec;
}

}  // namespace

// ---- the subscription's side ----

Inbox::Inbox(End end, std::uint32_t depth, detail::Use use, std::uint32_t reserve)
: end_(std::move(end)),
  depth_(depth),
  use_(use),
  reserve_(reserve),
  ring_(depth)
{
}

void Inbox::listen(Listener listener, const void * data) noexcept
{
  std::lock_guard lock(listener_mutex_);
  listener_ = listener;
  data_ = data;
}

void Inbox::add(const std::shared_ptr<Pair> & pair)
{
  std::lock_guard lock(pairs_mutex_);
  pairs_.push_back(pair);
}

void Inbox::push(detail::Parcel && parcel) noexcept
{
  detail::Parcel dropped;
  std::lock_guard order(listener_mutex_);
  {
    std::lock_guard lock(mutex_);
    parcel.before = heard_.load(std::memory_order_relaxed);
    if (size_ == depth_) {
      take_oldest(dropped);
    }
    const std::uint32_t end = begin_ + size_;
    ring_[end >= depth_ ? end - depth_ : end] = std::move(parcel);
    ++size_;
  }
  if (listener_ != nullptr) {
    listener_(data_, 1);
  }
}

std::size_t Inbox::hear(std::size_t count) noexcept
{
  if (t_publishing != nullptr && count > 0) {
    if (Pair * const pair = t_publishing->pair_with(*this); pair != nullptr) {
      pair->matched.store(true, std::memory_order_relaxed);
      --count;
    }
  }
  heard_.fetch_add(count, std::memory_order_relaxed);
  return count;
}

bool Inbox::pop(detail::Parcel & parcel) noexcept
{
  std::lock_guard lock(mutex_);
  if (size_ == 0) {
    return false;
  }
  take_oldest(parcel);
  return true;
}

void Inbox::take_oldest(detail::Parcel & parcel) noexcept
{
  const std::uint32_t oldest = std::exchange(begin_, begin_ + 1 == depth_ ? 0 : begin_ + 1);
  --size_;
  parcel = std::move(ring_[oldest]);
}

// A full history has overwritten the others.
std::uint64_t Inbox::waiting_in_middleware() noexcept
{
  const std::uint64_t heard = heard_.load(std::memory_order_relaxed);
  found_ = std::max(found_, heard - std::min<std::uint64_t>(heard, depth_));
  return heard - std::min(heard, found_);
}

bool Inbox::pop_before_middleware(detail::Parcel & parcel) noexcept
{
  if (ended_.load(std::memory_order_acquire)) {
    return false;
  }
  const std::uint64_t waiting = waiting_in_middleware();
  std::lock_guard lock(mutex_);
  if (size_ == 0 || (waiting > 0 && (found_ < ring_[begin_].before || size_ + waiting > depth_))) {
    return false;
  }
  take_oldest(parcel);
  return true;
}

bool Inbox::is_copy(const takt_core::Gid & publisher, std::uint64_t sequence) noexcept
{
  std::lock_guard lock(pairs_mutex_);
  for (const auto & pair : pairs_) {
    if (pair->publisher == publisher && sequence >= pair->first) {
      pair->matched.store(true, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

bool Inbox::keeps_middleware_message() noexcept
{
  const std::uint64_t waiting = std::max<std::uint64_t>(waiting_in_middleware(), 1);
  const std::uint64_t index = found_++;
  for (;;) {
    detail::Parcel dropped;
    std::lock_guard lock(mutex_);
    if (size_ + waiting <= depth_) {
      return true;
    }
    if (size_ == 0 || index < ring_[begin_].before) {
      return false;
    }
    take_oldest(dropped);
  }
}

std::uint64_t Inbox::ask_middleware() noexcept
{
  if (ended_.load(std::memory_order_acquire)) {
    std::lock_guard lock(pairs_mutex_);
    for (const auto & pair : pairs_) {
      auto ended = Pair::State::ended;
      pair->state.compare_exchange_strong(ended, Pair::State::noted, std::memory_order_relaxed);
    }
  }
  return heard_.load(std::memory_order_relaxed);
}

void Inbox::middleware_is_empty(std::uint64_t asked) noexcept
{
  found_ = std::max(found_, asked);
  if (ended_.load(std::memory_order_acquire)) {
    std::lock_guard lock(pairs_mutex_);
    std::erase_if(pairs_, [](const auto & pair) {
      return pair->state.load(std::memory_order_relaxed) == Pair::State::noted;
    });
    const bool more = std::any_of(pairs_.begin(), pairs_.end(), [](const auto & pair) {
      return pair->state.load(std::memory_order_relaxed) != Pair::State::open;
    });
    ended_.store(more, std::memory_order_release);
  }
}

// ---- the publisher's side ----

std::size_t Outbox::matched() const noexcept
{
  return static_cast<std::size_t>(std::count_if(
    takers_.begin(), takers_.end(),
    [](const Taker & taker) { return taker.pair->matched.load(std::memory_order_relaxed); }));
}

Pair * Outbox::pair_with(const Inbox & inbox) const noexcept
{
  for (const Taker & taker : takers_) {
    if (taker.inbox == &inbox) {
      return taker.pair.get();
    }
  }
  return nullptr;
}

void Outbox::deliver(
  detail::ParcelSource & source, const takt_core::MessageKey & key,
  const takt_core::MessageKey & info) noexcept
{
  const auto push = [&](Inbox & inbox, detail::Parcel && parcel) {
    parcel.key = key;
    parcel.info = info;
    inbox.push(std::move(parcel));
  };
  if (takers_.size() == 1 && takers_.front().inbox->use() != detail::Use::reads) {
    Inbox & only = *takers_.front().inbox;
    push(only, source.sole(only.use()));
    return;
  }
  detail::Parcel shared = source.shared();
  for (const Taker & taker : takers_) {
    if (&taker == &takers_.back()) {
      push(*taker.inbox, std::move(shared));
    } else {
      push(*taker.inbox, shared.another());
    }
  }
}

PublishingCopies::PublishingCopies(const Outbox & outbox) noexcept
: previous_(std::exchange(t_publishing, &outbox))
{
}
PublishingCopies::~PublishingCopies()
{
  t_publishing = previous_;
}

// ---- the registry ----

std::shared_ptr<IntraProcess> IntraProcess::of(const rcl_context_t * context)
{
  static auto * const the_mutex = new std::mutex;
  static auto * const registries = new std::map<const rcl_context_t *, std::weak_ptr<IntraProcess>>;
  std::lock_guard lock(*the_mutex);
  std::erase_if(*registries, [](const auto & one) { return one.second.expired(); });
  std::weak_ptr<IntraProcess> & found = (*registries)[context];
  auto registry = found.lock();
  if (registry == nullptr) {
    registry = std::make_shared<IntraProcess>();
    found = registry;
  }
  return registry;
}

bool IntraProcess::supports(const rmw_qos_profile_t & qos) noexcept
{
  return rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER) &&
         qos.history == RMW_QOS_POLICY_HISTORY_KEEP_LAST && qos.depth > 0 &&
         qos.durability == RMW_QOS_POLICY_DURABILITY_VOLATILE && unlimited(qos.lifespan) &&
         // The middleware watches only messages that it gets.
         unlimited(qos.deadline) && qos.liveliness != RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
}

void IntraProcess::join(Outbox & outbox, Inbox & inbox)
{
  if (!same_topic(outbox.end_, inbox.end_) || !compatible(outbox.end_.qos, inbox.end_.qos)) {
    return;
  }
  outbox.stock_.reserve(inbox.reserve());
  std::lock_guard lock(outbox.mutex_);
  const auto pair = std::make_shared<Pair>(outbox.gid_, outbox.next_number());
  outbox.takers_.reserve(outbox.takers_.size() + 1);
  inbox.add(pair);
  outbox.takers_.push_back({&inbox, pair});
}

void IntraProcess::add(Outbox & outbox)
{
  std::lock_guard lock(mutex_);
  outboxes_.push_back(&outbox);
  for (Inbox * const inbox : inboxes_) {
    join(outbox, *inbox);
  }
}

void IntraProcess::add(Inbox & inbox)
{
  std::lock_guard lock(mutex_);
  inboxes_.push_back(&inbox);
  for (Outbox * const outbox : outboxes_) {
    join(*outbox, inbox);
  }
}

void IntraProcess::remove(const Outbox & outbox) noexcept
{
  std::lock_guard lock(mutex_);
  std::erase(outboxes_, &outbox);
  std::lock_guard publishing(outbox.mutex_);
  for (const Outbox::Taker & taker : outbox.takers_) {
    std::lock_guard pairs(taker.inbox->pairs_mutex_);
    taker.pair->state.store(Pair::State::ended, std::memory_order_relaxed);
    taker.inbox->ended_.store(true, std::memory_order_release);
  }
}

void IntraProcess::remove(const Inbox & inbox) noexcept
{
  std::lock_guard lock(mutex_);
  std::erase(inboxes_, &inbox);
  for (Outbox * const outbox : outboxes_) {
    std::size_t paired = 0;
    {
      std::lock_guard publishing(outbox->mutex_);
      paired =
        std::erase_if(outbox->takers_, [&](const auto & taker) { return taker.inbox == &inbox; });
    }
    if (paired > 0) {
      outbox->stock_.give_back(inbox.reserve());
    }
  }
}

}  // namespace takt_rcl
