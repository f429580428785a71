// The program's own listeners beside the executor's, events from before the spin, parts and timers
// of waitables, timers that are never due or have a thread of their own.
#include <rcutils/logging.h>

#include <rclcpp/version.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <rclcpp/experimental/executors/events_executor/simple_events_queue.hpp>
#include <thread>
#include <vector>

#include "program.hpp"
#include "work.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;
using rclcpp::experimental::executors::EventsExecutor;
using std_msgs::msg::Int32;
using List = rcl_interfaces::srv::ListParameters;

std::string text(int number)
{
  return std::to_string(number);
}

/// Waits until `done`, and at most ten seconds, so that a failure ends.
template <typename Done>
void wait_until(const Done & done)
{
  for (int i = 0; i < 10'000 && !done(); ++i) {
    std::this_thread::sleep_for(1ms);
  }
}

/// Spins on a thread of its own.
class Spin
{
public:
  explicit Spin(rclcpp::Executor & executor)
  : executor_(executor),
    thread_([&] { executor_.spin(); })
  {
    wait_until([&] { return executor_.is_spinning(); });
    std::this_thread::sleep_for(300ms);  // by then the executor has found all waiting messages
  }
  ~Spin()
  {
    executor_.cancel();
    thread_.join();
  }

private:
  rclcpp::Executor & executor_;
  std::thread thread_;
};

// The program sets a listener before or during the spin, and may clear it half way. Then it spins a
// second time.
template <typename Executor>
void listen_to_messages(bool before, bool clears)
{
  auto node = std::make_shared<rclcpp::Node>("hearer");
  auto source = std::make_shared<rclcpp::Node>("source");
  auto publisher = source->create_publisher<Int32>("heard", 100);
  std::atomic<int> taken{0};
  std::atomic<int> told{0};
  auto subscription =
    node->create_subscription<Int32>("heard", 100, [&](const Int32 &) { ++taken; });
  wait_until([&] { return publisher->get_subscription_count() == 1; });
  const auto tell = [&](std::size_t count) { told += static_cast<int>(count); };
  const auto publish = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const int from = taken;
      publisher->publish(Int32());
      wait_until([&] { return taken > from; });
    }
  };
  if (before) {
    subscription->set_on_new_message_callback(tell);
  }
  Executor executor;
  executor.add_node(node);
  {
    const Spin spin(executor);
    if (!before) {
      subscription->set_on_new_message_callback(tell);
    }
    publish(50);
    if (clears) {
      subscription->clear_on_new_message_callback();
    }
    publish(50);
  }
  publisher->publish(Int32());  // while nothing spins
  wait_until([&] { return clears || told == 101; });
  {
    const Spin spin(executor);
    wait_until([&] { return taken == 101; });
    publish(9);
  }
  say(
    std::string(before ? "before" : "in") + " the spin: taken " + text(taken) + ", told " +
    text(told));
}

template <typename Executor>
void listen_to_calls()
{
  auto node = std::make_shared<rclcpp::Node>("server");
  auto asker = std::make_shared<rclcpp::Node>("asker");
  auto service = node->create_service<List>(
    "list", [](const List::Request::SharedPtr, List::Response::SharedPtr) {});
  auto client = asker->create_client<List>("list");
  client->wait_for_service(10s);
  std::atomic<int> requests{0};
  std::atomic<int> responses{0};
  std::atomic<int> answered{0};
  service->set_on_new_request_callback(
    [&](std::size_t count) { requests += static_cast<int>(count); });
  Executor executor;
  executor.add_node(node);
  executor.add_node(asker);
  const Spin spin(executor);
  client->set_on_new_response_callback(
    [&](std::size_t count) { responses += static_cast<int>(count); });
  for (int i = 1; i <= 20; ++i) {
    client->async_send_request(
      std::make_shared<List::Request>(), [&](rclcpp::Client<List>::SharedFuture) { ++answered; });
    wait_until([&] { return answered == i; });
  }
  say(
    "answered " + text(answered) + ", told of requests " + text(requests) + ", of responses " +
    text(responses));
}

template <typename Executor>
void listen_to_resets()
{
  auto node = std::make_shared<rclcpp::Node>("timed");
  std::atomic<int> told{0};
  std::atomic<int> ran{0};
  auto timer = node->create_wall_timer(1h, [&] { ++ran; });
  auto often = node->create_wall_timer(1ms, [&] { ++ran; });
  timer->set_on_reset_callback([&](std::size_t count) { told += static_cast<int>(count); });
  Executor executor;
  executor.add_node(node);
  const Spin spin(executor);
  timer->reset();
  timer->reset();
  often->cancel();
  const int before = ran;
  often->set_on_reset_callback([&](std::size_t count) { told += static_cast<int>(count); });
  often->reset();
  wait_until([&] { return ran > before + 3; });
  say(std::string("told of resets ") + text(told) + (ran > before + 3 ? ", and runs" : ""));
}

void own_listeners()
{
  for (const bool before : {true, false}) {
    for (const bool clears : {false, true}) {
      listen_to_messages<SingleThreadedExecutor>(before, clears);
      listen_to_messages<MultiThreadedExecutor>(before, clears);
    }
  }
  listen_to_calls<SingleThreadedExecutor>();
  listen_to_resets<SingleThreadedExecutor>();
  listen_to_resets<MultiThreadedExecutor>();
}

// Listeners of a subscription's messages within the process, and of events.
void own_listeners_of_waitables()
{
  auto node =
    std::make_shared<rclcpp::Node>("within", rclcpp::NodeOptions().use_intra_process_comms(true));
  std::atomic<int> taken{0};
  std::atomic<int> told{0};
  std::atomic<int> matched{0};
  std::atomic<int> matched_told{0};
  rclcpp::SubscriptionOptions options;
  options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo &) { ++matched; };
  auto subscription = node->create_subscription<Int32>(
    "within", 10, [&](Int32::UniquePtr) { ++taken; }, options);
  auto publisher = node->create_publisher<Int32>("within", 10);
  SingleThreadedExecutor executor;
  executor.add_node(node);
  const Spin spin(executor);
  wait_until([&] { return matched == 1; });
  subscription->set_on_new_intra_process_message_callback(
    [&](std::size_t count) { told += static_cast<int>(count); });
  subscription->set_on_new_qos_event_callback(
    [&](std::size_t count) { matched_told += static_cast<int>(count); }, RCL_SUBSCRIPTION_MATCHED);
  for (int i = 1; i <= 50; ++i) {
    publisher->publish(std::make_unique<Int32>());
    wait_until([&] { return taken == i; });
  }
  auto second = node->create_publisher<Int32>("within", 10);
  wait_until([&] { return matched == 2 && matched_told == 1; });
  say(
    "taken " + text(taken) + ", told " + text(told) + ", matched " +
    (matched >= 2 ? "both" : "not") + ", told " + text(matched_told));
}

std::unique_ptr<rclcpp::Executor> executor_of(const std::string & kind)
{
  if (kind == "events") {
    return std::make_unique<EventsExecutor>();
  }
  if (kind == "multi") {
    return std::make_unique<MultiThreadedExecutor>();
  }
  return std::make_unique<SingleThreadedExecutor>();
}

void far_timers_of(const std::string & kind)
{
  auto node = std::make_shared<rclcpp::Node>("far");
  auto executor = executor_of(kind);
  int never = 0;
  int ticks = 0;
  auto longest = node->create_wall_timer(std::chrono::nanoseconds::max(), [&] { ++never; });
  auto half = node->create_wall_timer(std::chrono::nanoseconds::max() / 2, [&] { ++never; });
  auto often = node->create_wall_timer(5ms, [&] {
    if (++ticks == 10) {
      longest->reset();
    }
    if (ticks == 20) {
      executor->cancel();
    }
  });
  executor->add_node(node);
  executor->spin();
  say(kind + ": far timers ran " + text(never) + " times, the other one 20");
}

// rclcpp's own loops sometimes never come to the other timer.
void far_timers()
{
  for (const char * const kind : {"single", "multi", "events"}) {
    far_timers_of(kind);
  }
}

// The callback waits for ticks, which come from another thread only.
void timers_of_their_own_thread()
{
  EventsExecutor executor(
    std::make_unique<rclcpp::experimental::executors::SimpleEventsQueue>(), true);
  auto node = std::make_shared<rclcpp::Node>("watchdog");
  auto publisher = node->create_publisher<Int32>("slow", 10);
  std::mutex mutex;
  std::condition_variable ticked;
  int tick = 0;
  std::atomic<int> waited{0};
  std::atomic<int> gave_up{0};
  std::atomic<int> inside{0};
  std::atomic<int> beside{0};
  auto timer = node->create_wall_timer(5ms, [&] {
    const std::lock_guard lock(mutex);
    ++tick;
    ticked.notify_all();
  });
  const auto wait_for_ticks = [&] {
    beside += inside.exchange(1);
    std::unique_lock lock(mutex);
    const int from = tick;
    ++(ticked.wait_for(lock, 2s, [&] { return tick >= from + 3; }) ? waited : gave_up);
    inside = 0;
  };
  auto one = node->create_subscription<Int32>("slow", 10, [&](const Int32 &) { wait_for_ticks(); });
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  rclcpp::SubscriptionOptions options;
  options.callback_group = group;
  auto other = node->create_subscription<Int32>(
    "slow", 10, [&](const Int32 &) { wait_for_ticks(); }, options);
  executor.add_node(node);
  const Spin spin(executor);
  for (int i = 0; i < 10; ++i) {
    publisher->publish(Int32());
  }
  wait_until([&] { return waited + gave_up == 20; });
  say(
    "waited " + text(waited) + ", gave up " + text(gave_up) + ", beside each other " +
    text(beside));
}

template <typename Info>
std::string counts(const char * what, int calls, const Info & last)
{
  return std::string(what) + " " + text(calls) + " (+" +
         text(static_cast<int>(last.total_count_change)) + " of " +
         text(static_cast<int>(last.total_count)) + ")";
}

void events_from_before()
{
  for (const std::string kind : {"single", "multi", "events"}) {
    for (const bool node_first : {false, true}) {
      auto executor = executor_of(kind);
      auto node = std::make_shared<rclcpp::Node>("reader");
      auto source = std::make_shared<rclcpp::Node>("source");
      int matched = 0;
      int incompatible = 0;
      rclcpp::MatchedInfo of_match{};
      rclcpp::QOSRequestedIncompatibleQoSInfo of_quality{};
      rclcpp::SubscriptionOptions options;
      options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & info) {
        ++matched;
        of_match = info;
      };
      rclcpp::SubscriptionOptions others;
      others.event_callbacks.incompatible_qos_callback =
        [&](rclcpp::QOSRequestedIncompatibleQoSInfo & info) {
          ++incompatible;
          of_quality = info;
        };
      auto one = node->create_subscription<Int32>(
        "one", 5, [](const Int32 &) {}, options);
      auto two = node->create_subscription<Int32>(
        "two", 5, [](const Int32 &) {}, others);
      if (node_first) {
        executor->add_node(node);
      }
      auto publisher = source->create_publisher<Int32>("one", 5);
      auto second = source->create_publisher<Int32>("one", 5);
      auto wrong = source->create_publisher<Int32>("two", rclcpp::QoS(5).best_effort());
      wait_until([&] { return one->get_publisher_count() == 2; });
      std::this_thread::sleep_for(200ms);
      if (!node_first) {
        executor->add_node(node);
      }
      const Spin spin(*executor);
      wait_until([&] { return matched > 0 && incompatible > 0; });
      std::this_thread::sleep_for(100ms);
      say(
        kind + ": " + counts("matched", matched, of_match) + ", " +
        counts("incompatible", incompatible, of_quality));
    }
  }
}

std::atomic<int> g_warnings{0};

void count_warning(
  const rcutils_log_location_t *, int, const char *, rcutils_time_point_value_t,
  const char * format, va_list * arguments)
{
  std::string line(1000, ' ');
  va_list copy;
  va_copy(copy, *arguments);
  std::vsnprintf(line.data(), line.size(), format, copy);
  va_end(copy);
  g_warnings += line.find("incompatible QoS") != std::string::npos ? 1 : 0;
}

// rclcpp's own warning; the program has no handler.
void warning_of_quality_from_before()
{
  rcutils_logging_set_output_handler(count_warning);
  for (const std::string kind : {"single", "events"}) {
    auto executor = executor_of(kind);
    auto node = std::make_shared<rclcpp::Node>("reader");
    auto source = std::make_shared<rclcpp::Node>("source");
    auto one = node->create_subscription<Int32>("one", 5, [](const Int32 &) {});
    auto wrong = source->create_publisher<Int32>("one", rclcpp::QoS(5).best_effort());
    std::this_thread::sleep_for(300ms);
    executor->add_node(node);
    g_warnings = 0;
    const Spin spin(*executor);
    wait_until([&] { return g_warnings > 0; });
    say(kind + ": warnings " + text(g_warnings));
  }
}

/// A waitable with more parts than any waitable of rclcpp.
class Parts : public Work
{
public:
  Parts() { only_events = true; }
  void announce(int part)
  {
    const std::lock_guard lock(mutex_);
    if (ready_) {
      ready_(1, part);
    }
  }
  std::shared_ptr<void> take_data_by_entity_id(std::size_t part) override
  {
    return std::make_shared<std::size_t>(part);
  }
  void execute(const std::shared_ptr<void> & data) override
  {
    took += " " + std::to_string(*std::static_pointer_cast<std::size_t>(data));
    ++count;
  }
  void set_on_ready_callback(std::function<void(std::size_t, int)> ready) override
  {
    const std::lock_guard lock(mutex_);
    ready_ = std::move(ready);
  }
  void clear_on_ready_callback() override { set_on_ready_callback({}); }

  std::string took;
  std::atomic<int> count{0};

private:
  std::recursive_mutex mutex_;
  std::function<void(std::size_t, int)> ready_;
};

void parts_of_a_waitable()
{
  auto parts = std::make_shared<Parts>();
  const Worker one("worker", parts);
  EventsExecutor executor;
  executor.add_node(one.node);
  int sum = 0;
  const auto give = [&](std::initializer_list<int> all) {
    for (const int part : all) {
      parts->announce(part);
      ++sum;
    }
  };
  give({5, 19, 5, 0, 18});  // before the spin
  {
    const Spin spin(executor);
    for (int part = 24; part >= 0; --part) {
      give({part, 7, part});
    }
    wait_until([&] { return parts->count == sum; });
  }
  give({3, 1, 2});  // between two spins
  {
    const Spin spin(executor);
    wait_until([&] { return parts->count == sum; });
  }
  say("took" + parts->took);
}

#if RCLCPP_VERSION_GTE(29, 5, 0)
void timers_of_waitables()
{
  for (const bool apart : {false, true}) {
    auto work = std::make_shared<Work>();
    std::atomic<int> ticks{0};
    const std::function<void()> tick = [&] { ++ticks; };
    work->timers.push_back(std::make_shared<rclcpp::WallTimer<std::function<void()>>>(
      5ms, std::function<void()>(tick), rclcpp::contexts::get_global_default_context()));
    const Worker one("worker", work);
    EventsExecutor executor(
      std::make_unique<rclcpp::experimental::executors::SimpleEventsQueue>(), apart);
    executor.add_node(one.node);
    const Spin spin(executor);
    work->give();
    wait_until([&] { return ticks >= 5 && work->ran() == 1; });
    say(
      std::string(ticks >= 5 ? "its timer ran" : "its timer never ran") + ", it ran " +
      text(work->ran()));
  }
}
#endif

}  // namespace

Ways ways_of_listening()
{
  Ways ways{
    {"events_from_before", events_from_before},
    {"far_timers", far_timers},
    {"own_listeners", own_listeners},
    {"own_listeners_of_waitables", own_listeners_of_waitables},
    {"parts_of_a_waitable", parts_of_a_waitable},
    {"timers_of_their_own_thread", timers_of_their_own_thread},
    {"warning_of_quality_from_before", warning_of_quality_from_before}};
#if RCLCPP_VERSION_GTE(29, 5, 0)
  ways["timers_of_waitables"] = timers_of_waitables;
#endif
  return ways;
}
