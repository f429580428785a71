// Component containers: rclcpp's under `takt exec`, and takt's own. Components are loaded and unloaded while
// the container spins.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <composition_interfaces/srv/load_node.hpp>
#include <composition_interfaces/srv/unload_node.hpp>
#include <filesystem>
#include <fstream>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/int32.hpp>

namespace
{

using namespace std::chrono_literals;
using composition_interfaces::srv::LoadNode;
using composition_interfaces::srv::UnloadNode;
using std_msgs::msg::Int32;

/// A prefix with the index entry of the component.
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

class Containers : public testing::TestWithParam<Container>
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

  void SetUp() override
  {
    std::vector<std::string> words = GetParam().command;
    std::vector<char *> arguments;
    for (auto & word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::execv(arguments.front(), arguments.data());
      ::_exit(127);
    }
    node_ = std::make_shared<rclcpp::Node>("tester");
  }
  void TearDown() override
  {
    ::kill(process_, SIGINT);
    int status = 0;
    ::waitpid(process_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    node_.reset();
  }

  template <typename Service>
  typename Service::Response::SharedPtr call(
    const std::string & name, typename Service::Request::SharedPtr request)
  {
    const auto client = node_->create_client<Service>("/ComponentManager/_container/" + name);
    for (int i = 0; !client->wait_for_service(1s); ++i) {
      siginfo_t ended{};
      ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (i == 60 || ended.si_pid == process_) {
        return nullptr;  // it is not coming any more
      }
    }
    auto future = client->async_send_request(std::move(request));
    return rclcpp::spin_until_future_complete(node_, future, 60s) ==
               rclcpp::FutureReturnCode::SUCCESS
             ? future.get()
             : nullptr;
  }

  rclcpp::Node::SharedPtr node_;
  pid_t process_ = 0;
};

TEST_P(Containers, load_run_and_unload_components)
{
  for (const std::string name : {"first", "second"}) {
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
}

INSTANTIATE_TEST_SUITE_P(All, Containers, testing::ValuesIn(containers()), [](const auto & info) {
  return std::string(info.param.name);
});

}  // namespace
