// Messages that wait while no executor spins, and threads that wait for each other when a program
// ends.
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;
using std_msgs::msg::Int32;

/// Publishes `count` messages and waits until this process has all of them.
template <typename Subscription>
void publish_and_wait(rclcpp::Publisher<Int32> & publisher, Subscription & subscription, int count)
{
  while (subscription.get_publisher_count() == 0 || publisher.get_subscription_count() == 0) {
    std::this_thread::sleep_for(1ms);
  }
  for (int i = 1; i <= count; ++i) {
    Int32 message;
    message.data = i;
    publisher.publish(message);
  }
  publisher.wait_for_all_acked(10s);
  std::this_thread::sleep_for(50ms);
}

// A spin that ends with messages left; the next one goes on with them.
template <typename Executor, typename... Arguments>
void leave_some_for_the_next_spin(Arguments... arguments)
{
  Executor executor(arguments...);
  auto node = std::make_shared<rclcpp::Node>("rests");
  std::string heard;
  auto subscription = node->create_subscription<Int32>(
    "rest", rclcpp::QoS(10).reliable(), [&](const Int32 & message) {
      heard += " " + std::to_string(message.data);
      if (message.data == 2 || message.data == 6) {
        executor.cancel();
      }
    });
  auto publisher = node->create_publisher<Int32>("rest", rclcpp::QoS(10).reliable());
  executor.add_node(node);
  publish_and_wait(*publisher, *subscription, 6);
  executor.spin();
  say("first:" + heard);
  heard.clear();
  executor.spin();
  say("then:" + heard);
  executor.remove_node(node);
}

void messages_wait_for_the_next_spin()
{
  leave_some_for_the_next_spin<SingleThreadedExecutor>();
}

void messages_wait_for_a_pool()
{
  leave_some_for_the_next_spin<MultiThreadedExecutor>(rclcpp::ExecutorOptions(), 2);
}

void messages_wait_for_an_events_executor()
{
  leave_some_for_the_next_spin<rclcpp::experimental::executors::EventsExecutor>();
}

// As `leave_some_for_the_next_spin`, within the process.
void messages_wait_within_the_process()
{
  SingleThreadedExecutor executor;
  auto node =
    std::make_shared<rclcpp::Node>("within", rclcpp::NodeOptions().use_intra_process_comms(true));
  std::string heard;
  auto subscription = node->create_subscription<Int32>("rest", 10, [&](Int32::UniquePtr message) {
    heard += " " + std::to_string(message->data);
    if (message->data == 2 || message->data == 6) {
      executor.cancel();
    }
  });
  auto publisher = node->create_publisher<Int32>("rest", 10);
  executor.add_node(node);
  for (int i = 1; i <= 6; ++i) {
    auto message = std::make_unique<Int32>();
    message->data = i;
    publisher->publish(std::move(message));
  }
  executor.spin();
  say("first:" + heard);
  heard.clear();
  executor.spin();
  say("then:" + heard);
}

// A timer publishes several messages in each run, and rclcpp triggers the subscription's guard
// condition again for each one that a take leaves.
void bursts_within_the_process()
{
  SingleThreadedExecutor executor;
  auto node =
    std::make_shared<rclcpp::Node>("within", rclcpp::NodeOptions().use_intra_process_comms(true));
  int taken = 0;
  auto publisher = node->create_publisher<Int32>("bursts", 10);
  auto subscription = node->create_subscription<Int32>("bursts", 10, [&](Int32::UniquePtr) {
    if (++taken == 40) {
      say("taken 40");
      executor.cancel();
    }
  });
  int published = 0;
  auto timer = node->create_wall_timer(2ms, [&] {
    if (taken == published && published < 40) {
      published += 8;
      for (int i = 0; i < 8; ++i) {
        publisher->publish(std::make_unique<Int32>());
      }
    }
  });
  executor.add_node(node);
  // The first messages come before takt has looked for messages from before the spin.
  while (!timer->is_ready()) {
    std::this_thread::sleep_for(1ms);
  }
  executor.spin();
}

// When its context ends, the program ends a helper's spin, on the thread that ends the context.
void the_end_joins_a_spin()
{
  auto helper = std::make_shared<rclcpp::Node>("helper");
  auto of_helper = std::make_shared<SingleThreadedExecutor>();
  of_helper->add_node(helper);
  std::thread thread([&] { of_helper->spin(); });
  while (!of_helper->is_spinning()) {  // a spin that begins after its cancel does not end
    std::this_thread::yield();
  }
  rclcpp::contexts::get_global_default_context()->add_pre_shutdown_callback([&] {
    of_helper->cancel();
    thread.join();
    say("joined");
  });
  auto node = std::make_shared<rclcpp::Node>("ends");
  auto timer = node->create_wall_timer(20ms, shut_down);
  rclcpp::spin(node);
  say(rclcpp::ok() ? "ok" : "ended");
}

// Ctrl-C while many callbacks run and publish.
void interrupted_under_load()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 4);
  auto node = std::make_shared<rclcpp::Node>("busy");
  auto publisher = node->create_publisher<Int32>("busy", 10);
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups;
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  std::vector<rclcpp::Subscription<Int32>::SharedPtr> subscriptions;
  std::atomic<int> heard{0};
  for (int i = 0; i < 8; ++i) {
    groups.push_back(node->create_callback_group(rclcpp::CallbackGroupType::Reentrant));
    timers.push_back(node->create_wall_timer(
      1ms, [&] { publisher->publish(Int32()); }, groups.back()));
    rclcpp::SubscriptionOptions options;
    options.callback_group = groups.back();
    subscriptions.push_back(node->create_subscription<Int32>(
      "busy", 10,
      [&](const Int32 &) {
        if (++heard == 100) {
          ::kill(::getpid(), SIGINT);
        }
      },
      options));
  }
  executor.add_node(node);
  executor.spin();
  say(rclcpp::ok() ? "ok" : "ended");
}

void forks()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<Counting>("forks", 10, [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", "exit 7", static_cast<char *>(nullptr));
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    say("child " + std::to_string(WEXITSTATUS(status)));
    say("shell " + std::to_string(WEXITSTATUS(std::system("exit 3"))));
    executor.cancel();
  });
  executor.add_node(node);
  executor.spin();
}

// A library's own node, named by an address as tf2's listener is.
void anonymous_node()
{
  SingleThreadedExecutor executor;
  std::ostringstream name;
  name << "listener_impl_" << std::hex << reinterpret_cast<std::uintptr_t>(&executor);
  auto anonymous = std::make_shared<rclcpp::Node>(name.str());
  auto named = std::make_shared<Counting>("named", 10, [&] { executor.cancel(); });
  int fired = 0;
  auto timer = anonymous->create_wall_timer(1ms, [&] { ++fired; });
  auto same = anonymous->create_wall_timer(1ms, [&] { ++fired; });
  executor.add_node(anonymous);
  executor.add_node(named);
  executor.spin();
  say(fired > 0 ? "fired" : "silent");
}

// As `anonymous_node`, but the group is added by itself, as tf2 does.
void anonymous_group()
{
  SingleThreadedExecutor executor;
  std::ostringstream name;
  name << "listener_impl_" << std::hex << reinterpret_cast<std::uintptr_t>(&executor);
  auto node = std::make_shared<rclcpp::Node>(name.str());
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  int fired = 0;
  auto timer = node->create_wall_timer(
    1ms,
    [&] {
      if (++fired == 10) {
        executor.cancel();
      }
    },
    group);
  executor.add_callback_group(group, node->get_node_base_interface());
  executor.spin();
  say("fired " + std::to_string(fired));
}

// A pool with a node whose timers note the threads that run them, until `end`.
class Pool
{
public:
  Pool(const std::string & name, std::function<void(Pool &, int)> each)
  : executor_(rclcpp::ExecutorOptions(), 2),
    node_(std::make_shared<rclcpp::Node>(name)),
    each_(std::move(each))
  {
    for (int i = 0; i < 2; ++i) {
      groups_.push_back(node_->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive));
      timers_.push_back(node_->create_wall_timer(
        1ms,
        [this] {
          {
            const std::lock_guard<std::mutex> lock(mutex());
            threads().insert(std::this_thread::get_id());
          }
          each_(*this, ++fired_);
        },
        groups_.back()));
    }
    executor_.add_node(node_);
  }
  MultiThreadedExecutor & executor() { return executor_; }

  static std::mutex & mutex()
  {
    static std::mutex one;
    return one;
  }
  static std::set<std::thread::id> & threads()
  {
    static std::set<std::thread::id> all;
    return all;
  }

private:
  MultiThreadedExecutor executor_;
  rclcpp::Node::SharedPtr node_;
  std::function<void(Pool &, int)> each_;
  std::atomic<int> fired_{0};
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups_;
  std::vector<rclcpp::TimerBase::SharedPtr> timers_;
};

void two_pools()
{
  const auto until_100 = [](Pool & pool, int fired) {
    if (fired >= 100) {
      pool.executor().cancel();
    }
  };
  Pool one("one", until_100);
  Pool two("two", until_100);
  std::thread other([&] { one.executor().spin(); });
  two.executor().spin();
  other.join();
  say("both");
  std::fprintf(stderr, "threads %zu\n", Pool::threads().size());
}

void one_of_two_pools_throws()
{
  std::atomic<bool> caught{false};
  Pool throws("throws", [](Pool &, int fired) {
    if (fired == 5) {
      throw std::runtime_error("thrown by a callback");
    }
  });
  Pool goes_on("goes_on", [&](Pool & pool, int) {
    if (caught) {
      pool.executor().cancel();
    }
  });
  std::thread other([&] { goes_on.executor().spin(); });
  // The stock pool ends the whole program if a thread other than the caller's throws.
  try {
    throws.executor().spin();
  } catch (const std::exception & error) {
    say(std::string("caught: ") + error.what());
  }
  caught = true;
  other.join();
  say("went on");
}

// Under the schedule of the test this callback is the only one on its thread. It waits for an
// answer of a service and a client that it makes itself.
void waits_for_what_it_makes()
{
  auto node = std::make_shared<rclcpp::Node>("waits");
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups;  // a node does not keep them
  const auto group = [&] {
    return groups.emplace_back(
      node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive));
  };
  using Ask = rcl_interfaces::srv::ListParameters;
  auto service = node->create_service<Ask>(
    "late",
    [](const Ask::Request::SharedPtr, Ask::Response::SharedPtr response) {
      response->result.names = {"answer"};
    },
    rclcpp::ServicesQoS(), group());
  rclcpp::TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(2ms, [&] {
    timer->cancel();  // run only once
    auto client = node->create_client<Ask>("late", rclcpp::ServicesQoS(), group());
    client->wait_for_service();
    auto future = client->async_send_request(std::make_shared<Ask::Request>());
    // Make further changes at shorter intervals than the first change may wait.
    std::vector<rclcpp::TimerBase::SharedPtr> others;
    bool answered = false;
    for (int i = 0; i < 500 && !answered; ++i) {
      others.push_back(node->create_wall_timer(
        1h, [] {}, group()));
      answered = future.future.wait_for(20ms) == std::future_status::ready;
    }
    say(answered ? "an " + future.future.get()->result.names.front() : "no answer");
    rclcpp::shutdown();
  });
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  executor.spin();
}

// Counts the policies of the threads at the first instruction of the first callback of each group.
// Two of the groups are made during the spin.
void first_callbacks()
{
  auto node = std::make_shared<rclcpp::Node>("first");
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups;
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  std::mutex mutex;
  std::map<std::string, int> policies;
  int looked = 0;
  std::function<void(int)> add = [&](int later) {
    groups.push_back(node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive));
    timers.push_back(node->create_wall_timer(
      1ms,
      [&, later, first = std::make_shared<bool>(true)] {
        const int policy = ::sched_getscheduler(0);
        if (!std::exchange(*first, false)) {
          return;
        }
        const std::lock_guard lock(mutex);
        ++policies[policy == SCHED_FIFO ? "fifo" : "other"];
        if (++looked == 6) {
          for (const auto & [name, count] : policies) {
            say(name + " " + std::to_string(count));
          }
          rclcpp::shutdown();
        } else if (later > 0) {
          add(later - 1);
        }
      },
      groups.back()));
  };
  for (int i = 0; i < 3; ++i) {
    add(0);
  }
  add(2);
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  executor.spin();
}

/// Policy, priority, nice value and cores of this thread, as the kernel says, e.g. "1 45 0 2,3".
std::string attributes_now()
{
  sched_param param{};
  cpu_set_t cores;
  ::sched_getparam(0, &param);
  ::sched_getaffinity(0, sizeof cores, &cores);
  std::string text = std::to_string(::sched_getscheduler(0)) + ' ' +
                     std::to_string(param.sched_priority) + ' ' +
                     std::to_string(::getpriority(PRIO_PROCESS, 0));
  char comma = ' ';
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) {
      text += comma + std::to_string(core);
      comma = ',';
    }
  }
  return text;
}

/// Reads the attributes of the calling thread, and prints them if they have changed since the last
/// call.
std::function<void()> look_of(const std::string & name)
{
  return [name, seen = std::make_shared<std::string>()] {
    if (const std::string now = attributes_now(); now != *seen) {
      say(name + ' ' + now);
      *seen = now;
    }
  };
}

// Goes on until a signal. Each callback reads its thread's attributes at its first instruction.
// takt_rcl/test/peers/looks.cpp does the same without rclcpp.
void looks()
{
  auto node = std::make_shared<rclcpp::Node>("looks");
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups;  // the node does not hold them
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  const auto add = [&](std::chrono::milliseconds period, const std::function<void()> & callback) {
    groups.push_back(node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive));
    timers.push_back(node->create_wall_timer(period, callback, groups.back()));
  };
  bool late = false;
  add(10ms, look_of("hot"));
  add(20ms, look_of("rest"));
  add(30ms, [&, look = look_of("alone")] {
    look();
    if (!std::exchange(late, true)) {  // the executor gets one more timer while it spins
      add(40ms, look_of("late"));
    }
  });
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  executor.spin();
}

// Two executors, one after the other, at one address.
void one_after_the_other()
{
  rclcpp::spin(std::make_shared<Counting>("first", 5, shut_down));
  rclcpp::init(0, nullptr);
  rclcpp::spin(std::make_shared<Counting>("second", 5, shut_down));
}

void parts_of_a_spin()
{
  auto node = std::make_shared<rclcpp::Node>("parts");
  int fired = 0;
  auto timer = node->create_wall_timer(1ms, [&] { ++fired; });
  while (fired < 5) {
    rclcpp::spin_some(node);
  }
  say("fired");
}

enum class AtTheLast
{
  program_ends,
  subscription_goes,
  subscription_goes_and_others_come,  // takt looks for changed entities when a new one is made
};

// Each run of the subscription but the last publishes 30 messages into a history of 10. Then the
// program or the subscription ends while messages wait. The first takes look for messages from
// before the spin, so there are more runs than such takes.
template <AtTheLast end>
void overwritten()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  auto node = std::make_shared<rclcpp::Node>("slow");
  auto publisher = node->create_publisher<Int32>("~/numbers", 100);
  constexpr int kRuns = 15;
  Int32 message;
  int taken = 0;
  int later = 0;
  rclcpp::TimerBase::SharedPtr other;
  rclcpp::Subscription<Int32>::SharedPtr subscription;
  subscription = node->create_subscription<Int32>("~/numbers", 10, [&](const Int32 & number) {
    if (++taken < kRuns) {
      for (int i = 0; i < 30; ++i) {
        ++message.data;
        publisher->publish(message);
      }
    } else if (taken == kRuns) {
      say("lost " + std::to_string(number.data - taken));
      if (end == AtTheLast::program_ends) {
        shut_down();
        return;
      }
      subscription.reset();
      if (end == AtTheLast::subscription_goes_and_others_come) {
        other = node->create_wall_timer(1s, [] {});
      }
    }
  });
  const auto timer = node->create_wall_timer(1ms, [&] {
    if (message.data == 0 && publisher->get_subscription_count() > 0) {
      ++message.data;
      publisher->publish(message);
    } else if (taken >= kRuns && ++later == 20) {
      shut_down();
    }
  });
  executor.add_node(node);
  executor.spin();
}

// A timer calls a service of its own process and waits for the answer, which another callback
// brings. Each callback is in a group of its own. Ends after `times` calls.
void calls(int times, std::chrono::seconds patience)
{
  using Ask = rcl_interfaces::srv::ListParameters;
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  auto node = std::make_shared<rclcpp::Node>("caller");
  const auto of_service = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  const auto of_client = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  const auto service = node->create_service<Ask>(
    "/work", [](const Ask::Request::SharedPtr, Ask::Response::SharedPtr) {}, rclcpp::ServicesQoS(),
    of_service);
  const auto client = node->create_client<Ask>("/work", rclcpp::ServicesQoS(), of_client);
  int answers = 0;
  int timeouts = 0;
  const auto timer = node->create_wall_timer(100ms, [&] {
    const auto answer = client->async_send_request(std::make_shared<Ask::Request>());
    (answer.wait_for(patience) == std::future_status::ready ? answers : timeouts)++;
    if (answers + timeouts == times) {
      shut_down();
    }
  });
  executor.add_node(node);
  executor.spin();
  say(std::to_string(answers) + " answers, " + std::to_string(timeouts) + " timeouts");
}

void calls_in_a_callback()
{
  calls(10, 2s);
}

void calls_and_gives_up()
{
  calls(5, 1s);
}

std::chrono::nanoseconds own_cpu_time()
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void pin_to(int core)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

// Two timers run once each. The callback of the first only computes, and other threads have its
// core for 10 ms of its run. The callback of the second sleeps.
void preempted_and_asleep()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("late");
  const int core = ::sched_getcpu();
  std::atomic<bool> over{false};
  pin_to(core);
  // The thread inherits the core.
  std::thread other([&] {
    while (!over) {
    }
  });
  rclcpp::TimerBase::SharedPtr asleep;
  rclcpp::TimerBase::SharedPtr preempted;
  preempted = node->create_wall_timer(1ms, [&] {
    pin_to(core);  // under a schedule the callback runs on another thread
    const auto began = std::chrono::steady_clock::now() - own_cpu_time();
    while (std::chrono::steady_clock::now() - own_cpu_time() < began + 10ms) {
    }
    over = true;
    preempted->cancel();
    asleep->reset();
  });
  asleep = node->create_wall_timer(2ms, [&] {
    std::this_thread::sleep_for(20ms);
    shut_down();
  });
  asleep->cancel();
  executor.add_node(node);
  executor.spin();
  other.join();
  say("both ran");
}

// The callback of one timer publishes twice after its work, and that of the other one works on
// after it has published.
void publishes_last_and_before()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("talks");
  auto last = node->create_publisher<Int32>("last", 1);
  auto before = node->create_publisher<Int32>("before", 1);
  const auto work = [] {
    const auto end = own_cpu_time() + 500us;
    while (own_cpu_time() < end) {
    }
  };
  int runs = 0;
  auto works_first = node->create_wall_timer(2ms, [&] {
    work();
    last->publish(Int32());
    last->publish(Int32());
    if (++runs == 300) {
      executor.cancel();
    }
  });
  auto works_on = node->create_wall_timer(3ms, [&] {
    before->publish(Int32());
    work();
  });
  executor.add_node(node);
  executor.spin();
  say("300 runs");
}

/// True if standard error, which must be a file, has `words`.
bool is_told(const std::string & words)
{
  std::ifstream errors("/proc/self/fd/2");
  std::ostringstream all;
  all << errors.rdbuf();
  return all.str().find(words) != std::string::npos;
}

// As `calls_in_a_callback`, once: waits until the answer comes, or until takt reports that no
// answer can come.
void waits_for_its_own_thread(rclcpp::Executor & executor, bool own_groups)
{
  using Ask = rcl_interfaces::srv::ListParameters;
  auto node = std::make_shared<rclcpp::Node>("caller");
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups;  // the node does not keep them
  const auto group = [&] {
    groups.push_back(
      own_groups ? node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive)
                 : nullptr);
    return groups.back();
  };
  const auto service = node->create_service<Ask>(
    "/work", [](const Ask::Request::SharedPtr, Ask::Response::SharedPtr) {}, rclcpp::ServicesQoS(),
    group());
  const auto client = node->create_client<Ask>("/work", rclcpp::ServicesQoS(), group());
  const auto timer = node->create_wall_timer(10ms, [&] {
    const auto answer = client->async_send_request(std::make_shared<Ask::Request>());
    bool answered = false;
    bool told = false;
    while (!answered && !told) {
      answered = answer.wait_for(100ms) == std::future_status::ready;
      told = is_told("sent a request to /work and has slept");
    }
    say(answered ? "answered" : "told");
    shut_down();
  });
  executor.add_node(node);
  executor.spin();
}

void waits_in_a_pool()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  waits_for_its_own_thread(executor, true);
}

void waits_in_its_group()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  waits_for_its_own_thread(executor, false);
}

void waits_on_the_only_thread()
{
  SingleThreadedExecutor executor;
  waits_for_its_own_thread(executor, true);
}

}  // namespace

Ways ways_of_waiting()
{
  return {
    {"messages_wait_for_the_next_spin", messages_wait_for_the_next_spin},
    {"messages_wait_for_a_pool", messages_wait_for_a_pool},
    {"messages_wait_for_an_events_executor", messages_wait_for_an_events_executor},
    {"messages_wait_within_the_process", messages_wait_within_the_process},
    {"bursts_within_the_process", bursts_within_the_process},
    {"the_end_joins_a_spin", the_end_joins_a_spin},
    {"interrupted_under_load", interrupted_under_load},
    {"forks", forks},
    {"anonymous_node", anonymous_node},
    {"anonymous_group", anonymous_group},
    {"two_pools", two_pools},
    {"one_of_two_pools_throws", one_of_two_pools_throws},
    {"waits_for_what_it_makes", waits_for_what_it_makes},
    {"first_callbacks", first_callbacks},
    {"looks", looks},
    {"calls_in_a_callback", calls_in_a_callback},
    {"calls_and_gives_up", calls_and_gives_up},
    {"preempted_and_asleep", preempted_and_asleep},
    {"publishes_last_and_before", publishes_last_and_before},
    {"waits_in_a_pool", waits_in_a_pool},
    {"waits_in_its_group", waits_in_its_group},
    {"waits_on_the_only_thread", waits_on_the_only_thread},
    {"one_after_the_other", one_after_the_other},
    {"parts_of_a_spin", parts_of_a_spin},
    {"overwritten_at_the_end", overwritten<AtTheLast::program_ends>},
    {"overwritten_and_gone", overwritten<AtTheLast::subscription_goes>},
    {"overwritten_and_left", overwritten<AtTheLast::subscription_goes_and_others_come>},
  };
}
