#include "listen/events_host.hpp"

#include <chrono>

#include "rclcpp/experimental/executors/events_executor/events_executor.hpp"
#include "rclcpp/experimental/executors/events_executor/events_executor_event_types.hpp"
#include "rclcpp/experimental/timers_manager.hpp"
#include "rclcpp/version.h"

namespace takt_rclcpp
{
namespace
{

namespace events = rclcpp::experimental::executors;

// These members are private, so no derived class names them. An explicit instantiation may.
template <typename Tag, auto Member>
struct Reveal
{
  friend auto member_of(Tag) { return Member; }
};
struct Queue
{
  friend auto member_of(Queue);
};
struct Timers
{
  friend auto member_of(Timers);
};
struct OnReady
{
  friend auto member_of(OnReady);
};
template struct Reveal<Queue, &events::EventsExecutor::events_queue_>;
template struct Reveal<Timers, &events::EventsExecutor::timers_manager_>;
template struct Reveal<OnReady, &rclcpp::experimental::TimersManager::on_ready_callback_>;

#if !RCLCPP_VERSION_GTE(29, 0, 0)
struct Collector
{
  friend auto member_of(Collector);
};
struct Collection
{
  friend auto member_of(Collection);
};
struct NotifyWaitable
{
  friend auto member_of(NotifyWaitable);
};
struct NotifyPushed
{
  friend auto member_of(NotifyPushed);
};
struct AddNotifyWaitable
{
  friend auto member_of(AddNotifyWaitable);
};
struct Refresh
{
  friend auto member_of(Refresh);
};
template struct Reveal<Collector, &events::EventsExecutor::entities_collector_>;
template struct Reveal<Collection, &events::EventsExecutor::current_entities_collection_>;
template struct Reveal<NotifyWaitable, &events::EventsExecutor::notify_waitable_>;
template struct Reveal<NotifyPushed, &events::EventsExecutor::notify_waitable_event_pushed_>;
template struct Reveal<
  AddNotifyWaitable, &events::EventsExecutor::add_notify_waitable_to_collection>;
template struct Reveal<
  Refresh, &events::EventsExecutor::refresh_current_collection_from_callback_groups>;
#endif

events::EventsQueue & queue_of(rclcpp::Executor & host)
{
  return *(static_cast<events::EventsExecutor &>(host).*member_of(Queue{}));
}

}  // namespace

bool runs_timers_apart(rclcpp::Executor & host)
{
  const auto & timers = static_cast<events::EventsExecutor &>(host).*member_of(Timers{});
  return !((*timers).*member_of(OnReady{}));
}

std::vector<QueuedPart> take_queued_parts(rclcpp::Executor & host)
{
  std::vector<QueuedPart> parts;
  events::ExecutorEvent event;
  while (queue_of(host).dequeue(event, std::chrono::nanoseconds(0))) {
    if (event.type == events::ExecutorEventType::WAITABLE_EVENT) {
      parts.push_back(
        {static_cast<const rclcpp::Waitable *>(event.entity_key), event.waitable_data,
         event.num_events});
    }
  }
  return parts;
}

void queue_part(rclcpp::Executor & host, const QueuedPart & part)
{
  queue_of(host).enqueue(
    {part.waitable, nullptr, part.part, events::ExecutorEventType::WAITABLE_EVENT, part.count});
}

#if RCLCPP_VERSION_GTE(29, 0, 0)

rclcpp::executors::ExecutorEntitiesCollector * own_collector_of(rclcpp::Executor & /*host*/)
{
  return nullptr;
}

rclcpp::executors::ExecutorNotifyWaitable * own_notify_waitable_of(rclcpp::Executor & /*host*/)
{
  return nullptr;
}

bool listens_again(rclcpp::Executor & /*host*/)
{
  return false;
}

#else

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
  auto * const own = dynamic_cast<events::EventsExecutor *>(&host);
  if (own == nullptr) {
    return false;
  }
  // It listens to entities that are new to its collection; so all are to be new, but for the one of its constructor.
  auto & collection = *(own->*member_of(Collection{}));
  collection.clear();
  (own->*member_of(AddNotifyWaitable{}))(collection.waitables);
  // As its constructor: one event for all changes that nobody has looked at.
  auto * const notify = (own->*member_of(NotifyWaitable{})).get();
  notify->set_on_ready_callback([own, notify](std::size_t, int data) {
    if (!(own->*member_of(NotifyPushed{})).exchange(true)) {
      queue_of(*own).enqueue({notify, nullptr, data, events::ExecutorEventType::WAITABLE_EVENT, 1});
    }
  });
  (own->*member_of(NotifyPushed{})).store(true);
  (own->*member_of(Refresh{}))();
  return true;
}

#endif

}  // namespace takt_rclcpp
