// The base of all tests of takt_rcl: a private domain, waiting for conditions, and spinning on
// another thread.
#ifndef ROS_TEST_HPP_
#define ROS_TEST_HPP_

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "takt_rcl/takt_rcl.hpp"

namespace takt_rcl::test
{

using namespace std::chrono_literals;  // NOLINT: tests only

/// Far longer than any step takes. Only a failing test waits this long.
inline constexpr takt_rt::Duration kPatience = 120s;

/// Takes a ROS domain that no other test process of this machine uses, until this process ends, and
/// sets the environment variable.
void own_domain();

template <typename Condition>
bool wait_until(Condition condition, takt_rt::Duration patience = kPatience)
{
  const auto until = takt_rt::now() + patience;
  while (!condition()) {
    if (takt_rt::now() > until) {
      return false;
    }
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

/// Runs callbacks on this thread until `condition` holds.
template <typename Condition>
bool spin_until(Executor & executor, Condition condition, takt_rt::Duration patience = kPatience)
{
  const auto until = takt_rt::now() + patience;
  while (!condition()) {
    if (takt_rt::now() > until) {
      return false;
    }
    executor.spin_once(10ms);
  }
  return true;
}

/// Spins in its own thread until the destructor.
class Spinning
{
public:
  explicit Spinning(Executor & executor) : executor_(executor)
  {
    thread_ = std::thread([this] {
      try {
        executor_.spin();
      } catch (...) {
        exception_ = std::current_exception();
      }
    });
  }
  ~Spinning() { stop(); }
  std::exception_ptr stop()
  {
    if (thread_.joinable()) {
      executor_.cancel();
      thread_.join();
    }
    return exception_;
  }

private:
  Executor & executor_;
  std::thread thread_;
  std::exception_ptr exception_;
};

/// A context of its own for each test.
class RosTest : public ::testing::Test
{
protected:
  void SetUp() override { restart({}); }

  void restart(const std::vector<std::string> & ros_arguments)
  {
    context = std::make_shared<Context>();
    std::vector<const char *> argv{"test"};
    if (!ros_arguments.empty()) {
      argv.push_back("--ros-args");
    }
    for (const auto & argument : ros_arguments) {
      argv.push_back(argument.c_str());
    }
    InitOptions options;
    options.shutdown_on_signal = false;
    context->init(static_cast<int>(argv.size()), argv.data(), options);
  }

  NodeOptions options() const
  {
    NodeOptions result;
    result.context(context);
    return result;
  }
  std::shared_ptr<Node> node(const std::string & name, const std::string & namespace_ = "") const
  {
    return std::make_shared<Node>(name, namespace_, options());
  }
  Executor executor(std::size_t threads = 1) const
  {
    ExecutorOptions result;
    result.threads.resize(threads);
    return Executor(context, result);
  }

  std::shared_ptr<Context> context;
};

}  // namespace takt_rcl::test

#endif  // ROS_TEST_HPP_
