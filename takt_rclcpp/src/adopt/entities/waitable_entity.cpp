// A waitable of the adopted program: events, messages within the process, actions, and waitables
// that users wrote.
#include <rcl/event.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "adopt/entities/clock_waiter.hpp"
#include "adopt/entity.hpp"
#include "adopt/held_messages.hpp"
#include "adopt/recorder.hpp"
#include "listen/action_parts.hpp"
#include "listen/goal_gate.hpp"
#include "listen/ready_parts.hpp"
#include "listen/wait_set.hpp"
#include "listen/waitable_timers.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/experimental/subscription_intra_process_base.hpp"
#include "rclcpp/logging.hpp"
#include "takt_core/middleware_ceiling.hpp"

namespace takt_rclcpp
{
namespace
{

// The number of stored announcements. Further ones are not lost: `announce_rest` announces again
// while `parts_` has parts.
constexpr std::uint32_t kDepth = 4;

struct TakenData
{
  rclcpp::Waitable::SharedPtr waitable;
  std::shared_ptr<void> data;
};

/// Special cases of rclcpp's built-in waitables.
struct Nature
{
  bool is_event = false;
  bool within_process = false;  ///< messages that come without the middleware
  bool is_action_server = false;
  bool is_action_client = false;
  /// The waitable must not run without data: it would throw, or do nothing. The number of its
  /// announcements is only a hint.
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
  nature.is_action_client = type.starts_with("N13rclcpp_action6Client");
  nature.needs_data =
    nature.is_event || nature.within_process || type.starts_with("N13rclcpp_action");
  return nature;
}

/// True if a wait set can find out when `waitable` is ready.
bool waits_in_sets(rclcpp::Waitable & waitable)
{
  return waitable.get_number_of_ready_subscriptions() + waitable.get_number_of_ready_timers() +
           waitable.get_number_of_ready_clients() + waitable.get_number_of_ready_services() +
           waitable.get_number_of_ready_events() + waitable.get_number_of_ready_guard_conditions() >
         0;
}

/// The order in which rclcpp's waitables check their parts in `is_ready` (numbers are
/// rclcpp_action's EntityType).
std::vector<int> ranked_parts(const Nature & nature)
{
  if (nature.is_action_client) {
    return {3, 4, 0, 1, 2};  // feedback, status, goal, result, cancel
  }
  if (nature.is_action_server) {
    return {0, 2, 1, 3};  // goal, cancel, result, expired
  }
  return {};
}

struct EventAccess : rclcpp::EventHandlerBase
{
  static rcl_event_t & handle_of(rclcpp::EventHandlerBase & event)
  {
    return event.*(&EventAccess::event_handle_);
  }
  static OwnListener::Function own_function(rclcpp::EventHandlerBase & event)
  {
    return kept_function(
      event.*(&EventAccess::on_new_event_callback_), event.*(&EventAccess::callback_mutex_));
  }
};

struct WithinProcessAccess : rclcpp::experimental::SubscriptionIntraProcessBase
{
  static rclcpp::GuardCondition & condition_of(
    rclcpp::experimental::SubscriptionIntraProcessBase & messages)
  {
    return messages.*(&WithinProcessAccess::gc_);
  }
};

// The QoS of messages that come without the middleware.
rclcpp::QoS qos_of(const rclcpp::Waitable & waitable)
{
  return dynamic_cast<const rclcpp::experimental::SubscriptionIntraProcessBase &>(waitable)
    .get_actual_qos();
}

// The entity whose waitable this thread adds to a wait set or takes a message from. Meanwhile some
// waitables trigger their own guard condition for the remaining messages; such a trigger is not an
// arrival.
constinit thread_local const void * t_asks = nullptr;

class Asks
{
public:
  explicit Asks(const void * owner) noexcept { t_asks = owner; }
  ~Asks() { t_asks = nullptr; }
  Asks(const Asks &) = delete;
  Asks & operator=(const Asks &) = delete;
};

/// True if the waitable of `owner` has something to take now; asks it with a new wait set. False if
/// the waitable throws, because it is made for executors without a wait set.
bool is_ready_now(
  rclcpp::Waitable & waitable, rclcpp::Context & context, const void * owner, const Nature & nature)
{
  WaitSet holder(context);
  rcl_wait_set_t & set = holder.make(
    waitable.get_number_of_ready_subscriptions(), waitable.get_number_of_ready_guard_conditions(),
    waitable.get_number_of_ready_timers(), waitable.get_number_of_ready_clients(),
    waitable.get_number_of_ready_services(), waitable.get_number_of_ready_events());
  try {
    const Asks asks(owner);
    waitable.add_to_wait_set(set);
  } catch (const std::exception &) {
    return false;
  }
  const rcl_ret_t result = rcl_wait(&set, 0);
  if (result == RCL_RET_TIMEOUT && !nature.needs_data) {
    return false;  // some users' waitables are ready whenever they are asked
  }
  if (result != RCL_RET_OK && result != RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return false;
  }
  return waitable.is_ready(set);
}

std::vector<ActionPart> find_parts(
  rclcpp::Waitable & waitable, rclcpp::Context & context, const Nature & nature)
{
  try {
    return nature.is_action_server || nature.is_action_client
             ? parts_of_action(waitable, context, nature.is_action_server)
             : std::vector<ActionPart>();
  } catch (const std::exception &) {
    return {};  // the waitable's context has ended
  }
}

// rclcpp_action::ServerBase::EntityType::Expired.
constexpr std::size_t kExpiredGoals = 3;
// rclcpp_action::ServerBase::EntityType for a request for a goal.
constexpr std::size_t kGoalRequest = 0;

class WaitableEntity final : public Entity,
                             public ArrivalListener,
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
    in_sets_(settings.asks_waitables),
    give_back_(settings.give_back),
    own_(settings.keeps_own_listeners ? std::make_shared<OwnListener>() : nullptr),
    waits_(in_sets_ && !nature_.needs_data && waits_in_sets(*waitable)),
    of_action_(find_parts(*waitable, *settings.context, nature_)),
    parts_(in_sets_ ? ranked_parts(nature_) : std::vector<int>()),
    lanes_(settings.lanes)
  {
  }

  bool serves(std::string_view service) const noexcept override
  {
    return nature_.is_action_server &&
           has_part([&](const ActionPart & part) { return part.name == service; });
  }
  bool answers(const void * client) const noexcept override
  {
    return nature_.is_action_client &&
           has_part([&](const ActionPart & part) { return part.handle == client; });
  }
  bool is_client() const noexcept override { return nature_.is_action_client; }

  std::shared_ptr<takt_core::Callback> callback() override { return shared_from_this(); }
  takt_host::FunctionMemory function_memory() const override { return memory_of(waitable_.lock()); }
  takt_core::MessageCounts message_counts() const noexcept override
  {
    if (waits_) {
      return {backlog(), 0, depth(), arrivals()};
    }
    auto counts = outstanding_.counts();
    if (!nature_.within_process) {
      counts.overwritten = 0;  // only messages can be overwritten
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
    if (nature_.is_event) {
      listen_to_event(waitable);
      return;
    }
    try {
      set_listener(*waitable);
      if (in_sets_ || nature_.needs_data) {
        // The middleware does not repeat announcements to an earlier listener, so look for waiting
        // data.
        looking_.store(true, std::memory_order_relaxed);
        core_->ready(*this);
      } else {
        hears_from_now();  // only announced parts run, as from the host's own queue
      }
    } catch (const std::exception &) {
      // The waitable does not announce when it is ready, so the waiter asks it.
      end_parts(true);
      waits_ = true;
      wait_for(waitable);
    }
  }
  void announced_before(int part, std::size_t count) override
  {
    if (nature_.is_event && std::exchange(took_early_, false)) {
      --count;
    }
    if (!waits_ && count > 0) {
      announce_part(part, count);
    }
  }
  void silence() noexcept override
  {
    if (waits_) {
      waiter_->remove(this);
      return;
    }
    const auto waitable = waitable_.lock();
    try {
      if (listening_.begun()) {
        listening_.end(waitable != nullptr ? setter(waitable) : Listening::Set());
      } else if (!action_.empty()) {
        end_parts(waitable != nullptr);
      } else if (waitable != nullptr && by_condition()) {
        condition_of(*waitable).set_on_trigger_callback(nullptr);
      } else if (waitable != nullptr) {
        waitable->clear_on_ready_callback();
      }
      if (waitable != nullptr && give_back_ && !nature_.needs_data) {
        for (const auto & left : parts_.take_all()) {
          give_back_(*waitable, left.part, left.count);
        }
      }
    } catch (const std::exception & error) {
      RCLCPP_ERROR(rclcpp::get_logger("takt"), "%s: %s", id().c_str(), error.what());
    }
  }
  // Called when an event arrives; other waitables call the listener of `set_listener`.
  void arrived(std::size_t count) noexcept override
  {
    announce_part(0, count);
    if (own_ != nullptr && !waitable_.expired()) {
      own_->tell(count);
    }
  }

  bool take(const takt_core::Run & run) override
  {
    if (facts.owner->is_over()) {
      return false;
    }
    TakenData taken{waitable_.lock(), nullptr};
    if (taken.waitable == nullptr) {
      return false;
    }
    const auto alone = facts.owner->exclude();
    const takt_core::MiddlewareCeilingScope ceiling;
    if (waits_) {
      if (!found_ready_.exchange(false)) {
        return false;  // the waitable runs once for each time that it was ready
      }
      try {
        taken.data = taken.waitable->take_data();
      } catch (...) {
        waiter_->again(this);
        throw;
      }
    } else if (!(nature_.is_event ? take_event(taken) : take_part(taken))) {
      return false;
    }
    lanes_[run] = std::move(taken);
    return true;
  }

  void leave_out(const takt_core::Run & run) noexcept override
  {
    std::exchange(lanes_[run], {}).data.reset();
    announce_rest();
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
    // The data may go back to the waitable when `taken` is destroyed. `alone` is destroyed after
    // that, so other threads ask the waitable only afterwards.
    const TakenData taken = std::exchange(lanes_[run], {});
    const GoalGate::Run answering(gate_);
    taken.waitable->execute(taken.data);
    if (nature_.is_action_server && !kWaitablesNameTimers) {
      // Drop goals whose results have been kept for long enough. Only a wait set would report such
      // goals. takt drops them after each request, so that they do not pile up.
      if (const auto expired = taken.waitable->take_data_by_entity_id(kExpiredGoals);
          expired != nullptr) {
        taken.waitable->execute(expired);
      }
    }
  }

private:
  /// Listens to one part of an action, besides the program's own function.
  class PartListener : public ArrivalListener, public std::enable_shared_from_this<PartListener>
  {
  public:
    PartListener(const ActionPart & part, WaitableEntity & entity)
    : part_(part),
      entity_(entity.weak_from_this())
    {
    }
    void begin()
    {
      const auto entity = entity_.lock();
      listening_.begin(
        shared_from_this(), part_.set, entity->waitable_.lock(), part_.handle, own_,
        [weak = entity_, part = part_.part] {
          const auto self = weak.lock();
          // While `looking_` is true, the counts may include parts that were taken.
          const bool known = self != nullptr && !self->looking_.load(std::memory_order_relaxed);
          return static_cast<std::size_t>(known ? self->parts_.count(part) : 0);
        });
    }
    /// `there`: the program's action still exists.
    void end(bool there)
    {
      if (listening_.begun()) {
        listening_.end(there ? part_.set : Listening::Set());
      }
    }
    void arrived(std::size_t count) noexcept override
    {
      const auto entity = entity_.lock();
      if (entity == nullptr) {
        return;
      }
      entity->announce_part(part_.part, count);
      if (!entity->waitable_.expired()) {
        own_->tell(count);
      }
    }

  private:
    const ActionPart part_;
    const std::weak_ptr<WaitableEntity> entity_;
    const std::shared_ptr<OwnListener> own_ = std::make_shared<OwnListener>();
    Listening listening_;
  };

  template <typename Is>
  bool has_part(const Is & is) const noexcept
  {
    return std::any_of(of_action_.begin(), of_action_.end(), is);
  }
  // `there`: the program's action still exists.
  void end_parts(bool there)
  {
    for (const auto & one : std::exchange(action_, {})) {
      one->end(there);
    }
  }

  void announce_part(int part, std::size_t count) noexcept
  {
    parts_.add(part, count);
    outstanding_.announced(count);
    announce(*core_, static_cast<std::uint32_t>(count));
  }

  // True if takt listens to the guard condition of messages within the process. In this case takt
  // does not replace the function that rclcpp stores for these messages: it stays the program's, or
  // that of an EventsExecutor.
  bool by_condition() const noexcept { return nature_.within_process && own_ != nullptr; }
  static rclcpp::GuardCondition & condition_of(rclcpp::Waitable & waitable)
  {
    return WithinProcessAccess::condition_of(
      dynamic_cast<rclcpp::experimental::SubscriptionIntraProcessBase &>(waitable));
  }
  void set_listener(rclcpp::Waitable & waitable)
  {
    // A message of a run with logical execution time is announced at the end of the run's period.
    const auto held = std::make_shared<HeldArrivals>(
      [weak = weak_from_this()](std::size_t count) {
        if (const auto self = weak.lock()) {
          self->announce_part(0, count);
        }
      },
      facts.topic, nature_.within_process ? history_depth(qos_of(waitable)) : 0);
    const auto ready = [self = shared_from_this(), held](std::size_t count, int part) {
      if (t_asks == self.get()) {
        return;
      }
      if (self->nature_.within_process) {
        Recorder::note_within_process(self.get(), self->facts.topic.c_str());
        if (held->hold(count)) {
          return;
        }
      }
      self->announce_part(part, count);
    };
    if (own_ != nullptr && !of_action_.empty()) {
      for (const ActionPart & part : of_action_) {
        action_.push_back(std::make_shared<PartListener>(part, *this));
        action_.back()->begin();
      }
      return;
    }
    if (!by_condition()) {
      waitable.set_on_ready_callback(ready);
      return;
    }
    // Ignores triggers for earlier messages; `looking_` finds those that still wait.
    const Asks asks(this);
    condition_of(waitable).set_on_trigger_callback([ready](std::size_t count) { ready(count, 0); });
  }

  static Listening::Set setter(const rclcpp::Waitable::SharedPtr & waitable)
  {
    return [waitable](rcl_event_callback_t callback, const void * data) {
      auto & event = dynamic_cast<rclcpp::EventHandlerBase &>(*waitable);
      return rcl_event_set_callback(&EventAccess::handle_of(event), callback, data);
    };
  }
  // Takes the event's data first, because the middleware forgets it when a listener is set.
  void listen_to_event(const rclcpp::Waitable::SharedPtr & waitable)
  {
    auto & event = dynamic_cast<rclcpp::EventHandlerBase &>(*waitable);
    if (is_ready_now(event, *context_, this, nature_)) {
      early_ = event.take_data();
      took_early_ = early_ != nullptr;
    }
    if (own_ != nullptr) {
      const auto own = EventAccess::own_function(event);
      own_->set(own.callback, own.data);
    }
    listening_.begin(
      shared_from_this(), setter(waitable), waitable, &EventAccess::handle_of(event), own_, {});
    hears_from_now();
    if (took_early_) {
      announce_part(0, 1);
    }
  }
  bool take_event(TakenData & taken)
  {
    if (!parts_.take()) {
      return false;
    }
    std::uint64_t more = 0;
    if (in_sets_) {
      // In a wait set an event is ready once, however often it came.
      for (const auto & one : parts_.take_all()) {
        more += one.count;
      }
    }
    taken.data = early_ != nullptr ? std::exchange(early_, nullptr) : taken.waitable->take_data();
    outstanding_.taken();
    outstanding_.forget(more);
    announce_rest();
    return taken.data != nullptr;
  }
  /// Takes the data of one part. False: there was none.
  bool take_part(TakenData & taken)
  {
    // A host with a queue runs only the announced parts, in the order of the announcements. A host
    // with a wait set runs every part that is ready, also without an announcement: look at the
    // waitable before `parts_`.
    if (in_sets_ && looking_.load(std::memory_order_relaxed) && look(*taken.waitable)) {
      return take_found(taken);
    }
    const auto part = parts_.take();
    if (!part) {
      return !in_sets_ && looking_.load(std::memory_order_relaxed) && look(*taken.waitable) &&
             take_found(taken);
    }
    if (nature_.is_action_server && *part != kGoalRequest) {
      gate_.wait();
    }
    {
      const Asks asks(nature_.within_process ? this : nullptr);
      taken.data = taken.waitable->take_data_by_entity_id(*part);
    }
    if (taken.data == nullptr && nature_.needs_data) {
      outstanding_.found_empty(1);  // a later message overwrote it
      announce_rest();
      return false;
    }
    outstanding_.taken();
    if (looking_.load(std::memory_order_relaxed)) {
      look_on();
    }
    return true;
  }
  bool take_found(TakenData & taken)
  {
    gate_.wait();
    {
      const Asks asks(nature_.within_process ? this : nullptr);
      taken.data = taken.waitable->take_data();
    }
    outstanding_.taken();
    // This part may also have been announced. Drop the announcement, and look again until no part
    // is ready.
    static_cast<void>(parts_.take());
    look_on();
    return taken.data != nullptr || !nature_.needs_data;
  }

  // Lets the waiter's thread announce when the waitable is ready.
  void wait_for(const rclcpp::Waitable::SharedPtr & waitable)
  {
    hears_from_now();
    waiter_->add(waitable, this, [self = shared_from_this()] {
      self->found_ready_.store(true);
      self->announce(*self->core_, 1);
    });
  }
  /// True if the waitable has data now. If it has none, looking ends.
  bool look(rclcpp::Waitable & waitable)
  {
    std::uint64_t announced = 0;
    for (const auto & one :
         nature_.within_process ? parts_.take_all() : std::vector<ReadyParts::Ready>()) {
      announced += one.count;
    }
    if (is_ready_now(waitable, *context_, this, nature_)) {
      parts_.add(0, announced);
      return true;
    }
    // The messages of these announcements were taken by `take_found`, or by the program before its
    // spin.
    outstanding_.forget(announced);
    looking_.store(false, std::memory_order_relaxed);
    hears_from_now();
    return false;
  }
  // Makes the next take look again. A waiting announcement leads to a take anyway.
  void look_on() noexcept
  {
    if (backlog() == 0) {
      core_->ready(*this);
    }
  }
  // Announces parts that did not fit into the ring of announcements.
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
  const bool in_sets_;  // true: the host asks its waitables, with a wait set
  const std::function<void(const rclcpp::Waitable &, int, std::size_t)> give_back_;
  const std::shared_ptr<OwnListener> own_;  // null: only takt listens
  std::atomic<bool> waits_;                 // atomic, because takt's watch reads it
  const std::vector<ActionPart> of_action_;
  std::atomic<bool> found_ready_{false};  // set by the waiter
  std::atomic<bool> looking_{false};
  Listening listening_;  // listens to an event
  // Listeners that keep the program's functions in force.
  std::vector<std::shared_ptr<PartListener>> action_;
  // An event's data from before takt listened. After `listen` only takes use it.
  std::shared_ptr<void> early_;
  bool took_early_ = false;
  Outstanding outstanding_;
  ReadyParts parts_;
  GoalGate gate_;
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
