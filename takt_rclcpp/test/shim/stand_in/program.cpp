// An "unmodified program": spins in the way that its first argument names.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "shim/interface.h"
#include "shim/stand_in/rclcpp.hpp"

namespace
{

using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

class Derived : public SingleThreadedExecutor
{
};

namespace other
{
// An executor of another library, with a spin of its own.
class Isolating : public rclcpp::Executor
{
public:
  void spin() override { std::printf("own spin\n"); }
};
}  // namespace other

// Spins when the process ends.
struct AtExit
{
  bool spins = false;
  ~AtExit()
  {
    if (spins) {
      SingleThreadedExecutor executor;
      executor.spin();
    }
  }
} g_at_exit;

// An executor with a spin of its own.
class Own : public rclcpp::Executor
{
public:
  void spin() override { std::printf("own spin\n"); }
};

// The protection of the page, such as "rw-p".
std::string protection_of(const void * address)
{
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char may[5] = {};
    if (
      std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, may) == 3 &&
      begin <= reinterpret_cast<std::uintptr_t>(address) &&
      reinterpret_cast<std::uintptr_t>(address) < end) {
      return may;
    }
  }
  return "not there";
}

int in_child()
{
  const pid_t child = ::fork();
  if (child == 0) {
    SingleThreadedExecutor executor;
    executor.spin();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void make()
{
  rclcpp::node_interfaces::NodeTimers timers;
  rclcpp::node_interfaces::NodeTopics topics;
  const auto timer = std::make_shared<rclcpp::TimerBase>();
  const auto never = std::make_shared<rclcpp::TimerBase>();
  const auto subscription = std::make_shared<rclcpp::SubscriptionBase>();
  rclcpp::node_interfaces::make(timers, timer, topics, subscription);
  const auto made_as = reinterpret_cast<takt_made_as>(::dlsym(RTLD_DEFAULT, TAKT_MADE_AS_SYMBOL));
  if (made_as != nullptr) {
    std::printf(
      "made as %llu, %llu and %llu\n", made_as(timer.get()), made_as(subscription.get()),
      made_as(never.get()));
  }
}

void make_publishers()
{
  const void * first = nullptr;
  const void * refused = nullptr;
  const int type = 0;
  rcl_publisher_init(&first, nullptr, &type, "first", nullptr);
  rcl_publisher_init(&refused, nullptr, &type, "refused", nullptr);
  const auto type_of = reinterpret_cast<takt_type_of>(::dlsym(RTLD_DEFAULT, TAKT_TYPE_OF_SYMBOL));
  const auto say_known = [&] {
    if (type_of != nullptr) {
      const void * const copy = first;
      std::printf(
        "known: %d, %d\n", type_of(&copy) == &type ? 1 : 0, type_of(&refused) == nullptr ? 0 : 1);
    }
  };
  say_known();
  SingleThreadedExecutor().spin();
  rcl_publisher_fini(&first, nullptr);
  say_known();
}

int run(const std::string & way)
{
  SingleThreadedExecutor single;
  if (way == "stack") {
    single.spin();
  } else if (way == "init") {
    rclcpp::init(0, nullptr, {}, rclcpp::SignalHandlerOptions::All);
    std::printf("goes on\n");
    single.spin();
  } else if (way == "multi") {
    MultiThreadedExecutor multi;
    multi.spin();
  } else if (way == "static") {
    rclcpp::executors::StaticSingleThreadedExecutor one;
    one.spin();
  } else if (way == "pointer") {
    const std::shared_ptr<rclcpp::Executor> executor = std::make_shared<MultiThreadedExecutor>();
    executor->spin();
  } else if (way == "derived") {
    Derived derived;
    static_cast<rclcpp::Executor &>(derived).spin();
  } else if (way == "library") {
    rclcpp::spin_virtually(single);
  } else if (way == "events") {
    rclcpp::experimental::executors::EventsExecutor events;
    events.handle_updated_entities(true);
    events.spin();
    events.handle_updated_entities(true);
  } else if (way == "events of Jazzy") {
    rclcpp::experimental::executors::EventsExecutor events;
    rclcpp::Executor & executor = events;
    const auto node = std::make_shared<rclcpp::node_interfaces::NodeBaseInterface>();
    executor.add_node(node, true);
    events.spin();
    executor.add_node(node, true);
    executor.remove_node(node, true);
    executor.add_callback_group(nullptr, node, true);
    executor.remove_callback_group(nullptr, true);
  } else if (way == "cbg") {
    rclcpp::executors::EventsCBGExecutor cbg;
    static_cast<rclcpp::Executor &>(cbg).spin();
    cbg.spin([](const std::exception &) {});
  } else if (way == "other") {
    other::Isolating isolating;
    isolating.add_node(std::make_shared<rclcpp::Node>());
    static_cast<rclcpp::Executor &>(isolating).add_node(
      std::make_shared<rclcpp::node_interfaces::NodeBaseInterface>());
    isolating.spin();
    single.add_node(std::make_shared<rclcpp::Node>());
  } else if (way == "node") {
    rclcpp::spin(std::make_shared<rclcpp::Node>());
  } else if (way == "node base") {
    rclcpp::spin(std::make_shared<rclcpp::node_interfaces::NodeBaseInterface>());
  } else if (way == "twice") {
    single.spin();
    single.spin();
  } else if (way == "fork") {
    return in_child();
  } else if (way == "fork after") {
    single.spin();
    return in_child();
  } else if (way == "exit") {
    g_at_exit.spins = true;
  } else if (way == "catch") {
    try {
      single.spin();
    } catch (const std::runtime_error & error) {
      std::printf("caught %s\n", error.what());
    }
  } else if (way == "parts") {
    const std::shared_ptr<rclcpp::Executor> executor = std::make_shared<SingleThreadedExecutor>();
    executor->spin_some(std::chrono::nanoseconds(1));
    single.Executor::spin_some(std::chrono::nanoseconds(2));
    executor->spin_all(std::chrono::nanoseconds(3));
    executor->spin_once(std::chrono::nanoseconds(-1));
    std::printf(
      "%d\n", executor->spin_until_future_complete_impl(
                std::chrono::nanoseconds(5), [](auto) { return std::future_status::deferred; }));
  } else if (way == "make") {
    make();
  } else if (way == "publishers") {
    make_publishers();
  } else if (way == "group") {
    single.add_callback_group(nullptr, nullptr, true);
  } else if (way == "publish") {
    std::printf("%d\n", rcl_publish(nullptr, nullptr, nullptr));
    single.spin();
    std::printf("%d\n", rcl_publish(nullptr, nullptr, nullptr));
  } else if (way == "request") {
    std::int64_t number = 0;
    std::printf("%d\n", rcl_send_request(nullptr, nullptr, &number));
    single.spin();
    std::printf("%d\n", rcl_send_request(nullptr, nullptr, &number));
  } else if (way == "protection") {
    // The library's own table: the program may have a copy of it.
    void * const library = ::dlopen("librclcpp.so", RTLD_NOLOAD | RTLD_LAZY);
    std::printf(
      "%s\n",
      protection_of(::dlsym(library, "_ZTVN6rclcpp9executors22SingleThreadedExecutorE")).c_str());
  } else if (way == "idle") {
    rclcpp::spin_virtually(*std::make_unique<Own>());
  } else if (way == "environment") {
    single.spin();
    std::fflush(stdout);
    return std::system(
      "env | grep -E "
      "'^(TAKT_(SCHEDULE|EXECUTOR|STRICT|QUIET|OBSERVE|REPORT_DIR|CHILDREN|LD_PRELOAD)=|LD_PRELOAD="
      ".*"
      "takt_preload)'; true");
  } else if (way == "children") {
    single.spin();
    std::fflush(stdout);
    return std::system("echo \"child: ${LD_PRELOAD##*/}\"") == 0 ? 0 : 1;
  } else {
    return 64;
  }
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  return argc == 2 ? run(argv[1]) : 64;
}
