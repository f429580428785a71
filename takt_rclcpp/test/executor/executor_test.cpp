// takt_rclcpp::Executor in the place of rclcpp's executors: the promises of every rclcpp executor,
// and the additions of a schedule.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <mutex>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/rclcpp.hpp>
#include <set>
#include <std_msgs/msg/int32.hpp>
#include <thread>

#include "takt_rclcpp/executor.hpp"

namespace
{

using namespace std::chrono_literals;
using std_msgs::msg::Int32;
using takt_rclcpp::Executor;

class Executors : public testing::Test
{
protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  static rclcpp::Node::SharedPtr node(const std::string & name)
  {
    return std::make_shared<rclcpp::Node>(name);
  }
  static rclcpp::TimerBase::SharedPtr every(
    const rclcpp::Node::SharedPtr & node, std::chrono::milliseconds period,
    std::function<void()> function, rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return node->create_wall_timer(period, std::move(function), std::move(group));
  }
};

class ScheduleFile
{
public:
  explicit ScheduleFile(const std::string & text)
  : path_(testing::TempDir() + "/executor_test." + std::to_string(::getpid()) + ".yaml")
  {
    std::ofstream(path_) << text;
  }
  ~ScheduleFile() { std::remove(path_.c_str()); }
  ScheduleFile(const ScheduleFile &) = delete;
  ScheduleFile & operator=(const ScheduleFile &) = delete;
  const std::string & path() const { return path_; }

private:
  const std::string path_;
};

TEST_F(Executors, spin_ends_by_cancel_and_can_be_repeated)
{
  Executor executor;
  auto one = node("one");
  int fired = 0;
  auto timer = every(one, 1ms, [&] {
    ++fired;
    executor.cancel();
  });
  executor.add_node(one);
  for (int i = 1; i <= 5; ++i) {
    executor.spin();
    EXPECT_EQ(fired, i);
    EXPECT_FALSE(executor.is_spinning());
  }
}

TEST_F(Executors, a_cancel_that_came_before_ends_the_next_spin)
{
  Executor executor;
  auto one = node("one");
  executor.add_node(one);
  executor.cancel();
  executor.spin();
  int fired = 0;
  auto timer = every(one, 1ms, [&] {
    ++fired;
    executor.cancel();
  });
  executor.spin();
  EXPECT_EQ(fired, 1);
}

TEST_F(Executors, changes_between_two_spins_end_none)
{
  Executor executor;
  auto one = node("one");
  executor.add_node(one);
  int fired = 0;
  auto first = every(one, 1ms, [&] {
    ++fired;
    executor.cancel();
  });
  executor.spin();
  EXPECT_EQ(fired, 1);
  first->cancel();
  for (int round = 0; round < 3; ++round) {
    auto two = node("two");
    auto timer = every(two, 1ms, [&] {
      fired += 10;
      executor.cancel();
    });
    auto subscription = one->create_subscription<Int32>("topic", 1, [](const Int32 &) {});
    executor.add_node(two);
    fired = 0;
    executor.spin();
    EXPECT_EQ(fired, 10);
    executor.remove_node(two);
  }
  auto third = every(one, 1ms, [&] { fired += 100; });
  executor.spin_once(10s);
  EXPECT_EQ(fired, 110);
  std::this_thread::sleep_for(2ms);
  executor.spin_some();
  EXPECT_EQ(fired, 210);
}

TEST_F(Executors, spin_node_some_runs_a_node_that_is_there_for_that_call)
{
  Executor executor;
  auto one = node("one");
  int fired = 0;
  auto timer = every(one, 1ms, [&] { ++fired; });
  executor.spin_node_some(one);
  std::this_thread::sleep_for(3ms);
  executor.spin_node_some(one);
  EXPECT_GE(fired, 1);
  const int before = fired;
  executor.spin_some();
  EXPECT_EQ(fired, before);
}

// A callback that the schedule does not name runs on the threads of its exclusive group's other
// callbacks.
TEST_F(Executors, callbacks_without_a_rule_follow_their_group)
{
  const ScheduleFile file(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    order: priority\n"
    "    threads: {urgent: {nice: 0}, rest: {nice: 5}}\n"
    "    default: rest\n"
    "    callbacks:\n"
    "      - {match: '/grouped:timer(1ms)', threads: urgent}\n");
  Executor executor(rclcpp::ExecutorOptions(), file.path());
  auto one = node("grouped");
  rclcpp::Subscription<Int32>::SharedPtr late;
  std::thread::id of_timer;
  auto publisher = one->create_publisher<Int32>("late", 1);
  auto idle = one->create_subscription<Int32>("idle", 1, [](const Int32 &) {});
  auto timer = every(one, 1ms, [&] {
    of_timer = std::this_thread::get_id();
    // create the subscription while the executor spins
    if (late == nullptr) {
      late = one->create_subscription<Int32>("late", 1, [&](const Int32 &) {
        EXPECT_EQ(std::this_thread::get_id(), of_timer);
        executor.cancel();
      });
    }
    publisher->publish(Int32());
  });
  executor.add_node(one);
  executor.spin();
}

// The default threads are not the least urgent ones, and the named callback is not the first of its
// group.
TEST_F(Executors, groups_are_placed_whole)
{
  const ScheduleFile file(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    order: priority\n"
    "    threads: {urgent: {nice: 0}, rest: {nice: 5}}\n"
    "    default: urgent\n"
    "    callbacks:\n"
    "      - {match: '/placed:timer(3ms)', threads: rest}\n");
  Executor executor(rclcpp::ExecutorOptions(), file.path());
  auto placed = node("placed");
  auto by_default = node("by_default");
  std::set<std::string> names;
  int runs = 0;
  const auto note = [&](const char * what) {
    char name[16];
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    names.insert(std::string(what) + " on " + name);
    if (++runs >= 100) {
      executor.cancel();
    }
  };
  std::mutex mutex;  // the nodes run on two threads
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  for (const auto & [of, period, what] :
       {std::tuple(placed, 1ms, "unnamed"), std::tuple(placed, 2ms, "unnamed"),
        std::tuple(placed, 3ms, "named"), std::tuple(by_default, 1ms, "default")}) {
    timers.push_back(every(of, period, [&mutex, &note, what = what] {
      const std::lock_guard<std::mutex> lock(mutex);
      note(what);
    }));
  }
  executor.add_node(placed);
  executor.add_node(by_default);
  executor.spin();
  EXPECT_EQ(
    names, (std::set<std::string>{"unnamed on rest", "named on rest", "default on urgent"}));
}

TEST_F(Executors, spin_once_and_spin_until_run_the_programs_own_callbacks)
{
  Executor executor;
  auto one = node("one");
  int heard = 0;
  auto subscription = one->create_subscription<Int32>("once", 10, [&](const Int32 &) { ++heard; });
  auto publisher = one->create_publisher<Int32>("once", 10);
  executor.add_node(one);
  while (publisher->get_subscription_count() == 0 || subscription->get_publisher_count() == 0) {
    std::this_thread::sleep_for(1ms);
  }
  publisher->publish(Int32());
  // The node also gets its own parameter events. takt's own work uses up none of these calls.
  for (int i = 0; i < 20 && heard == 0; ++i) {
    executor.spin_once(10s);
  }
  EXPECT_EQ(heard, 1);
  std::promise<void> promise;
  auto timer = every(one, 1ms, [&] { promise.set_value(); });
  auto future = promise.get_future();
  EXPECT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  timer->cancel();
  std::promise<void> never;
  auto waiting = never.get_future();
  EXPECT_EQ(executor.spin_until_future_complete(waiting, 5ms), rclcpp::FutureReturnCode::TIMEOUT);
}

TEST_F(Executors, parameters_of_a_node_choose_the_schedule)
{
  const ScheduleFile file(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    order: fifo\n"
    "    threads: {of_parameters: {}}\n"
    "    default: of_parameters\n");
  auto one = std::make_shared<rclcpp::Node>(
    "one", rclcpp::NodeOptions().parameter_overrides({{"schedule_file", file.path()}}));
  const auto executor = Executor::from_parameters(*one);
  std::string name(16, '\0');
  auto timer = every(one, 1ms, [&] {
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    executor->cancel();
  });
  executor->add_node(one);
  executor->spin();
  EXPECT_STREQ(name.c_str(), "of_parameters");
  auto bad = std::make_shared<rclcpp::Node>(
    "bad", rclcpp::NodeOptions().parameter_overrides({{"thread_num", 0}}));
  EXPECT_THROW(Executor::from_parameters(*bad), std::invalid_argument);
}

TEST_F(Executors, an_executor_without_nodes_spins_and_ends)
{
  Executor executor;
  std::thread other([&] {
    while (!executor.is_spinning()) {
      std::this_thread::yield();
    }
    executor.cancel();
  });
  executor.spin();
  other.join();
}

TEST_F(Executors, spinning_twice_at_once_is_an_error)
{
  Executor executor;
  auto one = node("one");
  int errors = 0;
  auto timer = every(one, 1ms, [&] {
    for (const auto & spin : std::vector<std::function<void()>>{
           [&] { executor.spin(); }, [&] { executor.spin_some(); }, [&] { executor.spin_all(1ms); },
           [&] { executor.spin_once(0ms); }}) {
      try {
        spin();
      } catch (const std::runtime_error &) {
        ++errors;
      }
    }
    executor.cancel();
  });
  executor.add_node(one);
  executor.spin();
  EXPECT_EQ(errors, 4);
}

TEST_F(Executors, a_node_belongs_to_one_executor)
{
  Executor executor;
  auto one = node("one");
  executor.add_node(one);
  Executor other;
  EXPECT_THROW(other.add_node(one), std::runtime_error);
  EXPECT_THROW(other.remove_node(one), std::runtime_error);
  executor.remove_node(one);
  other.add_node(one);
}

TEST_F(Executors, gives_its_nodes_up_when_it_is_destroyed)
{
  auto one = node("one");
  int fired = 0;
  auto timer = every(one, 1ms, [&] { ++fired; });
  {
    Executor executor;
    executor.add_node(one);
    while (fired == 0) {
      executor.spin_once(1s);
    }
  }
  rclcpp::executors::SingleThreadedExecutor stock;
  stock.add_node(one);
  for (const int before = fired; fired == before;) {
    stock.spin_once(1s);
  }
}

TEST_F(Executors, spin_once_runs_one_callback)
{
  Executor executor;
  auto one = node("one");
  int fired = 0;
  auto first = every(one, 1ms, [&] { ++fired; });
  auto second = every(one, 1ms, [&] { ++fired; });
  executor.add_node(one);
  std::this_thread::sleep_for(5ms);  // both timers are due then
  executor.spin_once(1s);
  EXPECT_EQ(fired, 1);
  executor.spin_once(1s);
  EXPECT_EQ(fired, 2);
}

TEST_F(Executors, spin_some_runs_each_ready_callback_once_and_spin_all_until_none_is)
{
  Executor executor;
  auto one = node("one");
  auto publisher = one->create_publisher<Int32>("again", 10);
  int heard = 0;
  // Each message sends the next one.
  auto subscription = one->create_subscription<Int32>("again", 10, [&](const Int32 & message) {
    ++heard;
    if (message.data > 0) {
      Int32 next;
      next.data = message.data - 1;
      publisher->publish(next);
    }
  });
  executor.add_node(one);
  executor.spin_some();
  Int32 first;
  first.data = 5;
  publisher->publish(first);
  while (heard == 0) {
    executor.spin_some();
  }
  EXPECT_EQ(heard, 1);
  while (heard < 6) {
    executor.spin_all(10s);
  }
  EXPECT_EQ(heard, 6);
  EXPECT_THROW(executor.spin_all(-1ms), std::invalid_argument);
}

TEST_F(Executors, spin_until_future_complete_says_how_it_ended)
{
  Executor executor;
  auto one = node("one");
  executor.add_node(one);
  std::promise<void> promise;
  const auto future = promise.get_future().share();
  EXPECT_EQ(executor.spin_until_future_complete(future, 10ms), rclcpp::FutureReturnCode::TIMEOUT);
  bool set = false;
  auto timer = every(one, 1ms, [&] {
    if (!std::exchange(set, true)) {
      promise.set_value();
    }
  });
  EXPECT_EQ(executor.spin_until_future_complete(future, 60s), rclcpp::FutureReturnCode::SUCCESS);
}

TEST_F(Executors, services_and_clients_work)
{
  using Ask = rcl_interfaces::srv::ListParameters;
  Executor executor;
  auto one = node("one");
  auto service = one->create_service<Ask>(
    "ask", [](const Ask::Request::SharedPtr request, Ask::Response::SharedPtr response) {
      response->result.names = request->prefixes;
    });
  auto client = one->create_client<Ask>("ask");
  executor.add_node(one);
  auto request = std::make_shared<Ask::Request>();
  request->prefixes = {"word"};
  auto future = client->async_send_request(request);
  ASSERT_EQ(executor.spin_until_future_complete(future, 60s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()->result.names, std::vector<std::string>{"word"});
}

// Allocates memory, so that it reuses memory that was just freed.
void reuse_freed_memory()
{
  std::vector<std::vector<std::uint64_t>> others;
  for (std::size_t size = 1; size < 200; ++size) {
    for (int i = 0; i < 20; ++i) {
      others.emplace_back(size, 0x5a5a5a5a5a5a5a5a);
    }
  }
}

// The program sets functions while takt listens: they stand beside takt's.
TEST_F(Executors, what_the_program_sets_to_be_told_in_the_spin_leaves_takts_listening_alone)
{
  auto server = node("told_server");
  auto asker = node("told_asker");
  auto publisher = asker->create_publisher<Int32>("told", 100);
  std::atomic<int> taken{0};
  auto subscription =
    server->create_subscription<Int32>("told", 100, [&](const Int32 &) { ++taken; });
  using List = rcl_interfaces::srv::ListParameters;
  auto service = server->create_service<List>(
    "told_list", [](const List::Request::SharedPtr, List::Response::SharedPtr) {});
  auto client = asker->create_client<List>("told_list");
  ASSERT_TRUE(client->wait_for_service(60s));
  const auto wait_until = [](const auto & done) {
    for (int i = 0; i < 60'000 && !done(); ++i) {
      std::this_thread::sleep_for(1ms);
    }
    return done();
  };
  ASSERT_TRUE(wait_until([&] { return publisher->get_subscription_count() == 1; }));
  Executor executor;
  executor.add_node(server);
  executor.add_node(asker);
  std::thread spins([&] { executor.spin(); });
  publisher->publish(Int32());
  EXPECT_TRUE(wait_until([&] { return taken == 1; })) << "takt listens";
  std::atomic<int> messages{0};
  std::atomic<int> requests{0};
  std::atomic<int> responses{0};
  const auto counts = [](std::atomic<int> & sum) {
    return [&sum](std::size_t count) { sum += static_cast<int>(count); };
  };
  subscription->set_on_new_message_callback(counts(messages));
  service->set_on_new_request_callback(counts(requests));
  client->set_on_new_response_callback(counts(responses));
  std::atomic<int> answers{0};
  for (int i = 1; i <= 20; ++i) {
    publisher->publish(Int32());
    client->async_send_request(
      std::make_shared<List::Request>(), [&](rclcpp::Client<List>::SharedFuture) { ++answers; });
    ASSERT_TRUE(wait_until([&] { return taken == 1 + i && answers == i; }));
  }
  EXPECT_TRUE(wait_until([&] { return messages == 20 && requests == 20 && responses == 20; }))
    << messages << " " << requests << " " << responses;
  executor.cancel();
  spins.join();
}

TEST_F(Executors, rcl_handles_may_outlive_what_the_program_destroys)
{
  using Ask = rcl_interfaces::srv::ListParameters;
  Executor executor;
  auto one = node("one");
  auto other = node("other");
  int heard = 0;
  auto doomed = one->create_subscription<Int32>("outlived", 1, [&](const Int32 &) { ++heard; });
  auto service =
    one->create_service<Ask>("ask", [](Ask::Request::SharedPtr, Ask::Response::SharedPtr) {});
  executor.add_node(one);
  executor.spin_some();
  auto publisher = other->create_publisher<Int32>("outlived", 1);
  auto client = other->create_client<Ask>("ask");
  ASSERT_TRUE(client->wait_for_service(60s));
  while (publisher->get_subscription_count() == 0) {
    std::this_thread::sleep_for(1ms);
  }
  publisher->publish(Int32());
  while (heard == 0) {
    executor.spin_once(1s);
  }
  const auto of_subscription = doomed->get_subscription_handle();
  const auto of_service = service->get_service_handle();
  doomed.reset();
  service.reset();
  reuse_freed_memory();
  const auto arrived = [&](auto take) {
    while (!take()) {
      std::this_thread::sleep_for(1ms);
    }
  };
  publisher->publish(Int32());
  arrived([&] {
    Int32 message;
    return rcl_take(of_subscription.get(), &message, nullptr, nullptr) == RCL_RET_OK;
  });
  client->async_send_request(std::make_shared<Ask::Request>());
  arrived([&] {
    Ask::Request request;
    rmw_request_id_t header;
    return rcl_take_request(of_service.get(), &header, &request) == RCL_RET_OK;
  });
  executor.spin_some();
  EXPECT_EQ(heard, 1);
}

// The thread that waits for timers on ROS time does not keep the captures of their callbacks.
TEST_F(Executors, a_timer_on_ros_time_that_destroys_itself_is_gone)
{
  Executor executor;
  auto one = node("one");
  auto captured = std::make_shared<int>(0);
  const std::weak_ptr<int> left = captured;
  rclcpp::TimerBase::SharedPtr timer;
  timer = rclcpp::create_timer(one, one->get_clock(), 200ms, [&timer, captured] {
    std::this_thread::sleep_for(20ms);  // meanwhile the waiting thread waits for the next period
    timer->cancel();
    timer.reset();
  });
  captured.reset();
  executor.add_node(one);
  bool gone = false;
  auto ends = every(one, 5ms, [&] {
    if (timer == nullptr) {
      gone = left.expired();
      executor.cancel();
    }
  });
  executor.spin();
  EXPECT_TRUE(gone);
}

TEST_F(Executors, exclusive_groups_exclude_and_reentrant_ones_run_in_parallel)
{
  Executor executor(rclcpp::ExecutorOptions(), "", "", 4);
  auto one = node("one");
  auto exclusive = one->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto reentrant = one->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  for (int i = 0; i < 3; ++i) {
    timers.push_back(every(
      one, 1ms,
      [&] {
        most = std::max(most.load(), ++inside);
        std::this_thread::sleep_for(200us);
        --inside;
      },
      exclusive));
  }
  std::atomic<int> meeting{0};
  for (int i = 0; i < 2; ++i) {
    timers.push_back(every(
      one, 1ms,
      [&] {
        // Each callback waits for the other one.
        ++meeting;
        while (meeting < 2 && executor.is_spinning()) {
          std::this_thread::yield();
        }
        executor.cancel();
      },
      reentrant));
  }
  executor.add_node(one);
  executor.spin();
  EXPECT_GE(meeting, 2);
  EXPECT_EQ(most, 1);
}

TEST_F(Executors, nodes_and_groups_come_and_go_while_it_spins)
{
  Executor executor;
  auto main = node("main");
  std::vector<rclcpp::Node::SharedPtr> guests;
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  std::set<int> fired;
  int added = 0;
  auto control = every(main, 1ms, [&] {
    if (added == 10 && fired.size() == 10) {
      executor.cancel();
    } else if (added < 10) {
      const int number = ++added;
      guests.push_back(node("guest" + std::to_string(number)));
      timers.push_back(every(guests.back(), 1ms, [&fired, number] { fired.insert(number); }));
      executor.add_node(guests.back());
    }
  });
  executor.add_node(main);
  executor.spin();
  EXPECT_EQ(fired.size(), 10U);
  for (const auto & guest : guests) {
    executor.remove_node(guest);
  }
  fired.clear();
  guests.clear();
  timers.clear();
  executor.spin_some();
  EXPECT_TRUE(fired.empty());
}

TEST_F(Executors, a_group_by_itself)
{
  Executor executor;
  auto one = node("one");
  auto group = one->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  int fired = 0;
  auto in_group = every(
    one, 1ms, [&] { ++fired; }, group);
  auto outside = every(one, 1ms, [&] { ADD_FAILURE() << "its node was not added"; });
  executor.add_callback_group(group, one->get_node_base_interface());
  while (fired < 3) {
    executor.spin_once(1s);
  }
  executor.remove_callback_group(group);
  const int before = fired;
  executor.spin_once(20ms);
  EXPECT_EQ(fired, before);
}

TEST_F(Executors, exceptions_of_callbacks_leave_spin)
{
  for (const std::size_t threads : {1U, 3U}) {
    Executor executor(rclcpp::ExecutorOptions(), "", "", threads);
    auto one = node("one");
    int fired = 0;
    auto timer = every(one, 1ms, [&] {
      ++fired;
      throw std::runtime_error("thrown");
    });
    executor.add_node(one);
    EXPECT_THROW(executor.spin(), std::runtime_error);
    EXPECT_FALSE(executor.is_spinning());
    EXPECT_THROW(executor.spin(), std::runtime_error);
    EXPECT_EQ(fired, 2);
  }
}

TEST_F(Executors, what_is_gone_is_not_held)
{
  Executor executor;
  auto one = node("one");
  auto subscription = one->create_subscription<Int32>("topic", 10, [](const Int32 &) {});
  auto timer = every(one, 1ms, [&] { executor.cancel(); });
  executor.add_node(one);
  executor.spin();
  EXPECT_EQ(subscription.use_count(), 1);
  std::weak_ptr<rclcpp::SubscriptionBase> weak = subscription;
  subscription.reset();
  EXPECT_TRUE(weak.expired());
  executor.spin();
}

TEST_F(Executors, a_schedule_names_the_thread_of_each_callback)
{
  const ScheduleFile schedule(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    order: priority\n"
    "    threads: {first: {}, second: {}}\n"
    "    default: first\n"
    "    callbacks:\n"
    "      - {match: '/one:timer(2ms)', threads: second}\n"
    "      - {match: '/one:timer(3ms)', threads: first}\n");
  Executor executor(rclcpp::ExecutorOptions(), schedule.path());
  auto one = node("one");
  std::mutex mutex;
  std::set<std::string> names[2];
  const auto note = [&](int i) {
    char name[16];
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    const std::lock_guard lock(mutex);
    names[i].insert(name);
    if (!names[0].empty() && !names[1].empty()) {
      executor.cancel();
    }
  };
  auto of_first = one->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto of_second = one->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto first = every(
    one, 3ms, [&] { note(0); }, of_first);
  auto second = every(
    one, 2ms, [&] { note(1); }, of_second);
  executor.add_node(one);
  executor.spin();
  EXPECT_EQ(names[0], std::set<std::string>{"first"});
  EXPECT_EQ(names[1], std::set<std::string>{"second"});
}

TEST_F(Executors, a_bad_schedule_is_refused_with_all_its_faults)
{
  const ScheduleFile schedule("version: 1\nexecutors: {main: {oder: fifo, threads: {a: {}}}}\n");
  try {
    Executor executor(rclcpp::ExecutorOptions(), schedule.path());
    FAIL();
  } catch (const std::invalid_argument & error) {
    EXPECT_NE(std::string(error.what()).find("oder"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("default"), std::string::npos);
  }
}

TEST_F(Executors, offsets_of_a_schedule_set_the_phases_of_timers)
{
  const ScheduleFile schedule(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    threads: {only: {}}\n"
    "    default: only\n"
    "    callbacks:\n"
    "      - {match: '/one:timer(50ms)', offset: 50ms}\n"
    "      - {match: '/one:timer(100ms)', offset: 125ms}\n");
  Executor executor(rclcpp::ExecutorOptions(), schedule.path());
  auto one = node("one");
  std::int64_t first = 0;
  std::int64_t second = 0;
  // rclcpp advanced the timer to its next call when the callback began.
  const auto due = [](const rclcpp::TimerBase::SharedPtr & timer) {
    std::int64_t next = 0;
    EXPECT_EQ(rcl_timer_get_next_call_time(timer->get_timer_handle().get(), &next), RCL_RET_OK);
    return next / 1000;
  };
  rclcpp::TimerBase::SharedPtr a;
  rclcpp::TimerBase::SharedPtr b;
  a = every(one, 50ms, [&] { first = due(a); });
  std::this_thread::sleep_for(7ms);  // without the schedule the timers would be so far apart
  b = every(one, 100ms, [&] {
    second = due(b);
    if (first != 0) {
      executor.cancel();
    }
  });
  executor.add_node(one);
  executor.spin();
  const std::int64_t apart = ((second - first) % 50'000 + 50'000) % 50'000;
  EXPECT_GT(apart, 24'000);
  EXPECT_LT(apart, 26'000);
}

}  // namespace
