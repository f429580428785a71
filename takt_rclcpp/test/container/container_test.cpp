// Component containers: rclcpp's under `takt exec`, and takt's own. Components are loaded and
// unloaded while the container spins.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <composition_interfaces/srv/list_nodes.hpp>
#include <composition_interfaces/srv/load_node.hpp>
#include <composition_interfaces/srv/unload_node.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/int32.hpp>

namespace
{

using namespace std::chrono_literals;
using composition_interfaces::srv::ListNodes;
using composition_interfaces::srv::LoadNode;
using composition_interfaces::srv::UnloadNode;
using std_msgs::msg::Int32;

/// An install prefix whose index has the component.
class Prefix
{
public:
  Prefix() : path_(testing::TempDir() + "/container_test.XXXXXX")
  {
    if (::mkdtemp(path_.data()) == nullptr) {
      std::abort();
    }
    const auto index =
      std::filesystem::path(path_) / "share/ament_index/resource_index/rclcpp_components";
    std::filesystem::create_directories(index);
    std::ofstream(index / "takt_test") << "takt_test::Counting;" TAKT_COMPONENT "\n";
    for (const std::string parallel : {"false", "true"}) {
      std::ofstream(path_ + "/parallel_" + parallel + ".yaml")
        << "version: 1\nstrict: true\nexecutors:\n  main:\n    missing_rights: report\n    "
           "parallel: "
        << parallel
        << "\n    threads: {hot: {policy: fifo, priority: 30}, rest: {}}\n    default: rest\n"
           "    callbacks:\n      - {match: '/first:timer(5ms)', threads: hot}\n"
           "      - {match: '/second:timer(5ms)', threads: rest}\n";
    }
    std::ofstream(path_ + "/schedule.yaml") << "version: 1\nexecutors: {main: {missing_rights: "
                                               "report, threads: {a: {count: 2}}, default: a}}\n";
  }
  ~Prefix() { std::filesystem::remove_all(path_); }
  Prefix(const Prefix &) = delete;
  Prefix & operator=(const Prefix &) = delete;
  const std::string & path() const { return path_; }

private:
  std::string path_;
};

struct Container
{
  const char * name;
  std::vector<std::string> command;
};

const Prefix & prefix()
{
  static const Prefix made;
  return made;
}

std::vector<Container> containers()
{
  std::vector<Container> all;
  for (const char * stock :
       {"component_container", "component_container_mt", "component_container_isolated"}) {
    all.push_back({stock, {TAKT_EXEC, "--strict", "--", std::string(TAKT_STOCK "/") + stock}});
  }
  all.push_back(
    {"component_container_mt_scheduled",
     {TAKT_EXEC, "--strict", "--schedule", prefix().path() + "/schedule.yaml", "--",
      TAKT_STOCK "/component_container_mt"}});
  all.push_back({"takt", {TAKT_CONTAINER}});
  all.push_back(
    {"takt_scheduled",
     {TAKT_CONTAINER, "--ros-args", "-p", "schedule_file:=" + prefix().path() + "/schedule.yaml"}});
  return all;
}

class ContainerTest : public testing::Test
{
protected:
  static void SetUpTestSuite()
  {
    ::setenv("ROS_DOMAIN_ID", std::to_string(10 + ::getpid() % 90).c_str(), 1);
    ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
    ::setenv("ROS_LOG_DIR", prefix().path().c_str(), 1);
    const char * const before = std::getenv("AMENT_PREFIX_PATH");
    ::setenv(
      "AMENT_PREFIX_PATH",
      (prefix().path() + (before == nullptr ? "" : ":" + std::string(before))).c_str(), 1);
    rclcpp::init(0, nullptr);
  }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  /// Starts the program. Its standard error goes to the file `errors`, if that name is not empty.
  void start(std::vector<std::string> words, const std::string & errors = "")
  {
    std::vector<char *> arguments;
    for (auto & word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      if (!errors.empty() && std::freopen(errors.c_str(), "w", stderr) == nullptr) {
        ::_exit(127);
      }
      ::execv(arguments.front(), arguments.data());
      ::_exit(127);
    }
    node_ = std::make_shared<rclcpp::Node>("tester");
  }
  void TearDown() override { end(); }
  void end()
  {
    if (process_ == 0) {
      return;
    }
    ::kill(process_, SIGINT);
    int status = 0;
    ::waitpid(process_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    node_.reset();
    process_ = 0;
  }

  bool is_there(rclcpp::ClientBase & client) const
  {
    for (int i = 0; !client.wait_for_service(1s); ++i) {
      siginfo_t ended{};
      ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (i == 60 || ended.si_pid == process_) {
        return false;  // the program has ended, or has not offered the service within a minute
      }
    }
    return true;
  }

  /// A server that has not discovered the reader of a client's answers drops the answer after 100
  /// ms (rmw_fastrtps), with or without takt. So on a busy machine a request to load a component
  /// may be done and not answered. Endpoints are discovered in the order of their making: if a new
  /// client gets an answer, all earlier endpoints are known.
  bool knows_clients() const
  {
    const auto client = node_->create_client<ListNodes>("/ComponentManager/_container/list_nodes");
    if (!is_there(*client)) {
      return false;
    }
    for (int i = 0; i < 60; ++i) {
      auto future = client->async_send_request(std::make_shared<ListNodes::Request>());
      if (
        rclcpp::spin_until_future_complete(node_, future, 2s) ==
        rclcpp::FutureReturnCode::SUCCESS) {
        return true;
      }
    }
    return false;
  }

  template <typename Service>
  typename Service::Response::SharedPtr call(
    const std::string & name, typename Service::Request::SharedPtr request)
  {
    const auto client = node_->create_client<Service>("/ComponentManager/_container/" + name);
    if (!is_there(*client) || !knows_clients()) {
      return nullptr;
    }
    auto future = client->async_send_request(std::move(request));
    return rclcpp::spin_until_future_complete(node_, future, 60s) ==
               rclcpp::FutureReturnCode::SUCCESS
             ? future.get()
             : nullptr;
  }

  /// Loads the component, receives its counts, and unloads it.
  void load_run_and_unload(const std::string & name)
  {
    int heard = 0;
    const auto subscription =
      node_->create_subscription<Int32>("/" + name + "/count", 10, [&](const Int32 &) { ++heard; });
    auto load = std::make_shared<LoadNode::Request>();
    load->package_name = "takt_test";
    load->plugin_name = "takt_test::Counting";
    load->node_name = name;
    const auto loaded = call<LoadNode>("load_node", load);
    ASSERT_NE(loaded, nullptr);
    ASSERT_TRUE(loaded->success) << loaded->error_message;
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(node_);
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (heard < 20 && std::chrono::steady_clock::now() < until) {
      executor.spin_once(1s);
    }
    EXPECT_GE(heard, 20);
    executor.remove_node(node_);
    auto unload = std::make_shared<UnloadNode::Request>();
    unload->unique_id = loaded->unique_id;
    const auto unloaded = call<UnloadNode>("unload_node", unload);
    ASSERT_NE(unloaded, nullptr);
    EXPECT_TRUE(unloaded->success) << unloaded->error_message;
  }
  rclcpp::Node::SharedPtr node_;
  pid_t process_ = 0;
};

class Containers : public ContainerTest, public testing::WithParamInterface<Container>
{
protected:
  void SetUp() override { start(GetParam().command); }
};

TEST_P(Containers, load_run_and_unload_components)
{
  for (const std::string name : {"first", "second"}) {
    ASSERT_NO_FATAL_FAILURE(load_run_and_unload(name));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Containers, testing::ValuesIn(containers()), [](const auto & info) {
  return std::string(info.param.name);
});

// rclcpp's container has an executor for itself and one for each component. Each of these runs one
// callback at a time.
TEST_F(ContainerTest, isolated_components_are_where_the_schedule_says)
{
  const std::string report = prefix().path() + "/report.json";
  const std::string errors = prefix().path() + "/errors";
  start(
    {TAKT_EXEC, "--strict", "--schedule", prefix().path() + "/parallel_false.yaml", "--report",
     report, "--", TAKT_STOCK "/component_container_isolated"},
    errors);
  for (const std::string name : {"first", "second"}) {
    ASSERT_NO_FATAL_FAILURE(load_run_and_unload(name));
  }
  end();
  std::ifstream file(report);
  const auto told = nlohmann::json::parse(file);
  std::map<std::string, std::string> threads;
  for (const auto & executor : told["executors"]) {
    ASSERT_EQ(executor["threads"].size(), 1U) << executor;
    threads[executor["executor"]] = executor["threads"][0]["asked"];
  }
  const std::map<std::string, std::string> expected{
    {"/ComponentManager", "the inherited policy"},
    {"/first", "SCHED_FIFO priority 30"},
    {"/second", "the inherited policy"}};
  EXPECT_EQ(threads, expected) << told;
  std::ifstream said_file(errors);
  const std::string said(std::istreambuf_iterator<char>(said_file), {});
  EXPECT_EQ(said.find("no callback of this executor"), std::string::npos) << said;
  for (const char * once :
       {"2 rules and ids of chains in the schedule wait", "one callback at a time"}) {
    const std::size_t first = said.find(once);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(once, first + 1), std::string::npos) << said;
  }
}

TEST_F(ContainerTest, components_of_one_executor_are_where_a_parallel_schedule_says)
{
  const std::string errors = prefix().path() + "/errors";
  start(
    {TAKT_EXEC, "--strict", "--schedule", prefix().path() + "/parallel_true.yaml", "--",
     TAKT_STOCK "/component_container"},
    errors);
  for (const std::string name : {"first", "second"}) {
    ASSERT_NO_FATAL_FAILURE(load_run_and_unload(name));
  }
  end();
  std::ifstream said_file(errors);
  const std::string said(std::istreambuf_iterator<char>(said_file), {});
  EXPECT_NE(said.find("first on hot"), std::string::npos) << said;
  EXPECT_NE(said.find("second on rest"), std::string::npos) << said;
}

}  // namespace
