// A program as users write them against rclcpp; it knows nothing of takt. The first argument
// chooses what the program does. It prints the same in every run, under any executor that keeps
// rclcpp's promises.
#include <unistd.h>

#include <csignal>
#include <future>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/int32.hpp>
#include <thread>
#include <utility>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using std_msgs::msg::Int32;
using Ask = rcl_interfaces::srv::ListParameters;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

void free_spin()
{
  rclcpp::spin(std::make_shared<Counting>("free", 20, shut_down));
}

void on_the_stack()
{
  SingleThreadedExecutor executor;
  auto a = std::make_shared<Counting>("a", 20, [] {});
  auto b = std::make_shared<Counting>("b", 60, shut_down);
  executor.add_node(a);
  executor.add_node(b);
  executor.spin();
}

// The end of the program is not part of a callback's run, so that runs are as long as the
// callbacks' own work.
void ended_outside_of_callbacks()
{
  std::promise<void> counted;
  SingleThreadedExecutor executor;
  auto a = std::make_shared<Counting>("a", 20, [] {});
  auto b = std::make_shared<Counting>("b", 60, [&] { counted.set_value(); });
  executor.add_node(a);
  executor.add_node(b);
  std::thread end([&] {
    counted.get_future().wait();
    shut_down();
  });
  executor.spin();
  end.join();
}

void intra_process()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<Counting>(
    "intra", 30, shut_down, rclcpp::NodeOptions().use_intra_process_comms(true));
  executor.add_node(node);
  executor.spin();
}

void events()
{
  rclcpp::experimental::executors::EventsExecutor executor;
  auto node = std::make_shared<Counting>("events", 20, [&] { executor.cancel(); });
  executor.add_node(node);
  executor.spin();
  say("again");
  auto more = std::make_shared<Counting>("more", 20, [&] { executor.cancel(); });
  executor.add_node(more);
  executor.spin();
  executor.remove_node(node);
  executor.remove_node(more);
}

void twice()
{
  SingleThreadedExecutor executor;
  auto first = std::make_shared<Counting>("first", 10, [&] { executor.cancel(); });
  executor.add_node(first);
  executor.spin();
  executor.remove_node(first);
  say(executor.is_spinning() ? "spinning" : "not spinning");
  auto second = std::make_shared<Counting>("second", 10, [&] { executor.cancel(); });
  executor.add_node(second);
  executor.spin();
  // The stock functions go on after a spin has ended.
  bool over = false;
  auto third = std::make_shared<Counting>("third", 10, [&] { over = true; });
  executor.add_node(third);
  while (!over) {
    executor.spin_once(10ms);
  }
}

// Callbacks of different groups of one executor of this kind never run at once.
void exclusion()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("exclusion");
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  int runs = 0;
  const auto thread = std::this_thread::get_id();
  bool same = true;
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups;  // the node does not hold them
  for (int i = 0; i < 4; ++i) {
    groups.push_back(node->create_callback_group(rclcpp::CallbackGroupType::Reentrant));
    timers.push_back(node->create_wall_timer(
      1ms,
      [&] {
        most = std::max(most.load(), ++inside);
        std::this_thread::sleep_for(500us);
        --inside;
        same = same && std::this_thread::get_id() == thread;
        if (++runs >= 60) {
          executor.cancel();
        }
      },
      groups.back()));
  }
  executor.add_node(node);
  executor.spin();
  say("at once " + std::to_string(most) + (same ? ", on one thread" : ", on several threads"));
}

// A callback that waits for a service of its own process needs another thread.
void blocking_call()
{
  auto server = std::make_shared<rclcpp::Node>("server");
  auto caller = std::make_shared<rclcpp::Node>("caller");
  auto answers = caller->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto asks = caller->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto service = server->create_service<Ask>(
    "ask", [](const Ask::Request::SharedPtr request, Ask::Response::SharedPtr response) {
      response->result.names = request->prefixes;
    });
  auto client = caller->create_client<Ask>("ask", rclcpp::ServicesQoS(), answers);
  int answered = 0;
  auto timer = caller->create_wall_timer(
    2ms,
    [&] {
      auto request = std::make_shared<Ask::Request>();
      request->prefixes = {std::to_string(answered)};
      auto future = client->async_send_request(request);
      if (future.future.wait_for(10s) != std::future_status::ready) {
        say("no answer");
        rclcpp::shutdown();
      } else if (future.future.get()->result.names.front() == std::to_string(answered)) {
        ++answered;
      }
      if (answered == 20) {
        say("answered " + std::to_string(answered));
        rclcpp::shutdown();
      }
    },
    asks);
  const std::shared_ptr<rclcpp::Executor> executor =
    std::make_shared<MultiThreadedExecutor>(rclcpp::ExecutorOptions(), 3);
  executor->add_node(server);
  executor->add_node(caller);
  executor->spin();
}

void nodes_come_and_go()
{
  SingleThreadedExecutor executor;
  auto main = std::make_shared<rclcpp::Node>("main");
  std::shared_ptr<Counting> guest;
  int guests = 0;
  bool counted = false;
  auto timer = main->create_wall_timer(2ms, [&] {
    if (guest == nullptr && guests < 5) {
      guest =
        std::make_shared<Counting>("guest" + std::to_string(++guests), 5, [&] { counted = true; });
      executor.add_node(guest);
    }
  });
  auto leave = main->create_wall_timer(100ms, [&] {
    if (std::exchange(counted, false)) {
      executor.remove_node(guest);
      guest.reset();
    }
    if (guests == 5 && guest == nullptr) {
      executor.cancel();
    }
  });
  executor.add_node(main);
  executor.spin();
}

void entities_come_and_go()
{
  auto node = std::make_shared<rclcpp::Node>("changing");
  auto publisher = node->create_publisher<Int32>("topic", 10);
  rclcpp::Subscription<Int32>::SharedPtr subscription;
  int subscriptions = 0;
  auto timer = node->create_wall_timer(5ms, [&] {
    if (subscription == nullptr) {
      ++subscriptions;
      subscription = node->create_subscription<Int32>("topic", 10, [&](const Int32 &) {
        if (subscriptions == 5) {
          say("heard by " + std::to_string(subscriptions));
          rclcpp::shutdown();
        }
        subscription.reset();
      });
    } else {
      publisher->publish(Int32());
    }
  });
  rclcpp::spin(node);
}

void timers_change()
{
  auto node = std::make_shared<rclcpp::Node>("timers");
  int fast = 0;
  int slow = 0;
  rclcpp::TimerBase::SharedPtr stops;
  stops = node->create_wall_timer(2ms, [&] {
    if (++fast == 5) {
      stops->cancel();
    } else if (fast == 8) {
      say("fast " + std::to_string(fast) + ", slow " + std::to_string(slow));
      rclcpp::shutdown();
    }
  });
  auto starts = node->create_wall_timer(100ms, [&] {
    if (stops->is_canceled()) {
      ++slow;
      stops->reset();
    }
  });
  rclcpp::spin(node);
}

void ros_time()
{
  auto node = std::make_shared<rclcpp::Node>("ros_time");
  int fired = 0;
  auto timer = rclcpp::create_timer(node, node->get_clock(), 5ms, [&] {
    if (++fired == 10) {
      say("fired " + std::to_string(fired));
      rclcpp::shutdown();
    }
  });
  rclcpp::spin(node);
}

void throws()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("throws");
  int runs = 0;
  auto timer = node->create_wall_timer(1ms, [&] {
    if (++runs == 3) {
      throw std::runtime_error("thrown by a callback");
    }
  });
  executor.add_node(node);
  try {
    executor.spin();
  } catch (const std::exception & error) {
    say(std::string("caught: ") + error.what());
  }
  say(executor.is_spinning() ? "spinning" : "not spinning");
}

void interrupted()
{
  auto node = std::make_shared<rclcpp::Node>("interrupted");
  auto timer = node->create_wall_timer(1ms, [&] { ::kill(::getpid(), SIGINT); });
  rclcpp::spin(node);
  say(rclcpp::ok() ? "ok" : "ended");
}

void cancelled_by_another_thread()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  auto node = std::make_shared<rclcpp::Node>("cancelled");
  auto timer = node->create_wall_timer(1ms, [] {});
  executor.add_node(node);
  std::thread other([&] {
    while (!executor.is_spinning()) {
      std::this_thread::yield();
    }
    executor.cancel();
  });
  executor.spin();
  other.join();
  say("cancelled");
}

void two_executors()
{
  std::promise<void> counted;
  auto helper = std::make_shared<Counting>("helper", 10, [&] { counted.set_value(); });
  SingleThreadedExecutor of_helper;
  of_helper.add_node(helper);
  std::thread thread([&] { of_helper.spin(); });
  counted.get_future().wait();
  of_helper.cancel();
  thread.join();
  rclcpp::spin(std::make_shared<Counting>("main", 10, shut_down));
}

const Ways kWays{
  {"free_spin", free_spin},
  {"on_the_stack", on_the_stack},
  {"ended_outside_of_callbacks", ended_outside_of_callbacks},
  {"intra_process", intra_process},
  {"events", events},
  {"twice", twice},
  {"exclusion", exclusion},
  {"blocking_call", blocking_call},
  {"nodes_come_and_go", nodes_come_and_go},
  {"entities_come_and_go", entities_come_and_go},
  {"timers_change", timers_change},
  {"ros_time", ros_time},
  {"throws", throws},
  {"interrupted", interrupted},
  {"cancelled_by_another_thread", cancelled_by_another_thread},
  {"two_executors", two_executors},
};

}  // namespace

int main(int argc, char ** argv)
{
  Ways ways = kWays;
  ways.merge(ways_of_components());
  ways.merge(ways_of_listening());
  ways.merge(ways_of_ends());
  ways.merge(ways_of_waiting());
  ways.merge(ways_of_ids());
  ways.merge(ways_of_executors());
  ways.merge(ways_of_waitables());
  ways.merge(ways_of_replaced_messages());
  ways.merge(ways_of_holding());
  ways.merge(ways_of_taking());
  ways.merge(ways_of_watching());
  if (argc < 2 || ways.count(argv[1]) == 0) {
    for (const auto & [way, function] : ways) {
      say(way);
    }
    return argc < 2 ? 0 : 64;
  }
  rclcpp::init(argc, argv);
  ways.at(argv[1])();
  rclcpp::shutdown();
  return 0;
}
