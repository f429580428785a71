// Executors of a process without rights, with a real daemon: their threads have the schedule's
// attributes at the first instruction of the first callback.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/daemon.hpp"
#include "support/rounds.hpp"
#include "takt_control/configurator_client.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/group.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_configurator
{
namespace
{

using namespace std::chrono_literals;
using takt_control::ConfiguratorClient;
using takt_core::Executor;

constexpr const char * kPolicy = R"(version: 1
rules:
  - users: 65534
    policies: [fifo, rr, other]
    max_priority: 50
    rtprio_limit: 60
)";

constexpr int kPriority = 37;

std::string schedule_text(const std::string & missing_rights)
{
  return "version: 1\nexecutors:\n  main:\n    missing_rights: " + missing_rights +
         "\n    middleware_ceiling: off\n    threads:\n"
         "      hot: {count: 2, policy: fifo, priority: 37, cores: [0]}\n    default: hot\n"
         "    groups:\n      - {match: \"/alone:group(*)\", isolate: true, policy: rr, priority: "
         "38}\n";
}

/// Waits for `done`; false after two minutes, which only a failing test takes.
bool eventually(const std::function<bool()> & done)
{
  const auto until = takt_rt::now() + 2min;
  while (!done()) {
    if (takt_rt::now() > until) {
      return false;
    }
    std::this_thread::sleep_for(100us);
  }
  return true;
}

/// A callback that first reads the attributes of its thread.
class Looks : public takt_core::Callback
{
public:
  Looks(takt_core::CallbackOptions options, int policy, int priority)
  : Callback(std::move(options)),
    policy_(policy),
    priority_(priority)
  {
  }
  void run(const takt_core::Run &) override
  {
    sched_param param{};
    ::sched_getparam(0, &param);
    if (::sched_getscheduler(0) != policy_ || param.sched_priority != priority_) {
      ++wrong;
    }
    ++runs;
  }

  std::atomic<int> wrong{0};
  std::atomic<int> runs{0};

private:
  const int policy_;
  const int priority_;
};

/// An executor as an adapter makes it. Callbacks on the schedule's threads and in an isolated group
/// are due before it starts. Another one comes while it spins.
class Program
{
public:
  Program(const std::string & socket, const std::string & missing_rights)
  {
    auto schedule = takt_schedule::parse_schedule(schedule_text(missing_rights), "s.yaml");
    if (!schedule) {
      told = to_string(schedule.faults().front());
      return;
    }
    executor = std::move(
      takt_schedule::make_executor(
        *schedule, "main", nullptr, std::make_shared<ConfiguratorClient>(socket, 20s, true))
        .value());
    add("/a:sub(/x)", SCHED_FIFO, kPriority, nullptr);
    add("/b:sub(/x)", SCHED_FIFO, kPriority, nullptr);
    add("/alone:sub(/x)", SCHED_RR, 38, isolated());
  }

  /// The sentence of the first fault; empty: the executor started.
  std::string start()
  {
    if (!told.empty()) {
      return told;
    }
    const takt_rt::Status started = executor->start();
    if (!started.ok()) {
      return to_string(started.faults().front());
    }
    add("/late:sub(/x)", SCHED_RR, 38, isolated());
    for (const auto & callback : callbacks) {
      if (told.empty() && !eventually([&] { return callback->runs > 0; })) {
        told = callback->id() + " has not run in two minutes";
      }
    }
    executor->cancel();
    executor->wait();
    return told;
  }

  int wrong() const
  {
    int sum = 0;
    for (const auto & callback : callbacks) {
      sum += callback->wrong;
    }
    return sum;
  }

  std::unique_ptr<Executor> executor;
  std::vector<std::shared_ptr<Looks>> callbacks;
  std::string told;

private:
  std::shared_ptr<takt_core::Group> isolated()
  {
    auto group = std::make_shared<takt_core::Group>(takt_core::GroupKind::mutually_exclusive, "g");
    takt_core::Isolation isolation;
    isolation.attributes.policy = takt_rt::Policy::rr;
    isolation.attributes.priority = 38;
    if (!executor->isolate(*group, isolation).ok()) {
      told = "cannot isolate";
    }
    return group;
  }

  void add(
    const std::string & id, int policy, int priority, std::shared_ptr<takt_core::Group> group)
  {
    takt_core::CallbackOptions options;
    options.id = id;
    options.kind = takt_core::Kind::subscription;
    options.group = std::move(group);
    callbacks.push_back(std::make_shared<Looks>(options, policy, priority));
    executor->ready(*callbacks.back());  // it is due as soon as it is added
    const takt_rt::Status added = executor->add(callbacks.back());
    if (!added.ok()) {
      told = to_string(added.faults().front());
    }
  }
};

std::string starts(const std::string & socket, std::uint64_t count)
{
  int wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Program program(socket, "fail");
    if (const std::string fault = program.start(); !fault.empty()) {
      return fault;
    }
    wrong += program.wrong();
  }
  return "wrong " + std::to_string(wrong);
}

class Start : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!test::has_rights()) {
      GTEST_SKIP() << "needs root and CAP_SYS_NICE to start a daemon that grants something";
    }
  }

  /// Waits until the process has further threads, which ask for their attributes. False: it has
  /// none after two minutes, perhaps because it has ended.
  static bool await_threads(pid_t pid)
  {
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
    const auto count = [&] {
      std::error_code error;
      const std::filesystem::directory_iterator all(tasks, error);
      return error ? 0 : std::distance(begin(all), end(all));
    };
    return eventually([&] { return count() >= 2; });
  }
};

TEST_F(Start, has_every_attribute_in_force_at_the_first_callback_under_load)
{
  test::Daemon daemon(kPolicy);
  std::vector<std::unique_ptr<test::Child>> load;
  for (int i = 0; i < 2; ++i) {
    load.push_back(std::make_unique<test::Child>([]() -> std::string {
      for (volatile unsigned spin = 0;; spin = spin + 1) {
      }
    }));
  }
  const std::string told =
    test::in_child_as(test::kNobody, [&] { return starts(daemon.socket(), test::rounds(20)); });
  EXPECT_EQ(told, "wrong 0") << daemon.log();
}

// The twin: the same callbacks, but attributes come after the start, as with other configurators.
TEST_F(Start, is_seen_by_this_test_where_attributes_come_after_it)
{
  test::Daemon daemon(kPolicy);
  const std::string told = test::in_child_as(test::kNobody, [&]() -> std::string {
    takt_core::ExecutorOptions options;
    options.threads.resize(1);
    options.setter = std::make_shared<ConfiguratorClient>(daemon.socket());
    auto executor = std::move(Executor::create(options).value());
    takt_core::CallbackOptions callback;
    callback.id = "c";
    callback.kind = takt_core::Kind::subscription;
    const auto looks = std::make_shared<Looks>(callback, SCHED_FIFO, kPriority);
    executor->ready(*looks);
    if (!executor->add(looks).ok() || !executor->start().ok()) {
      return "could not start";
    }
    takt_rt::ThreadAttributes late;
    late.policy = takt_rt::Policy::fifo;
    late.priority = kPriority;
    if (!eventually([&] { return looks->runs > 0; })) {
      return "the callback has not run in two minutes";
    }
    const auto set = executor->reconfigure({.threads = {{0, late}}});
    if (!set.ok()) {
      return to_string(set.faults().front());
    }
    executor->ready(*looks);
    if (!eventually([&] { return looks->runs > 1; })) {
      return "the callback has not run again in two minutes";
    }
    executor->cancel();
    executor->wait();
    return "wrong " + std::to_string(looks->wrong);
  });
  EXPECT_EQ(told, "wrong 1");
}

TEST_F(Start, waits_for_a_daemon_that_comes_later)
{
  test::Daemon daemon(kPolicy);
  daemon.end(SIGTERM);
  test::Child program([&]() -> std::string {
    return test::become(test::kNobody) ? starts(daemon.socket(), 1) : "could not become nobody";
  });
  EXPECT_TRUE(await_threads(program.pid())) << "the program has not started its threads";
  daemon.start();
  EXPECT_EQ(program.result(), "wrong 0") << daemon.log();
}

TEST_F(Start, goes_on_with_a_daemon_that_was_killed_and_started_again)
{
  test::Daemon daemon(kPolicy);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
      test::in_child_as(test::kNobody, [&] { return starts(daemon.socket(), 2); }), "wrong 0");
    daemon.end(SIGKILL);
    daemon.start();
  }
}

TEST_F(Start, fails_or_reports_without_a_daemon_as_the_schedule_says)
{
  const std::string nowhere = "/nowhere/configurator.sock";
  const std::string failed = test::in_child_as(test::kNobody, [&] {
    auto schedule = takt_schedule::parse_schedule(schedule_text("fail"), "s.yaml");
    auto executor =
      std::move(takt_schedule::make_executor(
                  *schedule, "main", nullptr, std::make_shared<ConfiguratorClient>(nowhere))
                  .value());
    const takt_rt::Status started = executor->start();
    return started.ok() ? std::string("started") : to_string(started.faults().front());
  });
  EXPECT_NE(failed.find("start takt-configurator"), std::string::npos) << failed;
  const std::string reported = test::in_child_as(test::kNobody, [&]() -> std::string {
    auto schedule = takt_schedule::parse_schedule(schedule_text("report"), "s.yaml");
    auto executor =
      std::move(takt_schedule::make_executor(
                  *schedule, "main", nullptr, std::make_shared<ConfiguratorClient>(nowhere))
                  .value());
    if (!executor->start().ok()) {
      return "did not start";
    }
    const auto threads = executor->threads();
    executor->cancel();
    executor->wait();
    return threads[0].attributes.granted_all() ? "granted" : "told";
  });
  EXPECT_EQ(reported, "told");
}

TEST_F(Start, follows_priorities_by_a_limit_that_the_daemon_raised)
{
  if (!test::has_capability(24)) {
    GTEST_SKIP() << "needs CAP_SYS_RESOURCE to raise another process's limit";
  }
  test::Daemon daemon(kPolicy);
  const std::string told = test::in_child_as(test::kNobody, [&]() -> std::string {
    takt_core::ExecutorOptions options;
    options.threads.resize(2);
    options.threads[0].attributes.policy = takt_rt::Policy::fifo;
    options.threads[0].attributes.priority = 40;
    options.middleware_ceiling = {takt_core::MiddlewareCeiling::Mode::automatic, 0};
    options.setter = std::make_shared<ConfiguratorClient>(daemon.socket());
    auto executor = std::move(Executor::create(options).value());
    const takt_rt::Status started = executor->start();
    if (!started.ok()) {
      return to_string(started.faults().front());
    }
    const int ceiling = executor->middleware_ceiling();
    executor->cancel();
    executor->wait();
    return "ceiling " + std::to_string(ceiling);
  });
  EXPECT_EQ(told, "ceiling 41") << daemon.log();
}

}  // namespace
}  // namespace takt_configurator
