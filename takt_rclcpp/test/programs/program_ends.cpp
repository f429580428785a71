// Programs that end while a spin is under way, and programs that end while a callback waits for
// their end.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <set>
#include <string>
#include <thread>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

/// Spins in a thread until main has returned.
struct Global
{
  std::unique_ptr<rclcpp::Executor> executor;
  std::shared_ptr<rclcpp::Node> node;
  rclcpp::TimerBase::SharedPtr timer;
  std::atomic<int> runs{0};
  std::thread thread;

  ~Global()
  {
    if (executor != nullptr) {
      executor->cancel();
      thread.join();
      say("joined after main");
    }
  }
} g_global;

void wait_for(const std::atomic<int> & runs, int least)
{
  while (runs < least) {
    std::this_thread::sleep_for(1ms);
  }
}

template <typename Executor>
void global()
{
  g_global.executor = std::make_unique<Executor>();
  g_global.node = std::make_shared<rclcpp::Node>("ender");
  g_global.timer = g_global.node->create_wall_timer(1ms, [] { ++g_global.runs; });
  g_global.executor->add_node(g_global.node);
  g_global.thread = std::thread([] { g_global.executor->spin(); });
  wait_for(g_global.runs, 20);
  say("main returns");
  std::exit(0);  // as at main's return, but without the shutdown that this program has
}

/// Objects that outlive main, and are never destroyed.
struct Immortal
{
  std::shared_ptr<rclcpp::Node> node = std::make_shared<rclcpp::Node>("ender");
  std::atomic<int> runs{0};
  rclcpp::TimerBase::SharedPtr timer = node->create_wall_timer(1ms, [this] { ++runs; });
};

template <typename Executor>
void detached_for_ever()
{
  auto & all = *new Immortal;
  auto & executor = *new Executor;
  executor.add_node(all.node);
  std::thread([&] { executor.spin(); }).detach();
  wait_for(all.runs, 20);
  say("main returns");
  std::exit(0);  // as above
}

// The executor is destroyed at the end of this function; its spin is told to end, and not joined.
template <typename Executor>
void detached()
{
  auto & all = *new Immortal;
  Executor executor;
  executor.add_node(all.node);
  std::thread([&] { executor.spin(); }).detach();
  wait_for(all.runs, 20);
  rclcpp::shutdown();
  say("main returns");
}

template <typename Executor>
void exit_in_a_callback()
{
  Executor executor;
  auto node = std::make_shared<rclcpp::Node>("ender");
  int runs = 0;
  auto timer = node->create_wall_timer(1ms, [&] {
    if (++runs == 20) {
      say("exit");
      std::exit(0);
    }
  });
  executor.add_node(node);
  executor.spin();
}

// Each time the context ends as soon as a spin in it has begun, so rcl may refuse the first
// objects that the spin makes.
void context_ends_as_the_spin_begins()
{
  constexpr int kSpins = 20;
  for (int i = 0; i < kSpins; ++i) {
    auto context = std::make_shared<rclcpp::Context>();
    context->init(0, nullptr);
    rclcpp::ExecutorOptions options;
    options.context = context;
    SingleThreadedExecutor executor(options);
    auto node = std::make_shared<rclcpp::Node>("brief", rclcpp::NodeOptions().context(context));
    executor.add_node(node);
    std::thread thread([&] { executor.spin(); });
    while (!executor.is_spinning()) {  // a spin that begins after the end returns at once
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(i * 100us);
    context->shutdown("the test ends it");
    thread.join();
  }
  say("all spins ended");
}

// Ctrl-C during a callback that goes on until rclcpp::ok() is false, in steps of a millisecond.
template <typename Executor>
void asks_whether_all_is_well()
{
  constexpr int kMostSteps = 1500;
  Executor executor;
  auto node = std::make_shared<rclcpp::Node>("leaver");
  int steps = 0;
  auto timer = node->create_wall_timer(1ms, [&] {
    if (steps == 0) {
      std::raise(SIGINT);
    }
    while (rclcpp::ok() && steps < kMostSteps) {
      ++steps;
      std::this_thread::sleep_for(1ms);
    }
  });
  executor.add_node(node);
  executor.spin();
  say(steps < kMostSteps ? "told at once" : "not told");
}

// ---- threads whose attributes the program itself sets: not the same under a schedule

cpu_set_t own_cores()
{
  cpu_set_t cores;
  ::sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

int last_core()
{
  const cpu_set_t cores = own_cores();
  int last = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    last = CPU_ISSET(core, &cores) ? core : last;
  }
  return last;
}

void pin_to(int core)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

std::string cores_in_words()
{
  const cpu_set_t cores = own_cores();
  std::string words;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) {
      words += " " + std::to_string(core);
    }
  }
  return words;
}

void spin_pinned(bool before)
{
  const int last = last_core();
  if (before) {
    pin_to(last);
  }
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("control");
  int runs = 0;
  auto timer = node->create_wall_timer(1ms, [&] {
    if (++runs == 1 && !before) {
      pin_to(last);
    }
    if (runs == 5) {
      say("in a callback:" + cores_in_words());
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  say("afterwards:" + cores_in_words());
}

void pinned_before_spin()
{
  spin_pinned(true);
}

void pinned_in_a_callback()
{
  spin_pinned(false);
}

// ---- the environment and streams of the program and its children

void environment()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("looks");
  auto timer = node->create_wall_timer(1ms, [&] { executor.cancel(); });
  executor.add_node(node);
  executor.spin();
  std::set<std::string> lines;
  for (char ** line = environ; *line != nullptr; ++line) {
    lines.insert(*line);
  }
  for (const std::string & line : lines) {
    say(line);
  }
  const char * const of_child = "env | sort; grep -E '^Sig(Ign|Blk)' /proc/self/status";
  say(std::system(of_child) == 0 ? "all" : "env failed");
}

}  // namespace

Ways ways_of_ends()
{
  return {
    {"global", global<SingleThreadedExecutor>},
    {"global_pool", global<MultiThreadedExecutor>},
    {"detached", detached<SingleThreadedExecutor>},
    {"detached_pool", detached<MultiThreadedExecutor>},
    {"detached_for_ever", detached_for_ever<SingleThreadedExecutor>},
    {"detached_for_ever_pool", detached_for_ever<MultiThreadedExecutor>},
    {"exit_in_a_callback", exit_in_a_callback<SingleThreadedExecutor>},
    {"exit_in_a_callback_of_a_pool", exit_in_a_callback<MultiThreadedExecutor>},
    {"context_ends_as_the_spin_begins", context_ends_as_the_spin_begins},
    {"asks_whether_all_is_well", asks_whether_all_is_well<SingleThreadedExecutor>},
    {"asks_whether_all_is_well_in_a_pool", asks_whether_all_is_well<MultiThreadedExecutor>},
    {"environment", environment},
    {"pinned_before_spin", pinned_before_spin},
    {"pinned_in_a_callback", pinned_in_a_callback},
  };
}
