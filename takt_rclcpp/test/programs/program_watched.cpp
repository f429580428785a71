// A program for tests of watching. Lines on its standard input first choose its callbacks, and then
// what these do.
//
// Before `spin THREADS` (0: a single-threaded executor), each with a group of its own:
//   intra                                the node's messages stay within the process
//   sub TOPIC DEPTH reliable|best_effort
//   pub TOPIC COUNT DEPTH reliable|best_effort
//   timer MS
//   service
// Afterwards; WHAT is a topic, `timer` or `service`:
//   work WHAT US       each run takes this much processor time
//   sleep WHAT | hold WHAT | free WHAT   runs sleep, or are busy, until `free`
//   on TOPIC OTHER     each run publishes on another topic right before it returns
//   mark TOPIC I N     a message of the publisher I that is known by the number N
//   burst TOPIC N      N messages of each publisher, as fast as they can
//   pace TOPIC HZ      a thread publishes at this rate; 0: it stops
//   keep TOPIC HZ      as pace, but delayed messages follow later, so that the rate holds
//   call N             requests to the service
//   state              says how many messages were handled and published, as JSON
//   quit
#include <time.h>

#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sstream>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

/// Exported, as functions of components are, so that a stack can name it.
__attribute__((noinline, visibility("default"))) void busy_until_it_is_free(
  const std::atomic<bool> & held)
{
  while (held) {
  }
}

namespace
{

using Number = std_msgs::msg::UInt64;
using Ask = rcl_interfaces::srv::ListParameters;
// the numbers of each publisher's markers are below this
constexpr std::uint64_t kMarkers = 1'000'000;

std::int64_t processor_time_ns()
{
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// The work of a callback, and the counts of its runs.
struct Part
{
  std::atomic<int> work_us{0};
  std::atomic<bool> busy{false};
  std::atomic<std::uint64_t> runs{0};
  std::mutex mutex;
  std::condition_variable freed;
  bool sleeps = false;
  std::vector<std::uint64_t> markers;  // the last marker of each publisher
  rclcpp::Publisher<Number>::SharedPtr then;

  void run()
  {
    const std::int64_t until = processor_time_ns() + std::int64_t{work_us} * 1000;
    while (work_us > 0 && processor_time_ns() < until) {
    }
    busy_until_it_is_free(busy);
    std::unique_lock lock(mutex);
    freed.wait(lock, [this] { return !sleeps; });
    if (then != nullptr) {
      then->publish(Number());
    }
    ++runs;
  }
  void mark(std::uint64_t marker)
  {
    const std::lock_guard lock(mutex);
    const std::uint64_t publisher = marker / kMarkers - 1;
    if (markers.size() <= publisher) {
      markers.resize(publisher + 1);
    }
    markers[publisher] = marker % kMarkers;
  }
  void set_sleeps(bool value)
  {
    const std::lock_guard lock(mutex);
    sleeps = value;
    freed.notify_all();
  }
  void free()
  {
    busy = false;
    set_sleeps(false);
  }
};

/// All publishers of a topic.
struct Publishers
{
  std::vector<rclcpp::Publisher<Number>::SharedPtr> all;
  std::atomic<std::uint64_t> published{0};
  std::atomic<int> pace{0};
  bool keeps_rate = false;  // guarded by the mutex
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;

  void publish(std::size_t publisher, std::uint64_t value)
  {
    auto message = std::make_unique<Number>();
    message->data = value;
    all[publisher]->publish(std::move(message));
    ++published;
  }
  void burst(int count)
  {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < all.size(); ++i) {
      threads.emplace_back([this, i, count] {
        for (int n = 0; n < count; ++n) {
          publish(i, 0);
        }
      });
    }
    for (auto & one : threads) {
      one.join();
    }
  }
  // Never faster than the pace, except with `keep`, which makes up for lost time.
  void run_at_pace()
  {
    using Clock = std::chrono::steady_clock;
    std::unique_lock lock(mutex);
    Clock::time_point next = Clock::now();
    int known = 0;
    while (!over) {
      if (pace == 0) {
        changed.wait(lock);
        continue;
      }
      const std::chrono::microseconds period(1'000'000 / pace);
      if (known != pace || !keeps_rate) {
        known = pace;
        next = Clock::now();
      }
      next += period;
      changed.wait_until(lock, next);
      if (pace > 0 && !over) {
        publish(0, 0);
      }
    }
  }
  void set_pace(int hz, bool keeps)
  {
    {
      const std::lock_guard lock(mutex);
      pace = hz;
      keeps_rate = keeps;
    }
    if (!thread.joinable()) {
      thread = std::thread([this] { run_at_pace(); });
    }
    changed.notify_all();
  }
  void end()
  {
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    changed.notify_all();
    if (thread.joinable()) {
      thread.join();
    }
  }
};

class Watched
{
public:
  void run()
  {
    std::string line;
    int threads = 0;
    while (std::getline(std::cin, line)) {
      std::istringstream words(line);
      std::string verb;
      words >> verb;
      if (verb == "spin") {
        words >> threads;
        break;
      }
      declare(verb, words);
    }
    // The program also ends when its standard input ends.
    std::thread commands([this] {
      for (std::string command; std::getline(std::cin, command) && obey(command);) {
      }
      for (auto & [name, part] : parts_) {
        part.free();
      }
      rclcpp::shutdown();
    });
    const std::shared_ptr<rclcpp::Executor> executor = executor_of(threads);
    executor->add_node(node());
    executor->spin();
    for (auto & [topic, publishers] : publishers_) {
      publishers.end();
    }
    commands.join();
  }

private:
  static std::shared_ptr<rclcpp::Executor> executor_of(int threads)
  {
    if (threads == 0) {
      return std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
    }
    return std::make_shared<rclcpp::executors::MultiThreadedExecutor>(
      rclcpp::ExecutorOptions(), static_cast<std::size_t>(threads));
  }
  const rclcpp::Node::SharedPtr & node()
  {
    if (node_ == nullptr) {
      node_ = std::make_shared<rclcpp::Node>(
        "watched", rclcpp::NodeOptions().use_intra_process_comms(intra_));
    }
    return node_;
  }
  rclcpp::CallbackGroup::SharedPtr group()
  {
    groups_.push_back(node()->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive));
    return groups_.back();
  }
  static rclcpp::QoS qos(std::istringstream & words)
  {
    std::size_t depth = 1;
    std::string reliability;
    words >> depth >> reliability;
    rclcpp::QoS result(depth);
    return reliability == "best_effort" ? result.best_effort() : result.reliable();
  }

  void declare(const std::string & verb, std::istringstream & words)
  {
    std::string topic;
    if (verb == "intra") {
      intra_ = true;
    } else if (verb == "sub") {
      words >> topic;
      Part & part = parts_[topic];
      rclcpp::SubscriptionOptions options;
      options.callback_group = group();
      entities_.push_back(node()->create_subscription<Number>(
        topic, qos(words),
        [&part](Number::UniquePtr message) {
          if (message->data >= kMarkers) {
            part.mark(message->data);
          }
          part.run();
        },
        options));
    } else if (verb == "pub") {
      std::size_t count = 0;
      words >> topic >> count;
      const rclcpp::QoS quality = qos(words);
      for (std::size_t i = 0; i < count; ++i) {
        publishers_[topic].all.push_back(node()->create_publisher<Number>(topic, quality));
      }
    } else if (verb == "timer") {
      int period = 0;
      words >> period;
      entities_.push_back(node()->create_wall_timer(
        std::chrono::milliseconds(period), [&part = parts_["timer"]] { part.run(); }, group()));
    } else if (verb == "service") {
      entities_.push_back(node()->create_service<Ask>(
        "ask",
        [&part = parts_["service"]](const Ask::Request::SharedPtr, Ask::Response::SharedPtr) {
          part.run();
        },
        rclcpp::ServicesQoS(), group()));
      parts_["client"];  // made now, before other threads use `parts_`
      client_ = node()->create_client<Ask>("ask", rclcpp::ServicesQoS(), group());
    }
  }

  bool obey(const std::string & command)
  {
    std::istringstream words(command);
    std::string verb;
    std::string what;
    int number = 0;
    words >> verb;
    if (verb == "state") {
      say(state());
      return true;
    }
    if (verb == "quit") {
      return false;
    }
    words >> what;
    if (verb == "call") {
      for (number = std::stoi(what); number > 0; --number) {
        client_->async_send_request(
          std::make_shared<Ask::Request>(),
          [&part = parts_.at("client")](rclcpp::Client<Ask>::SharedFuture) { ++part.runs; });
      }
    } else if (verb == "work") {
      words >> number;
      parts_.at(what).work_us = number;
    } else if (verb == "hold") {
      parts_.at(what).busy = true;
    } else if (verb == "sleep") {
      parts_.at(what).set_sleeps(true);
    } else if (verb == "free") {
      parts_.at(what).free();
    } else if (verb == "on") {
      std::string other;
      words >> other;
      Part & part = parts_.at(what);
      const std::lock_guard lock(part.mutex);
      part.then = publishers_.at(other).all.front();
    } else if (verb == "mark") {
      std::size_t publisher = 0;
      words >> publisher >> number;
      publishers_.at(what).publish(publisher, (publisher + 1) * kMarkers + std::uint64_t(number));
    } else if (verb == "burst") {
      words >> number;
      publishers_.at(what).burst(number);
    } else if (verb == "pace" || verb == "keep") {
      words >> number;
      publishers_.at(what).set_pace(number, verb == "keep");
    }
    say("done");
    return true;
  }

  std::string state()
  {
    std::ostringstream out;
    out << "{\"runs\": {";
    const char * comma = "";
    for (auto & [name, part] : parts_) {
      out << comma << '"' << name << "\": " << part.runs;
      comma = ", ";
    }
    out << "}, \"markers\": {";
    comma = "";
    for (auto & [name, part] : parts_) {
      const std::lock_guard lock(part.mutex);
      out << comma << '"' << name << "\": [";
      const char * inner = "";
      for (const std::uint64_t taken : part.markers) {
        out << inner << taken;
        inner = ", ";
      }
      out << ']';
      comma = ", ";
    }
    out << "}, \"published\": {";
    comma = "";
    for (auto & [name, publishers] : publishers_) {
      out << comma << '"' << name << "\": " << publishers.published;
      comma = ", ";
    }
    out << "}}";
    return out.str();
  }

  // Declared before the node, because the node's callbacks use them.
  std::map<std::string, Part> parts_;
  std::map<std::string, Publishers> publishers_;
  bool intra_ = false;
  rclcpp::Node::SharedPtr node_;
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups_;
  std::vector<std::shared_ptr<void>> entities_;
  rclcpp::Client<Ask>::SharedPtr client_;
};

void watched()
{
  Watched().run();
}

}  // namespace

Ways ways_of_watching()
{
  return {{"watched", watched}};
}
