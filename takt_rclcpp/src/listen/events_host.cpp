#include "listen/events_host.hpp"

#include <chrono>

#include "rclcpp/experimental/executors/events_executor/events_executor.hpp"
#include "rclcpp/experimental/executors/events_executor/events_executor_event_types.hpp"
#include "rclcpp/experimental/timers_manager.hpp"
#include "rclcpp_api/reveal.hpp"

namespace takt_rclcpp
{
namespace
{

namespace events = rclcpp::experimental::executors;

struct Queue : Revealed<Queue>
{
};
struct Timers : Revealed<Timers>
{
};
struct OnReady : Revealed<OnReady>
{
};

}  // namespace

template struct Reveal<Queue, &events::EventsExecutor::events_queue_>;
template struct Reveal<Timers, &events::EventsExecutor::timers_manager_>;
template struct Reveal<OnReady, &rclcpp::experimental::TimersManager::on_ready_callback_>;

namespace
{

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

}  // namespace takt_rclcpp
