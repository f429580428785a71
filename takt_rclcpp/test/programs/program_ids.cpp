// Callbacks with equal ids, groups that rclcpp makes, and callbacks and executors that take the
// places of destroyed ones.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

// Two equal timers: the first is in a group of its own, the second in the node's default group.
void numbers_in_turn()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("turn");
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  int first = 0;
  int second = 0;
  rclcpp::TimerBase::SharedPtr one;
  rclcpp::TimerBase::SharedPtr two;
  one = node->create_wall_timer(
    5ms,
    [&] {
      if (++first == 3) {
        one->cancel();
      }
    },
    group);
  two = node->create_wall_timer(5ms, [&] {
    if (++second == 15) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  say(std::to_string(first) + " and " + std::to_string(second));
}

// Under simulated time rclcpp makes a group of its own before the program can make one.
void simulated_time()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>(
    "simulated", rclcpp::NodeOptions().parameter_overrides({{"use_sim_time", true}}));
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  int ran = 0;
  auto timer = node->create_wall_timer(
    5ms,
    [&] {
      if (++ran == 5) {
        executor.cancel();
      }
    },
    group);
  executor.add_node(node);
  executor.spin();
  say("ran " + std::to_string(ran));
}

// A timer makes its successor in its callback, and the callback goes on.
void replaces_itself()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  auto node = std::make_shared<rclcpp::Node>("again");
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  int ran = 0;
  rclcpp::TimerBase::SharedPtr timer;
  std::function<void()> function = [&] {
    if (++ran == 30) {
      executor.cancel();
      return;
    }
    timer = node->create_wall_timer(5ms, function, group);
    std::this_thread::sleep_for(3ms);
  };
  timer = node->create_wall_timer(5ms, function, group);
  executor.add_node(node);
  executor.spin();
  say("ran " + std::to_string(ran));
}

// A timer makes its successor in its callback, and the callback waits until the successor has run.
void waits_for_its_successor()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  auto node = std::make_shared<rclcpp::Node>("waits");
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  rclcpp::TimerBase::SharedPtr timer;
  std::atomic<bool> ran{false};
  timer = node->create_wall_timer(
    5ms,
    [&] {
      timer = node->create_wall_timer(
        5ms, [&] { ran.store(true); }, group);
      while (!ran.load() && rclcpp::ok()) {
        std::this_thread::sleep_for(100us);
      }
      executor.cancel();
    },
    group);
  executor.add_node(node);
  executor.spin();
  say(ran ? "it ran" : "it did not run");
}

/// A pool with an idle node that spins until this object is destroyed. So the state that the pools
/// of a process share stays.
class GoesOn
{
public:
  GoesOn()
  : executor_(rclcpp::ExecutorOptions(), 2),
    node_(std::make_shared<rclcpp::Node>("goes_on"))
  {
    executor_.add_node(node_);
    thread_ = std::thread([this] { executor_.spin(); });
    while (!executor_.is_spinning()) {
      std::this_thread::sleep_for(1ms);
    }
  }
  ~GoesOn()
  {
    executor_.cancel();
    thread_.join();
  }

private:
  MultiThreadedExecutor executor_;
  rclcpp::Node::SharedPtr node_;
  std::thread thread_;
};

// A timer makes its successor in its callback and ends the spin, and the callback goes on.
void works_on_as_its_spin_ends()
{
  const GoesOn beside;
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  auto node = std::make_shared<rclcpp::Node>("again");
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  std::atomic<bool> over{false};
  rclcpp::TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(
    5ms,
    [&] {
      timer = node->create_wall_timer(
        5ms, [] {}, group);
      std::this_thread::sleep_for(100ms);  // takt finds the successor
      executor.cancel();
      std::this_thread::sleep_for(300ms);
      over.store(true);
    },
    group);
  executor.add_node(node);
  executor.spin();
  say(over ? "over" : "the spin returned before its callback");
}

// A timer of period zero is always due, and lets other due timers run. A timer with a period ends
// the spin.
void always_due()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("always");
  int ran = 0;
  auto timer = node->create_wall_timer(0ms, [&] {
    ++ran;
    std::this_thread::sleep_for(1ms);
  });
  int others = 0;
  auto other = node->create_wall_timer(5ms, [&] {
    if (++others >= 10 && ran >= 20) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  say(ran < 2000 ? "ended" : "starved");
}

long resident_kilobytes()
{
  long all = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

// One executor that spins over and over beside another one.
void spins_over_and_over_beside_a_pool()
{
  const GoesOn beside;
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  auto node = std::make_shared<rclcpp::Node>("over_and_over");
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  for (int i = 0; i < 20; ++i) {
    timers.push_back(node->create_wall_timer(1h, [] {}));
  }
  timers.push_back(node->create_wall_timer(1ms, [&] { executor.cancel(); }));
  executor.add_node(node);
  long before = 0;
  for (int spin = 0; spin < 60; ++spin) {
    if (spin == 20) {
      before = resident_kilobytes();
    }
    executor.spin();
  }
  const long grew = resident_kilobytes() - before;
  say(grew < 10'000 ? "steady" : "grew by " + std::to_string(grew) + " kB");
}

// One executor after the other, at one address, for one node.
void one_node_again_and_again()
{
  auto node = std::make_shared<rclcpp::Node>("bridge");
  for (int spin = 1; spin <= 4; ++spin) {
    auto executor = std::make_unique<SingleThreadedExecutor>();
    auto timer = node->create_wall_timer(2ms, [&] { executor->cancel(); });
    executor->add_node(node);
    executor->spin();
    executor->remove_node(node);
  }
  say("4 spins");
}

// A node and a group are added while an events executor spins, and are removed again. Then the node
// comes back in a later spin.
void events_of_nodes_that_come()
{
  rclcpp::experimental::executors::EventsExecutor executor;
  auto first = std::make_shared<Counting>("first", 3, [] {});
  executor.add_node(first);
  std::thread thread([&] { executor.spin(); });
  while (!executor.is_spinning()) {
    std::this_thread::yield();
  }
  const auto wait = [](const std::atomic<int> & runs) {
    while (runs < 20) {
      std::this_thread::sleep_for(1ms);
    }
  };
  std::atomic<int> late_runs{0};
  auto late = std::make_shared<rclcpp::Node>("late");
  auto timer = late->create_wall_timer(1ms, [&] { ++late_runs; });
  executor.add_node(late);
  wait(late_runs);
  executor.remove_node(late);
  say("a node came and left");
  std::atomic<int> group_runs{0};
  auto alone = std::make_shared<rclcpp::Node>("alone");
  auto group = alone->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  auto of_group = alone->create_wall_timer(
    1ms, [&] { ++group_runs; }, group);
  executor.add_callback_group(group, alone->get_node_base_interface());
  wait(group_runs);
  executor.remove_callback_group(group);
  say("a group came and left");
  executor.cancel();
  thread.join();
  late_runs = 0;
  executor.add_node(late);
  std::thread again([&] { executor.spin(); });
  wait(late_runs);
  executor.cancel();
  again.join();
  executor.remove_node(late);
  executor.remove_node(first);
  say("and again");
}

}  // namespace

Ways ways_of_ids()
{
  return {
    {"numbers_in_turn", numbers_in_turn},
    {"simulated_time", simulated_time},
    {"replaces_itself", replaces_itself},
    {"waits_for_its_successor", waits_for_its_successor},
    {"always_due", always_due},
    {"works_on_as_its_spin_ends", works_on_as_its_spin_ends},
    {"spins_over_and_over_beside_a_pool", spins_over_and_over_beside_a_pool},
    {"one_node_again_and_again", one_node_again_and_again},
    {"events_of_nodes_that_come", events_of_nodes_that_come}};
}
