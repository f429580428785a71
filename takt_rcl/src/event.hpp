// Events of a publisher or a subscription as callbacks of the executor.
#ifndef EVENT_HPP_
#define EVENT_HPP_

#include <rcl/event.h>
#include <rcutils/error_handling.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "takt_core/adapter/announced_callback.hpp"
#include "takt_core/adapter/hold.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rcl/entity.hpp"
#include "takt_rcl/event_callbacks.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/small_thread.hpp"

namespace takt_rcl
{

/// One event of rcl.
struct EventSource
{
  explicit EventSource(std::shared_ptr<const void> o) : owner(std::move(o)) {}
  ~EventSource();
  EventSource(const EventSource &) = delete;
  EventSource & operator=(const EventSource &) = delete;

  /// Set-up only. After a call without a listener none runs. Returns false if rcl refuses.
  bool listen(rcl_event_callback_t listener, const void * data) noexcept;

  const std::shared_ptr<const void> owner;  // keeps the publisher or subscription in the middleware
  rcl_event_t rcl = rcl_get_zero_initialized_event();
  // Serialises the event's takes, also against a run in another executor that has not ended.
  takt_rt::PiMutex take_mutex;
  std::atomic<bool> announced{false};  // since the last take
  // An event may have come since the user of `Events::follow` set it to false.
  std::atomic<bool> happened{true};
};

/// Null: the middleware does not report such events. Throws `Error` if rcl refuses for another
/// reason.
std::shared_ptr<EventSource> open_event(
  const std::shared_ptr<rcl_publisher_t> & publisher, rcl_publisher_event_type_t type);
/// As above.
std::shared_ptr<EventSource> open_event(
  const std::shared_ptr<rcl_subscription_t> & subscription, rcl_subscription_event_type_t type);

// Sets the changes of a taken status: its totals less those of `last`, which then is the status.
// Returns whether the status changed. A middleware's own changes are of no use: Fast DDS sets them
// to zero when it calls a new listener. Totals that are less than the last ones are those of a new
// reader.
template <typename Status>
bool note_changes(Status & status, Status & last) noexcept
{
  if (status.total_count < last.total_count) {
    last = Status{};
  }
  status.total_count_change = status.total_count - last.total_count;
  last = status;
  return status.total_count_change != 0;
}
bool note_changes(QOSLivelinessChangedInfo & status, QOSLivelinessChangedInfo & last) noexcept;
bool note_changes(MatchedInfo & status, MatchedInfo & last) noexcept;

// The status of a reader that replaced the one of `last`: the totals of a new reader begin at 0.
// The numbers of present publishers (alive or matched) continue, so that the changes still add up
// to them.
template <typename Status>
void count_anew(Status & last) noexcept
{
  last = Status{};
}
inline void count_anew(QOSLivelinessChangedInfo &) noexcept
{
}
inline void count_anew(MatchedInfo & last) noexcept
{
  last.total_count = 0;
}

/// An event of any type. Its publisher or subscription owns it.
class QosEventBase : public Entity
{
public:
  /// Ends the event as ~Entity does. Idempotent.
  void end() noexcept;

  EventSource & source() const noexcept { return *source_; }
  /// Sets the middleware's listener, also again after the middleware replaced its reader. False:
  /// rcl refuses.
  bool listen() noexcept { return source_->listen(&QosEventBase::on_event, this); }
  /// The middleware replaced its reader. With the source's mutex of takes held.
  virtual void reader_replaced() noexcept = 0;

protected:
  QosEventBase(
    std::shared_ptr<NodeState> node, const EntityOptions & options,
    std::shared_ptr<EventSource> source);

private:
  static void on_event(const void * self, std::size_t count);

  const std::shared_ptr<EventSource> source_;
};

/// An event with a status.
template <typename Status>
class QosEvent final : public QosEventBase
{
public:
  using Function = std::function<void(Status &)>;

  QosEvent(
    std::shared_ptr<NodeState> node, const EntityOptions & options,
    std::shared_ptr<EventSource> source, Function function)
  : QosEventBase(std::move(node), options, source),
    work_(std::make_shared<Work>(std::move(source), std::move(function)))
  {
  }
  ~QosEvent() override { end(); }
  void reader_replaced() noexcept override { count_anew(work_->last); }

private:
  // The resources of a run in progress: outlive the handle.
  struct Work
  {
    Work(std::shared_ptr<EventSource> s, Function f) : source(std::move(s)), function(std::move(f))
    {
    }
    const std::shared_ptr<EventSource> source;
    const Function function;
    Status last{};  // guarded by the source's mutex of takes
  };

  class Run final : public takt_core::adapter::AnnouncedCallback
  {
  public:
    Run(takt_core::CallbackOptions options, std::shared_ptr<Work> work, std::uint32_t lanes)
    : AnnouncedCallback(std::move(options)),
      work_(std::move(work)),
      statuses_(lanes)
    {
    }

    bool take(const takt_core::Run & run) override
    {
      if (!begin(work_)) {
        return false;
      }
      typename takt_core::adapter::Hold<Work>::Releasing releasing(work_);
      EventSource & source = *work_->source;
      Status & status = statuses_[lane(run)];
      // Outside of the lock, so that a waiting thread is at the ceiling too.
      const takt_core::MiddlewareCeilingScope ceiling;
      const std::lock_guard lock(source.take_mutex);
      source.announced.store(false);  // before the take, which may miss a later event
      if (rcl_take_event(&source.rcl, &status) != RCL_RET_OK) {
        rcutils_reset_error();
        return false;
      }
      if (!note_changes(status, work_->last)) {
        return false;  // an earlier run got this event
      }
      releasing.keep();
      return true;
    }

    void run(const takt_core::Run & run) override
    {
      const typename takt_core::adapter::Hold<Work>::Releasing releasing(work_);
      work_->function(statuses_[lane(run)]);
    }

    void close() noexcept { work_.release(); }

  private:
    std::uint32_t lane(const takt_core::Run & run) const noexcept
    {
      return statuses_.size() == 1 ? 0 : run.lane;
    }

    takt_core::adapter::Hold<Work> work_;
    std::vector<Status> statuses_;  // one per lane
  };

  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings &) override
  {
    const std::uint32_t lanes = engine.core().lanes(*options.group);
    return std::make_shared<Run>(std::move(options), work_, lanes);
  }
  void removed(takt_core::Callback & callback) noexcept override
  {
    static_cast<Run &>(callback).close();
  }

  const std::shared_ptr<Work> work_;
};

/// Logs the first peer with an incompatible quality of service: one warning, as rclcpp does where
/// no callback is set. Logging blocks, and an executor's threads may be real-time: the warning has
/// a thread of its own, which is started when it is needed.
class IncompatibleQosWarning
{
public:
  /// `owner` and `peer` for the text: "the publisher on '/x'", "a subscription". `source`: reports
  /// rmw_qos_incompatible_event_status_t. Set-up only. Throws `Error` if rcl refuses.
  IncompatibleQosWarning(
    std::string logger, std::string owner, std::string peer, std::shared_ptr<EventSource> source);
  /// Waits for the end of a warning. May block.
  ~IncompatibleQosWarning();
  IncompatibleQosWarning(const IncompatibleQosWarning &) = delete;
  IncompatibleQosWarning & operator=(const IncompatibleQosWarning &) = delete;

  EventSource & source() const noexcept { return *source_; }
  /// As QosEventBase::listen.
  bool listen() noexcept { return source_->listen(&IncompatibleQosWarning::on_event, this); }

private:
  static void on_event(const void * self, std::size_t count);
  void warn() const;

  const std::string logger_;
  const std::string owner_;
  const std::string peer_;
  const std::shared_ptr<EventSource> source_;
  std::unique_ptr<takt_rt::SmallThread> thread_;
};

/// The events of one publisher or subscription.
class Events
{
public:
  /// `owner` for messages: "/n: the publisher on '/x'".
  Events(std::shared_ptr<NodeState> node, EntityOptions options, std::string owner);
  /// Ends all events as ~Entity does.
  ~Events();
  Events(const Events &) = delete;
  Events & operator=(const Events &) = delete;

  /// Adds the event to the node, unless `function` is empty: then returns null. `name` of the
  /// function in the options. Set-up only. Throws UnsupportedEventTypeException.
  template <typename Handle, typename Type, typename Status>
  std::shared_ptr<EventSource> add(
    const std::shared_ptr<Handle> & handle, Type type, const char * name,
    const std::function<void(Status &)> & function)
  {
    if (function == nullptr) {
      return nullptr;
    }
    auto source = supported(open_event(handle, type), name);
    adopt(std::make_shared<QosEvent<Status>>(node_, options_, source, function));
    return source;
  }
  /// Sets `happened` of the returned source with each event, for a type that was not added. Null:
  /// the middleware does not report such events, or calls no function for them. Set-up only. Throws
  /// `Error`.
  template <typename Handle, typename Type>
  std::shared_ptr<EventSource> follow(const std::shared_ptr<Handle> & handle, Type type)
  {
    return follow(open_event(handle, type));
  }
  /// Warns of incompatible peers if the middleware reports them. Set-up only. Throws `Error`.
  template <typename Handle, typename Type>
  void warn(const std::shared_ptr<Handle> & handle, Type type, const char * peer)
  {
    warn(open_event(handle, type), peer);
  }
  /// Calls `change` while no event is taken, and listens again. `change` returns whether it
  /// replaced the middleware's reader. False: rcl refuses a listener. May block.
  bool change_reader(const std::function<bool()> & change);

private:
  std::shared_ptr<EventSource> supported(std::shared_ptr<EventSource> source, const char * name);
  void adopt(std::shared_ptr<QosEventBase> event);
  void warn(std::shared_ptr<EventSource> source, const char * peer);
  std::shared_ptr<EventSource> follow(std::shared_ptr<EventSource> source);

  const std::shared_ptr<NodeState> node_;
  const EntityOptions options_;
  const std::string owner_;
  std::vector<std::shared_ptr<QosEventBase>> events_;
  std::unique_ptr<IncompatibleQosWarning> warning_;
  std::shared_ptr<EventSource> followed_;
};

}  // namespace takt_rcl

#endif  // EVENT_HPP_
