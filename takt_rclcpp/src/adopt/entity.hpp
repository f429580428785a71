// One entity of an adopted executor (a subscription, service, client, timer or waitable of rclcpp)
// as a callback of takt's executor.
//
// The program owns rclcpp's object and may destroy it at any time. So each `Entity` holds the
// object weakly, locks it for a run, and does nothing if it is gone. The middleware's calls hold
// only takt's callback, so they may come during and after the object's destruction (see
// arrivals.hpp).
#ifndef ADOPT__ENTITY_HPP_
#define ADOPT__ENTITY_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rcl/event_callback.h>

#include "adopt/arrivals.hpp"
#include "adopt/function_memory.hpp"
#include "adopt/observe/release_spans.hpp"
#include "listen/outstanding.hpp"
#include "listen/own_listeners.hpp"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/client.hpp"
#include "rclcpp/detail/cpp_callback_trampoline.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/waitable.hpp"
#include "takt_core/executor.hpp"
#include "takt_host/audited_function.hpp"
#include "takt_host/source_callback.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rclcpp
{

class ClockWaiter;

/// Lives while a callback of an adoption runs. Counts the run, and holds the lock of
/// `ClockWaiter::exclude`.
class RunScope
{
public:
  RunScope(std::atomic<int> & running, std::unique_lock<takt_rt::PiMutex> alone) noexcept
  : running_(running),
    alone_(std::move(alone))
  {
    running_.fetch_add(1);
  }
  ~RunScope() { running_.fetch_sub(1); }
  RunScope(const RunScope &) = delete;
  RunScope & operator=(const RunScope &) = delete;

private:
  std::atomic<int> & running_;
  const std::unique_lock<takt_rt::PiMutex> alone_;
};

/// The adoption that an entity belongs to.
class RunOwner
{
public:
  virtual ~RunOwner() = default;
  /// A callback threw `exception`. Called on the thread that ran the callback.
  virtual void failed(const std::exception_ptr & exception) noexcept = 0;
  /// Call it before code of a callback runs, and keep the result until this code has returned.
  virtual RunScope exclude() = 0;
  /// True when the host's spin is over. Then no callback of the host begins and no message is
  /// taken, although shared threads may run callbacks of other hosts. Any thread; real-time safe.
  virtual bool is_over() const noexcept = 0;
};

/// The facts about an entity that a report gives besides its figures.
struct EntityFacts
{
  RunOwner * owner = nullptr;
  std::string topic;            ///< of a subscription, also if its messages come within the process
  takt_rt::Duration period{};   ///< of a timer
  bool has_offset = false;      ///< a rule of the schedule gives the timer an offset
  std::int64_t depth = 0;       ///< messages that the history holds; -1: unbounded; 0: no history
  bool within_process = false;  ///< the entity's messages come without the middleware
  bool exclusive_group = true;
  bool follows_group = false;         ///< rclcpp made the entity, not the program (see EntityName)
  takt_core::ThreadMask only_on = 0;  ///< the threads that may run it; 0: those of the schedule
};

class Entity : public takt_host::AuditedFunction
{
public:
  Entity() = default;
  ~Entity() override = default;
  Entity(const Entity &) = delete;
  Entity & operator=(const Entity &) = delete;

  /// Set it before adding the entity.
  EntityFacts facts;
  /// The times between arrivals. Set it before adding the entity, if they are wanted and if the
  /// messages come through the middleware. Null: they are not measured.
  std::unique_ptr<ArrivalSpans> arrival_spans;

  virtual std::shared_ptr<takt_core::Callback> callback() = 0;
  /// The entity announces arrivals from this call on. Call it after the callback was added. Set-up
  /// only; throws rclcpp's exceptions.
  virtual void listen() = 0;
  /// Makes a timer with an offset of the schedule due at takt_core::first_release from `epoch`, and
  /// then once in each period. Does nothing for other entities. Set-up only.
  virtual void begin_from(takt_rt::Time /*epoch*/) {}
  /// Ends the announcements. Set-up only.
  virtual void silence() noexcept = 0;
  /// Tells a waitable that the host's queue held `count` announcements of `part` when the spin
  /// began. Call it after `listen`; set-up only.
  virtual void announced_before(int /*part*/, std::size_t /*count*/) {}
  /// True if the entity's runs serve requests to the service of this name. Any thread.
  virtual bool serves(std::string_view /*service*/) const noexcept { return false; }
  /// True if the entity's runs bring the program the answers to requests of `client`, an
  /// rcl_client_t. Any thread.
  virtual bool answers(const void * /*client*/) const noexcept { return false; }
  /// True if the program can send requests with this entity.
  virtual bool is_client() const noexcept { return false; }
  /// True while the callback runs. Any thread.
  bool runs_now() const noexcept { return runs_.load() > 0; }
  /// True if the callback runs and only its runs hold the program's object. Any thread.
  bool is_given_up() const noexcept
  {
    const long runs = runs_.load();
    return runs > 0 && holders() <= runs;
  }
  /// The time at which the entity began to listen. A run that was released later has the arrival
  /// time of its message as its release. The middleware announced all earlier messages at once, so
  /// their releases are not arrivals. kNever: the entity does not listen yet. Any thread; real-time
  /// safe.
  takt_rt::Time heard_from() const noexcept { return heard_from_.load(std::memory_order_relaxed); }
  /// Serialized size in bytes of the largest measured message; 0: none was measured. Any thread;
  /// real-time safe.
  std::uint64_t largest_message() const noexcept
  {
    return largest_message_.load(std::memory_order_relaxed);
  }

protected:
  void has_message_of(std::uint64_t bytes) noexcept
  {
    // Takes of one callback run one after the other, so `largest_message_` needs no exchange.
    largest_message_.store(std::max(largest_message(), bytes), std::memory_order_relaxed);
  }
  /// Lives while a run holds the program's object. Destroy it after the run's own pointer to the
  /// object.
  class Holds
  {
  public:
    explicit Holds(Entity & entity) noexcept : entity_(entity) { entity_.runs_.fetch_add(1); }
    ~Holds() { entity_.runs_.fetch_sub(1); }
    Holds(const Holds &) = delete;
    Holds & operator=(const Holds &) = delete;

  private:
    Entity & entity_;
  };
  /// The number of shared pointers to the program's object. By default it is larger than any number
  /// of runs, so that the object is never given up.
  virtual long holders() const noexcept { return std::numeric_limits<long>::max(); }
  void hears_from_now() noexcept { heard_from_.store(takt_rt::now(), std::memory_order_relaxed); }

private:
  std::atomic<takt_rt::Time> heard_from_{takt_rt::kNever};
  std::atomic<std::uint64_t> largest_message_{0};
  std::atomic<long> runs_{0};
};

/// Whether a host's timers run beside all its other callbacks, including those of their group.
enum class TimersApart
{
  no,
  in_groups,   ///< the timers have groups of their own; the schedule chooses their threads
  on_threads,  ///< first thread of the executor: all other callbacks; second: the timers
};
constexpr takt_core::ThreadMask kThreadOfTheRest = 1;
constexpr takt_core::ThreadMask kTimersThread = 2;

/// The settings that all entities of one adoption share.
struct EntitySettings
{
  std::shared_ptr<takt_core::Executor> core;
  std::shared_ptr<rclcpp::Context> context;
  /// For entities that do not announce when they are ready.
  std::shared_ptr<ClockWaiter> waiter;
  RunOwner * owner = nullptr;
  bool measure_messages = false;
  TimersApart timers_apart = TimersApart::no;
  /// True if the host asks waitables whether they are ready. Then takt asks them, too, because a
  /// user's waitable may not call its on-ready callback.
  bool asks_waitables = false;
  /// True: while takt listens, arrivals still call the function that the program sets. False under
  /// an EventsExecutor: there an arrival calls the function that was set last, the executor's or
  /// the program's.
  bool keeps_own_listeners = false;
  /// Returns announcements to the host's queue if a waitable did not run for them. Empty: the host
  /// has no queue.
  std::function<void(const rclcpp::Waitable &, int part, std::size_t count)> give_back{};
  std::uint32_t lanes = 1;     ///< concurrent runs of one callback
  bool whole_history = false;  ///< see arrival_depth
  /// True if a rule counts or dates waiting messages. Then each announcement must belong to a
  /// message.
  bool waits = false;
  /// Returns true if a rule of the schedule needs all waiting arrivals of the callback.
  std::function<bool(const takt_core::CallbackOptions &)> needs_whole_history{};
};

std::shared_ptr<Entity> make_entity(
  const rclcpp::SubscriptionBase::SharedPtr & subscription, takt_core::CallbackOptions options,
  const EntitySettings & settings);
std::shared_ptr<Entity> make_entity(
  const rclcpp::ServiceBase::SharedPtr & service, takt_core::CallbackOptions options,
  const EntitySettings & settings);
std::shared_ptr<Entity> make_entity(
  const rclcpp::ClientBase::SharedPtr & client, takt_core::CallbackOptions options,
  const EntitySettings & settings);
std::shared_ptr<Entity> make_entity(
  const rclcpp::Waitable::SharedPtr & waitable, takt_core::CallbackOptions options,
  const EntitySettings & settings);
std::shared_ptr<Entity> make_entity(
  const rclcpp::TimerBase::SharedPtr & timer, takt_core::CallbackOptions options,
  const EntitySettings & settings, std::optional<takt_rt::Duration> offset);

/// True if messages carry publication sequence numbers, so that lost ones can be counted.
bool publication_sequence_supported();

/// The number of messages that a history of this quality of service holds, or
/// `MessageCounts::kKeepsAll`.
std::uint32_t history_depth(const rclcpp::QoS & qos);

/// The number of arrivals that takt stores with times and activations for such a history. If the
/// history is deeper, takt only counts the older arrivals. `whole`: a chain, deadline, boost or
/// alarm of the callback needs the arrivals of the whole history.
std::uint32_t arrival_depth(const rclcpp::QoS & qos, bool whole = false);

/// Stores the taken data from the take until the run: one place for each concurrent run.
template <typename Taken>
class Lanes
{
public:
  explicit Lanes(std::uint32_t count) : taken_(count) {}
  Taken & operator[](const takt_core::Run & run) noexcept
  {
    return taken_.size() == 1 ? taken_.front() : taken_[run.lane];
  }

private:
  std::vector<Taken> taken_;
};

/// Returns the function that an object of rclcpp stores, in the form that the middleware calls.
/// `mutex` belongs to the object and guards the function.
template <typename Function>
OwnListener::Function kept_function(Function & function, std::recursive_mutex & mutex)
{
  const std::lock_guard lock(mutex);
  if (!function) {
    return {};
  }
  return {rclcpp::detail::cpp_callback_trampoline<Function, const void *, std::size_t>, &function};
}

/// Listens to one object of rclcpp by rcl's functions, and keeps the program's own function in
/// force. Set-up only.
class Listening
{
public:
  /// Calls rcl's setter of one object with a function and its data.
  using Set = std::function<rcl_ret_t(rcl_event_callback_t, const void *)>;
  /// `set` sets a function for `handle`. `own` has the program's function; null: takt does not keep
  /// it in force. `waiting` returns the number of arrivals of which a new function would be told.
  /// Throws rclcpp's exceptions.
  void begin(
    std::shared_ptr<ArrivalListener> listener, const Set & set,
    const std::shared_ptr<void> & object, const void * handle,
    const std::shared_ptr<OwnListener> & own, std::function<std::size_t()> waiting)
  {
    number_ = register_listener(std::move(listener));
    if (own != nullptr) {
      own_ = own;
      to_ = std::make_unique<ListeningTo>(object, handle, own, std::move(waiting));
    }
    const TaktSets takt_sets;
    check(set(tell_of_arrival, number_));
  }
  bool begun() const noexcept { return number_ != nullptr; }
  /// Gives the program's function back to rcl. `set`: empty if the object is gone. Throws rclcpp's
  /// exceptions.
  void end(const Set & set)
  {
    const auto own = own_ != nullptr ? own_->function() : OwnListener::Function{};
    const TaktSets takt_sets;
    const rcl_ret_t result = set ? set(own.callback, own.data) : RCL_RET_OK;
    // Forget takt's listener only now: until rcl had the program's function, arrivals reached the
    // program through this listener.
    forget_listener(std::exchange(number_, nullptr));
    to_.reset();
    // The program may have set another function in the meantime.
    if (const auto now = own_ != nullptr ? own_->function() : own; set && !(now == own)) {
      check(set(now.callback, now.data));
    }
    check(result);
  }

private:
  static void check(rcl_ret_t result)
  {
    if (result != RCL_RET_OK) {
      rclcpp::exceptions::throw_from_rcl_error(result, "takt cannot set what an arrival calls");
    }
  }

  const void * number_ = nullptr;  // the number of the listener
  std::shared_ptr<OwnListener> own_;
  std::unique_ptr<ListeningTo> to_;
};

/// The common part of subscriptions, services and clients. `Object` is rclcpp's class. `account`:
/// options of the account of this object's messages.
template <typename Object>
class ListeningEntity : public Entity,
                        public ArrivalListener,
                        public takt_host::SourceCallback<ListeningEntity<Object>>,
                        public std::enable_shared_from_this<ListeningEntity<Object>>
{
  using Source = takt_host::SourceCallback<ListeningEntity<Object>>;

public:
  ListeningEntity(
    const std::shared_ptr<Object> & object, takt_core::CallbackOptions options,
    const EntitySettings & settings, takt_host::MessageAccountOptions account = {})
  : Source(std::move(options), *settings.core, options.depth, std::move(account)),
    object_(object),
    core_(settings.core),
    waits_(settings.waits),
    own_(settings.keeps_own_listeners ? std::make_shared<OwnListener>() : nullptr)
  {
    if (settings.measure_messages) {
      arrival_spans = std::make_unique<ArrivalSpans>();
    }
  }

  std::shared_ptr<takt_core::Callback> callback() override { return this->shared_from_this(); }
  takt_host::FunctionMemory function_memory() const override { return memory_of(lock()); }
  takt_core::MessageCounts counted() const noexcept { return outstanding_.counts(); }

  void listen() final
  {
    if (const auto object = lock(); object != nullptr) {
      outstanding_.set_history(history_depth(qos_of(*object)));
      if (own_ != nullptr) {
        const auto own = own_function(*object);
        own_->set(own.callback, own.data);
      }
      listening_.begin(
        this->shared_from_this(), setter(object), object, handle_of(*object), own_,
        [weak = this->weak_from_this()] {
          const auto self = weak.lock();
          return static_cast<std::size_t>(self != nullptr ? self->outstanding_.count() : 0);
        });
      if (waits_) {
        this->hears_from_now();
      } else {
        look_for_waiting(arrival_depth(qos_of(*object)));
      }
    }
  }
  void silence() noexcept final
  {
    if (!listening_.begun()) {
      return;
    }
    const auto object = lock();
    try {
      listening_.end(object != nullptr ? setter(object) : Listening::Set());
    } catch (const std::exception & error) {
      RCLCPP_ERROR(rclcpp::get_logger("takt"), "%s: %s", this->id().c_str(), error.what());
    }
  }
  void arrived(std::size_t count) noexcept final
  {
    outstanding_.announced(count);
    if (arrival_spans != nullptr && this->heard_from() != takt_rt::kNever) {
      arrival_spans->add(count, takt_rt::now());
    }
    this->arrive(static_cast<std::uint32_t>(count));
    if (own_ != nullptr && !object_.expired()) {
      own_->tell(count);
    }
  }

  takt_host::Took take_message(takt_host::Taking & taking)
  {
    if (facts.owner->is_over()) {
      return Took::nothing;
    }
    const Outstanding::Before before = outstanding_.take_begins();
    const Took took = take_one(taking);
    const bool looking = to_look_.load(std::memory_order_relaxed) > 0;
    if (took == Took::nothing && (looking || object_.expired())) {
      // The history overwrote no message. While takt looks for waiting messages, an announcement
      // may be of a message that an earlier take found. And if the entity is destroyed, its
      // messages are gone.
      outstanding_.take_ends_for_good(before);
      looked(true);
    } else if (took == Took::nothing) {
      outstanding_.take_ends_empty(before);
    } else {
      outstanding_.take_ends(looking);
      if (looking) {
        looked(false);
      }
    }
    const bool more = outstanding_.count() > 0 || to_look_.load(std::memory_order_relaxed) > 0;
    if (this->backlog() == 0 && more) {
      core_->ready(*this);
    }
    return took;
  }

protected:
  using Took = takt_host::Took;
  /// Makes rcl call `callback` from now on.
  virtual rcl_ret_t set_listener(
    Object & object, rcl_event_callback_t callback, const void * data) = 0;
  virtual const void * handle_of(const Object & object) const = 0;
  /// The program's function, which rclcpp's object stores.
  virtual OwnListener::Function own_function(Object & object) const = 0;
  virtual rclcpp::QoS qos_of(const Object & object) const = 0;
  /// See `takt_host::Source::take_message`.
  virtual Took take_one(takt_host::Taking & taking) = 0;
  std::shared_ptr<Object> lock() const noexcept { return object_.lock(); }
  long holders() const noexcept final { return object_.use_count(); }

private:
  Listening::Set setter(const std::shared_ptr<Object> & object)
  {
    return [this, object](rcl_event_callback_t callback, const void * data) {
      return set_listener(*object, callback, data);
    };
  }
  /// Makes takes go on until one finds no message, or until they have found as many as the history
  /// holds. The middleware does not announce these messages again if it announced them to an
  /// earlier listener (of an earlier spin, or of an EventsExecutor from `add_node` on). Call it
  /// after the listener is set.
  void look_for_waiting(std::uint32_t depth) noexcept
  {
    to_look_.store(depth + 1, std::memory_order_relaxed);
    core_->ready(*this);
  }
  void looked(bool found_none) noexcept
  {
    // Takes of one callback run one after the other, and after `listen` only they change
    // `to_look_`.
    const std::uint32_t left = to_look_.load(std::memory_order_relaxed) - 1;
    to_look_.store(found_none ? 0 : left, std::memory_order_relaxed);
    if (found_none || left == 0) {
      this->hears_from_now();
    }
  }

  Outstanding outstanding_;
  std::atomic<std::uint32_t> to_look_{0};
  Listening listening_;
  const std::weak_ptr<Object> object_;
  const std::shared_ptr<takt_core::Executor> core_;
  const bool waits_;                        // see EntitySettings
  const std::shared_ptr<OwnListener> own_;  // null: only takt listens
};

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITY_HPP_
