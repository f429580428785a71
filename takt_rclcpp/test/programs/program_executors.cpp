// Executors that callbacks of other executors spin, and executors that begin beside others.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "program.hpp"
#include "work.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

constexpr int kDeepest = 7;
constexpr int kCatches = 5;

class ThrowsInItsTake : public Work
{
public:
  std::shared_ptr<void> take_data() override { throw std::runtime_error("thrown by a take"); }
};

std::chrono::nanoseconds own_cpu_time()
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void work_for(std::chrono::nanoseconds cpu_time)
{
  const auto until = own_cpu_time() + cpu_time;
  while (own_cpu_time() < until) {
  }
}

// The callback at the greatest depth, or its take, throws. The callback that spins it does not
// catch the exception; the next one does.
void spin_at(int depth, bool in_take)
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("at_depth_" + std::to_string(depth));
  const auto work = std::make_shared<ThrowsInItsTake>();
  rclcpp::TimerBase::SharedPtr timer;
  if (depth == kDeepest && in_take) {
    node->get_node_waitables_interface()->add_waitable(work, nullptr);
    work->give();
  } else {
    timer = node->create_wall_timer(1ms, [&] {
      executor.cancel();
      if (depth == kDeepest) {
        throw std::runtime_error("thrown by a callback");
      }
      if (depth != kCatches) {
        spin_at(depth + 1, in_take);
        return;
      }
      try {
        spin_at(depth + 1, in_take);
      } catch (const std::exception & error) {
        say("caught at depth " + std::to_string(depth) + ": " + error.what());
      }
    });
  }
  executor.add_node(node);
  executor.spin();
}

// Nests spins many times, so that a leftover of each spin would show. Writes the processor time of
// the outermost callback to standard error.
void nested_spins()
{
  constexpr int kNesting = 12;
  constexpr int kRuns = 24;
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("outermost");
  int runs = 0;
  std::chrono::nanoseconds used{0};
  auto timer = node->create_wall_timer(2ms, [&] {
    const auto began = own_cpu_time();
    if (++runs <= kNesting) {
      spin_at(2, runs % 2 == 0);
    }
    work_for(2ms);
    if (runs == kRuns) {
      executor.cancel();
    }
    used += own_cpu_time() - began;
  });
  executor.add_node(node);
  executor.spin();
  say("ran " + std::to_string(runs));
  std::fprintf(stderr, "used %lld ns\n", static_cast<long long>(used.count()));
}

// Executors begin and end beside one that spins all the time. Under a schedule the schedule's
// threads run the callbacks of all these executors. Their timers are due when the executors begin,
// except one that waits until another timer resets it.
void timers_come_to_others()
{
  constexpr int kStarts = 60;
  constexpr int kTimers = 8;
  constexpr int kRunsOfATimer = 5;
  MultiThreadedExecutor all_the_time(rclcpp::ExecutorOptions(), 2);
  auto node = std::make_shared<rclcpp::Node>("all_the_time");
  auto ticks = node->create_wall_timer(1ms, [] {});
  all_the_time.add_node(node);
  std::thread thread([&] { all_the_time.spin(); });
  while (!all_the_time.is_spinning()) {  // a spin that begins after its cancel does not end
    std::this_thread::yield();
  }
  int starts = 0;
  for (; starts < kStarts; ++starts) {
    MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
    auto comes = std::make_shared<rclcpp::Node>("comes");
    std::vector<rclcpp::CallbackGroup::SharedPtr> groups;  // a node does not keep them
    std::vector<rclcpp::TimerBase::SharedPtr> timers;
    std::atomic<int> runs{0};
    std::atomic<bool> was_reset{false};
    const auto add = [&](std::chrono::milliseconds period, const std::function<void()> & callback) {
      groups.push_back(comes->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive));
      timers.push_back(comes->create_wall_timer(period, callback, groups.back()));
    };
    add(4ms, [&] { was_reset = true; });
    timers.front()->cancel();
    for (int i = 0; i < kTimers; ++i) {
      add(2ms, [&] {
        const int count = ++runs;
        if (count == kTimers) {
          timers.front()->reset();
        }
        if (count >= kTimers * kRunsOfATimer && was_reset) {
          executor.cancel();
        }
      });
    }
    executor.add_node(comes);
    std::this_thread::sleep_for(3ms);
    executor.spin();
  }
  all_the_time.cancel();
  thread.join();
  say("started " + std::to_string(starts));
}

}  // namespace

Ways ways_of_executors()
{
  return {{"nested_spins", nested_spins}, {"timers_come_to_others", timers_come_to_others}};
}
