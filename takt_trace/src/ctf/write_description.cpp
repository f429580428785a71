#include "process_stream.hpp"

#include <initializer_list>

#include "texts.hpp"

namespace takt_trace::detail
{
namespace
{

/// The version of ros2_tracing with these events and fields.
constexpr const char * kTracetools = "8.4.0";
/// CARET chooses the events of a distribution by the first letter of its name. From this one on an
/// executor has a collector of entities, and the events need no fork of rclcpp.
constexpr const char * kDistribution = "jazzy";
/// A trace does not have the depths of histories.
constexpr int kUnknownDepth = 0;

class DescriptionWriter
{
public:
  DescriptionWriter(const DescribedProcess & process, StreamWriter & stream)
  : process_(process),
    stream_(stream)
  {
  }

  void write()
  {
    // CARET ignores events of a process before this one. It takes times of its own events as
    // CLOCK_MONOTONIC.
    write(Event::caret_init, {process_.began, kDistribution});
    write(Event::rcl_init, {process_.context, kTracetools});
    for (const auto & [name, node] : process_.nodes) {
      write(Event::rcl_node_init, {node.handle, node.rmw, node.name, node.space});
    }
    for (const CtfPublisher & one : process_.publishers) {
      write(Event::rmw_publisher_init, {one.rmw, one.gid});
      write(Event::rcl_publisher_init, {one.handle, one.node, one.rmw, one.topic, kUnknownDepth});
    }
    for (const auto & [index, callback] : process_.callbacks) {
      write_callback(callback);
    }
    write_executors();
    write_own();
  }

private:
  void write(Event event, std::initializer_list<Value> values)
  {
    stream_.write(event, process_.began, values);
  }

  void write_callback(const CtfCallback & one)
  {
    switch (one.kind) {
      case CallbackKind::timer:
        write(Event::rcl_timer_init, {one.handle, one.period});
        add_lanes(Event::rclcpp_timer_callback_added, one.handle, one);
        write(Event::rclcpp_timer_link_node, {one.handle, one.node});
        break;
      case CallbackKind::subscription:
        write(Event::rmw_subscription_init, {one.rmw, one.rmw});
        write(
          Event::rcl_subscription_init,
          {one.handle, one.node, one.rmw, one.subject, kUnknownDepth});
        write(Event::rclcpp_subscription_init, {one.handle, one.object});
        add_lanes(Event::rclcpp_subscription_callback_added, one.object, one);
        break;
      case CallbackKind::service:
        write(Event::rcl_service_init, {one.handle, one.node, one.rmw, one.subject});
        add_lanes(Event::rclcpp_service_callback_added, one.handle, one);
        break;
      case CallbackKind::client:
        write(Event::rcl_client_init, {one.handle, one.node, one.rmw, one.subject});
        break;
      case CallbackKind::other:
        break;
    }
  }

  void add_lanes(Event event, std::uint64_t owner, const CtfCallback & callback)
  {
    for (const std::uint64_t lane : callback.lanes) {
      write(event, {owner, lane});
      write(Event::rclcpp_callback_register, {lane, callback.id});
    }
  }

  void write_executors()
  {
    const std::int64_t time = process_.began;
    for (const auto & [name, one] : process_.executors) {
      write(Event::executor_entity_collector_to_executor, {one.handle, one.collector, time});
      write(Event::construct_executor, {one.handle, one.type, time});
    }
    for (const CtfGroup & group : process_.groups) {
      write(
        Event::callback_group_to_executor_entity_collector,
        {group.collector, group.handle, group.exclusive ? "mutually_exclusive" : "reentrant",
         time});
    }
    for (const auto & [index, callback] : process_.callbacks) {
      switch (callback.kind) {
        case CallbackKind::timer:
          write(Event::callback_group_add_timer, {callback.group, callback.handle, time});
          break;
        case CallbackKind::subscription:
          write(Event::callback_group_add_subscription, {callback.group, callback.handle, time});
          break;
        case CallbackKind::service:
          write(Event::callback_group_add_service, {callback.group, callback.handle, time});
          break;
        case CallbackKind::client:
          write(Event::callback_group_add_client, {callback.group, callback.handle, time});
          break;
        case CallbackKind::other:
          break;
      }
    }
  }

  void write_own()
  {
    const LongTrace & trace = *process_.trace;
    write(
      Event::process_init,
      {valid_utf8(trace.program), valid_utf8(trace.host), trace.began, trace.ended});
    for (const LongThread & thread : trace.threads) {
      write(
        Event::thread_init,
        {thread.tid, valid_utf8(thread.name), valid_utf8(thread.executor), thread.dropped});
    }
    for (const auto & [index, one] : process_.callbacks) {
      for (const std::uint64_t lane : one.lanes) {
        write(
          Event::callback_init,
          {lane, one.id, one.kind_name, one.group_name, one.exclusive, one.executor});
      }
    }
    for (const auto & [index, one] : process_.chains) {
      const bool known = index < trace.chains.size();
      const int priority = known ? trace.chains[index].priority : 0;
      const std::int64_t deadline = known ? trace.chains[index].deadline : 0;
      write(Event::chain_init, {one.handle, one.name, priority, deadline, one.path});
    }
  }

  const DescribedProcess & process_;
  StreamWriter & stream_;
};

}  // namespace

void write_description(const DescribedProcess & process, StreamWriter & stream)
{
  DescriptionWriter(process, stream).write();
}

}  // namespace takt_trace::detail
