// rclcpp 28, of Jazzy: an EventsExecutor has a collector and a notifying waitable of its own.
#include "rclcpp_api/rclcpp_api.hpp"

#include "rclcpp/experimental/executors/events_executor/events_executor.hpp"
#include "rclcpp/experimental/executors/events_executor/events_executor_event_types.hpp"
#include "rclcpp_api/reveal.hpp"

namespace takt_rclcpp
{
namespace
{

namespace events = rclcpp::experimental::executors;

struct Collector : Revealed<Collector>
{
};
struct Collection : Revealed<Collection>
{
};
struct NotifyWaitable : Revealed<NotifyWaitable>
{
};
struct NotifyPushed : Revealed<NotifyPushed>
{
};
struct AddNotifyWaitable : Revealed<AddNotifyWaitable>
{
};
struct Refresh : Revealed<Refresh>
{
};
struct WaitingEvents : Revealed<WaitingEvents>
{
};

}  // namespace

template struct Reveal<Collector, &events::EventsExecutor::entities_collector_>;
template struct Reveal<Collection, &events::EventsExecutor::current_entities_collection_>;
template struct Reveal<NotifyWaitable, &events::EventsExecutor::notify_waitable_>;
template struct Reveal<NotifyPushed, &events::EventsExecutor::notify_waitable_event_pushed_>;
template struct Reveal<
  AddNotifyWaitable, &events::EventsExecutor::add_notify_waitable_to_collection>;
template struct Reveal<
  Refresh, &events::EventsExecutor::refresh_current_collection_from_callback_groups>;
template struct Reveal<WaitingEvents, &events::EventsExecutor::events_queue_>;

namespace api
{

rclcpp::executors::ExecutorEntitiesCollector * own_collector_of(rclcpp::Executor & host)
{
  auto * const own = dynamic_cast<events::EventsExecutor *>(&host);
  return own == nullptr ? nullptr : (own->*member_of(Collector{})).get();
}

rclcpp::executors::ExecutorNotifyWaitable * own_notify_waitable_of(rclcpp::Executor & host)
{
  auto * const own = dynamic_cast<events::EventsExecutor *>(&host);
  return own == nullptr ? nullptr : (own->*member_of(NotifyWaitable{})).get();
}

bool listens_again(rclcpp::Executor & host)
{
  auto * const own = static_cast<events::EventsExecutor *>(&host);
  // The host listens to entities that are not in its collection. So empty the collection, except
  // for the waitable that its constructor adds.
  auto & collection = *(own->*member_of(Collection{}));
  collection.clear();
  (own->*member_of(AddNotifyWaitable{}))(collection.waitables);
  // As the constructor of EventsExecutor does: enqueue one event for all changes since the executor
  // handled the last such event.
  auto * const notify = (own->*member_of(NotifyWaitable{})).get();
  notify->set_on_ready_callback([own, notify](std::size_t, int data) {
    if (!(own->*member_of(NotifyPushed{})).exchange(true)) {
      (own->*member_of(WaitingEvents{}))
        ->enqueue({notify, nullptr, data, events::ExecutorEventType::WAITABLE_EVENT, 1});
    }
  });
  (own->*member_of(NotifyPushed{})).store(true);
  (own->*member_of(Refresh{}))();
  return true;
}

NextCall next_call_of(const rcl_timer_t & timer) noexcept
{
  NextCall next;
  const takt_rt::Time before = takt_rt::now();
  next.result = rcl_timer_get_time_until_next_call(&timer, &next.left);
  // rcl read its clock between `before` and now. The middle of the two times is the best estimate.
  next.read = before + (takt_rt::now() - before) / 2;
  return next;
}

}  // namespace api

}  // namespace takt_rclcpp
