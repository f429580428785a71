// A waitable of the adopted program: events, intra-process messages, actions, and waitables that users
// write.
#include <array>
#include <atomic>
#include <typeinfo>
#include <utility>

#include "adopt/clock_waiter.hpp"
#include "adopt/entity.hpp"
#include "adopt/recorder.hpp"
#include "adopt/wait_set.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/experimental/subscription_intra_process_base.hpp"
#include "rclcpp/logging.hpp"
#include "takt_core/middleware_ceiling.hpp"

namespace takt_rclcpp
{
namespace
{

// Announcements that wait at once. More are not lost: a run announces again what the counts below still
// hold.
constexpr std::uint32_t kDepth = 4;

/// Which of a waitable's parts are ready, and how often. Any thread; lock-free.
class ReadyParts
{
public:
  /// False: the waitable has more parts than there are places.
  bool add(int part, std::size_t count) noexcept
  {
    const std::int64_t name = std::int64_t{part} + 1;
    for (Place & place : places_) {
      std::int64_t there = place.name.load(std::memory_order_acquire);
      if (there == 0 && !place.name.compare_exchange_strong(there, name)) {
        // Another thread took the place; `there` is its part.
      } else if (there == 0) {
        there = name;
      }
      if (there == name) {
        place.count.fetch_add(count, std::memory_order_release);
        return true;
      }
    }
    return false;
  }

  /// Takes one out, parts in turn, so that none starves another.
  std::optional<std::size_t> take() noexcept
  {
    const std::size_t first = next_.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place & place = places_[(first + i) % places_.size()];
      std::uint64_t count = place.count.load(std::memory_order_acquire);
      while (count > 0) {
        if (place.count.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) {
          return static_cast<std::size_t>(place.name.load(std::memory_order_relaxed) - 1);
        }
      }
    }
    return std::nullopt;
  }

  bool any() const noexcept
  {
    for (const Place & place : places_) {
      if (place.count.load(std::memory_order_acquire) > 0) {
        return true;
      }
    }
    return false;
  }

private:
  struct Place
  {
    std::atomic<std::int64_t> name{0};  // the part + 1; 0: free
    std::atomic<std::uint64_t> count{0};
  };
  std::array<Place, 16> places_;
  std::atomic<std::size_t> next_{0};
};

struct TakenData
{
  rclcpp::Waitable::SharedPtr waitable;
  std::shared_ptr<void> data;
};

/// What rclcpp's own waitables need beside what their interface says.
struct Nature
{
  bool is_event = false;
  bool within_process = false;  ///< messages that come without the middleware
  bool is_action_server = false;
  /// Nothing is to be run without data: these throw then, or do nothing. A count was only a hint.
  bool needs_data = false;
};

Nature nature_of(const rclcpp::Waitable & waitable)
{
  Nature nature;
  const std::string_view type = typeid(waitable).name();
  nature.is_event = dynamic_cast<const rclcpp::EventHandlerBase *>(&waitable) != nullptr;
  nature.within_process =
    dynamic_cast<const rclcpp::experimental::SubscriptionIntraProcessBase *>(&waitable) != nullptr;
  nature.is_action_server = type.starts_with("N13rclcpp_action6Server");
  nature.needs_data =
    nature.is_event || nature.within_process || type.starts_with("N13rclcpp_action");
  return nature;
}

/// Whether a wait set would find out when `waitable` is ready.
bool waits_in_sets(rclcpp::Waitable & waitable)
{
  return waitable.get_number_of_ready_subscriptions() + waitable.get_number_of_ready_timers() +
           waitable.get_number_of_ready_clients() + waitable.get_number_of_ready_services() +
           waitable.get_number_of_ready_events() + waitable.get_number_of_ready_guard_conditions() >
         0;
}

// Of messages that come without the middleware.
rclcpp::QoS qos_of(const rclcpp::Waitable & waitable)
{
  return dynamic_cast<const rclcpp::experimental::SubscriptionIntraProcessBase &>(waitable)
    .get_actual_qos();
}

// Whose waitable this thread adds to a wait set. Some trigger their guard condition meanwhile, for what is left.
thread_local const void * t_adds = nullptr;

/// Whether the waitable of `owner` has something to take now. Makes a wait set for it: for the start of a spin only.
/// What is made for executors without a wait set may throw in one.
bool is_ready_now(
  rclcpp::Waitable & waitable, rclcpp::Context & context, const void * owner, const Nature & nature)
{
  WaitSet holder(context);
  rcl_wait_set_t & set = holder.make(
    waitable.get_number_of_ready_subscriptions(), waitable.get_number_of_ready_guard_conditions(),
    waitable.get_number_of_ready_timers(), waitable.get_number_of_ready_clients(),
    waitable.get_number_of_ready_services(), waitable.get_number_of_ready_events());
  t_adds = owner;
  try {
    waitable.add_to_wait_set(set);
  } catch (const std::exception &) {
    t_adds = nullptr;
    return false;
  }
  t_adds = nullptr;
  const rcl_ret_t result = rcl_wait(&set, 0);
  if (result == RCL_RET_TIMEOUT && !nature.needs_data) {
    return false;  // some that users wrote are ready whenever they are asked
  }
  if (result != RCL_RET_OK && result != RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return false;
  }
  return waitable.is_ready(set);
}

// rclcpp_action::ServerBase::EntityType::Expired.
constexpr std::size_t kExpiredGoals = 3;

class WaitableEntity final : public Entity,
                             public takt_core::adapter::AnnouncedCallback,
                             public std::enable_shared_from_this<WaitableEntity>
{
public:
  WaitableEntity(
    const rclcpp::Waitable::SharedPtr & waitable, takt_core::CallbackOptions options,
    const EntitySettings & settings)
  : AnnouncedCallback(std::move(options)),
    waitable_(waitable),
    core_(settings.core),
    waiter_(settings.waiter),
    context_(settings.context),
    nature_(nature_of(*waitable)),
    waits_(settings.asks_waitables && !nature_.needs_data && waits_in_sets(*waitable)),
    lanes_(settings.lanes)
  {
  }

  std::shared_ptr<takt_core::Callback> callback() override { return shared_from_this(); }
  takt_core::MessageCounts message_counts() const noexcept override
  {
    if (waits_) {
      return {backlog(), 0, depth(), arrivals()};
    }
    auto counts = outstanding_.counts();
    if (!nature_.within_process) {
      counts.overwritten = 0;  // none of these is a message
    }
    return counts;
  }

  void listen() override
  {
    const auto waitable = waitable_.lock();
    if (waitable == nullptr) {
      return;
    }
    if (waits_) {
      wait_for(waitable);
      return;
    }
    outstanding_.set_history(nature_.within_process ? history_depth(qos_of(*waitable)) : depth());
    try {
      waitable->set_on_ready_callback([self = shared_from_this()](std::size_t count, int part) {
        if (t_adds == self.get()) {
          return;
        }
        if (self->nature_.within_process) {
          Recorder::note_within_process(self.get(), self->facts.topic.c_str());
        }
        self->parts_.add(part, count);
        self->outstanding_.announced(count);
        self->announce(*self->core_, static_cast<std::uint32_t>(count));
      });
      if (!nature_.is_event) {
        // What was announced to an earlier listener is not announced again.
        looking_.store(true, std::memory_order_relaxed);
        core_->ready(*this);
      }
    } catch (const std::exception &) {
      // It cannot say by itself when it is ready.
      waits_ = true;
      wait_for(waitable);
    }
  }
  void silence() noexcept override
  {
    if (waits_) {
      waiter_->remove(this);
      return;
    }
    if (const auto waitable = waitable_.lock(); waitable != nullptr) {
      try {
        waitable->clear_on_ready_callback();
      } catch (const std::exception & error) {
        RCLCPP_ERROR(rclcpp::get_logger("takt"), "%s: %s", id().c_str(), error.what());
      }
    }
  }

  bool take(const takt_core::Run & run) override
  {
    TakenData taken{waitable_.lock(), nullptr};
    if (taken.waitable == nullptr) {
      return false;
    }
    const auto alone = facts.owner->exclude();
    const takt_core::MiddlewareCeilingScope ceiling;
    if (waits_) {
      try {
        taken.data = taken.waitable->take_data();
      } catch (...) {
        waiter_->again(this);
        throw;
      }
    } else if (looking_.load(std::memory_order_relaxed) && look(*taken.waitable)) {
      taken.data = taken.waitable->take_data();
      outstanding_.taken();
      // An announcement of it may be here, too. It looks on until nothing is left.
      static_cast<void>(parts_.take());
      core_->ready(*this);
      if (taken.data == nullptr && nature_.needs_data) {
        return false;
      }
    } else {
      const auto part = parts_.take();
      if (!part) {
        return false;
      }
      taken.data = taken.waitable->take_data_by_entity_id(*part);
      if (taken.data == nullptr && nature_.needs_data) {
        outstanding_.found_empty(1);  // a later message took its place
        announce_rest();
        return false;
      }
      outstanding_.taken();
    }
    lanes_[run] = std::move(taken);
    return true;
  }

  void run(const takt_core::Run & run) override
  {
    struct Afterwards
    {
      WaitableEntity & self;
      ~Afterwards()
      {
        if (self.waits_) {
          self.waiter_->again(&self);
        } else {
          self.announce_rest();
        }
      }
    } const afterwards{*this};
    const auto alone = facts.owner->exclude();
    // It goes before others may ask: what it holds may go back to the waitable.
    const TakenData taken = std::exchange(lanes_[run], {});
    taken.waitable->execute(taken.data);
    if (nature_.is_action_server && !waits_) {
      // Only a wait set tells when a goal's result has been kept for long enough. With each request those that
      // have are dropped, so that they are as many as requests bring.
      if (const auto expired = taken.waitable->take_data_by_entity_id(kExpiredGoals);
          expired != nullptr) {
        taken.waitable->execute(expired);
      }
    }
  }

private:
  // A thread waits until it is ready.
  void wait_for(const rclcpp::Waitable::SharedPtr & waitable)
  {
    hears_from_now();
    waiter_->add(waitable, this, [self = shared_from_this()] { self->announce(*self->core_, 1); });
  }
  /// Whether there is something that was not announced to this listener. Ends the looking where not.
  bool look(rclcpp::Waitable & waitable)
  {
    if (is_ready_now(waitable, *context_, this, nature_)) {
      return true;
    }
    // What is announced still is of messages that were taken above, or by the program before it spun.
    while (nature_.within_process && parts_.take()) {
      outstanding_.forget(1);
    }
    looking_.store(false, std::memory_order_relaxed);
    hears_from_now();
    return false;
  }
  // What a full ring of announcements lost.
  void announce_rest() noexcept
  {
    if (backlog() == 0 && parts_.any()) {
      announce(*core_, 1);
    }
  }

  const rclcpp::Waitable::WeakPtr waitable_;
  const std::shared_ptr<takt_core::Executor> core_;
  const std::shared_ptr<ClockWaiter> waiter_;
  const std::shared_ptr<rclcpp::Context> context_;
  const Nature nature_;
  bool waits_;
  std::atomic<bool> looking_{false};
  Outstanding outstanding_;
  ReadyParts parts_;
  Lanes<TakenData> lanes_;
};

}  // namespace

std::shared_ptr<Entity> make_entity(
  const rclcpp::Waitable::SharedPtr & waitable, takt_core::CallbackOptions options,
  const EntitySettings & settings)
{
  const bool within_process = nature_of(*waitable).within_process;
  options.depth =
    within_process ? arrival_depth(qos_of(*waitable), settings.whole_history) : kDepth;
  return std::make_shared<WaitableEntity>(waitable, std::move(options), settings);
}

}  // namespace takt_rclcpp
