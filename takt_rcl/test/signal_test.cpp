// SIGINT and SIGTERM end a program cleanly: exit code 0, and no files of the middleware remain.
#include <rmw/rmw.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{

namespace
{

// Ports in shared memory serve all processes of the machine: the first process makes one, and the
// last one removes it. So a remaining port may belong to another process. If the kernel permits it,
// this thread and its children get their own empty /dev/shm.
bool shared_memory_of_its_own()
{
  static const bool own = ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          ::mount("none", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
  return own;
}

// The middleware's shared memory files that a process has mapped; ports only on request.
std::set<std::string> shared_memory_of(pid_t process, bool with_ports)
{
  std::set<std::string> files;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find("/dev/shm/");
    if (
      path != std::string::npos && line.find("fast", path) != std::string::npos &&
      (with_ports || line.find("_port", path) == std::string::npos)) {
      files.insert(line.substr(path));
    }
  }
  return files;
}

// The child: a spinning program with a publisher, a subscription and a timer.
int spin_as_users_do(int ready)
{
  init(0, nullptr);
  {
    auto node = std::make_shared<Node>("child");
    using Number = std_msgs::msg::UInt64;
    auto publisher = node->create_publisher<Number>("numbers", QoS(10));
    auto subscription =
      node->create_subscription<Number>("numbers", QoS(10), [](const Number &) {});
    bool told = false;
    auto timer = node->create_wall_timer(1ms, [&] {
      publisher->publish(Number());
      if (!told) {
        told = ::write(ready, "r", 1) == 1;
      }
    });
    spin(node);
    if (ok() || !told) {
      return 3;
    }
  }
  return shutdown() ? 0 : 4;
}

// The README's program in small steps. A signal comes at one of the steps.
int be_interrupted(int at)
{
  int step = 0;
  const auto here = [&] {
    if (++step == at) {
      ::raise(SIGINT);
    }
  };
  init(0, nullptr);
  here();
  {
    auto node = std::make_shared<Node>("child");
    here();
    auto publisher = node->create_publisher<std_msgs::msg::UInt64>("numbers", QoS(10));
    here();
    auto subscription = node->create_subscription<std_msgs::msg::UInt64>(
      "numbers", QoS(10), [](const std_msgs::msg::UInt64 &) {});
    here();
    auto timer = node->create_wall_timer(1ms, [&] {
      publisher->publish(std_msgs::msg::UInt64());
      here();
    });
    here();
    while (ok()) {
      here();
      spin_some(node);
      here();
    }
    here();  // too late for this run: a signal here comes after the loop
    spin(node);
    spin_all(node, 1s);
    Executor executor;
    executor.add_node(node);
    executor.spin();
    auto late = std::make_shared<Node>("late");
    executor.add_node(late);
    executor.spin_once();
    if (executor.spin_some() != 0 || sleep_for(kPatience) || Rate(0.01).sleep()) {
      return 3;
    }
  }
  if (ok()) {
    return 4;
  }
  return shutdown() ? 0 : 5;
}

int run_again(const std::string & what, const std::string & argument)
{
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "child", what.c_str(), argument.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace

// Steps 1 to 5 come before the loop. From step 6 on they are in the loop, in runs of the timer, and
// around spin_some.
TEST(SignalsInAProgram, EndItCleanlyAtEveryStep)
{
  for (int step = 1; step <= 12; ++step) {
    const int status = run_again("--interrupted", std::to_string(step));
    EXPECT_TRUE(WIFEXITED(status)) << "step " << step << ": signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "step " << step;
  }
}

class Signals : public ::testing::TestWithParam<int>
{
};

TEST_P(Signals, EndTheProgramCleanly)
{
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const bool alone = shared_memory_of_its_own();
  // Starts a new program, because ROS's threads do not survive a fork.
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string ready = std::to_string(ends[1]);
    ::execl("/proc/self/exe", "child", "--child", ready.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  char c = 0;
  ASSERT_EQ(::read(ends[0], &c, 1), 1) << "the child did not spin";
  ::close(ends[0]);
  const std::set<std::string> files = shared_memory_of(child, alone);
  ASSERT_EQ(::kill(child, GetParam()), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  if (std::string(rmw_get_implementation_identifier()) == "rmw_fastrtps_cpp") {
    EXPECT_FALSE(files.empty());
  }
  for (const std::string & file : files) {
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Signals, ::testing::Values(SIGINT, SIGTERM), [](const auto & info) {
  return info.param == SIGINT ? "SIGINT" : "SIGTERM";
});

TEST(SignalsInProcess, CancelEveryExecutorOfContextsThatWantIt)
{
  InitOptions own;
  own.shutdown_on_signal = false;
  auto deaf = std::make_shared<Context>();
  deaf->init(0, nullptr, own);
  init(0, nullptr);
  {
    Executor a(default_context());
    Executor b(default_context());
    std::thread first([&] { a.spin(); });
    std::thread second([&] { b.spin(); });
    ASSERT_TRUE(wait_until([&] { return a.is_spinning() && b.is_spinning(); }));
    ::raise(SIGINT);
    first.join();
    second.join();
    EXPECT_FALSE(ok());
    EXPECT_TRUE(deaf->ok());
  }
  shutdown();
  init(0, nullptr);  // initialise again
  EXPECT_TRUE(ok());
  shutdown();
}

TEST(SignalsInProcess, HandlersThatWereThereAreCalledAndComeBack)
{
  static std::atomic<int> called{0};
  struct sigaction mine = {};
  mine.sa_handler = [](int) { ++called; };
  struct sigaction original = {};
  ASSERT_EQ(::sigaction(SIGTERM, &mine, &original), 0);
  init(0, nullptr);
  ::raise(SIGTERM);
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(ok());
  shutdown();
  struct sigaction now = {};
  ::sigaction(SIGTERM, &original, &now);
  EXPECT_EQ(now.sa_handler, mine.sa_handler);
}

// A library installs its handler between two uses of takt, and calls the previous handler.
TEST(SignalsInProcess, HandlersThatCallEachOtherEnd)
{
  static std::atomic<int> called{0};
  static struct sigaction before = {};
  init(0, nullptr);
  struct sigaction mine = {};
  mine.sa_flags = SA_SIGINFO;
  mine.sa_sigaction = [](int number, siginfo_t * info, void * context) {
    ++called;
    before.sa_sigaction(number, info, context);
  };
  ASSERT_EQ(::sigaction(SIGTERM, &mine, &before), 0);
  shutdown();
  init(0, nullptr);
  ::raise(SIGTERM);
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(ok());
  shutdown();
  struct sigaction fresh = {};
  fresh.sa_handler = SIG_DFL;
  ::sigaction(SIGTERM, &fresh, nullptr);
}

}  // namespace takt_rcl::test

// Runs before main: the child is another program in the same file.
__attribute__((constructor)) static void run_child(int argc, char ** argv, char **)
{
  if (argc == 3 && std::string_view(argv[1]) == "--child") {
    ::_exit(takt_rcl::test::spin_as_users_do(std::atoi(argv[2])));
  }
  if (argc == 3 && std::string_view(argv[1]) == "--interrupted") {
    ::_exit(takt_rcl::test::be_interrupted(std::atoi(argv[2])));
  }
}
