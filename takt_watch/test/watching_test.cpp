// Executors that spin and are watched, seen by clients of the control socket.
#include "takt_watch/watch.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/client.hpp"
#include "support/made.hpp"
#include "support/served.hpp"
#include "takt_control/control_server.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_watch_watching_test
{

std::atomic<bool> g_ends{false};

// A visible symbol, so that the stack can show its name.
__attribute__((noinline, visibility("default"))) void compute_until_told()
{
  while (!g_ends.load(std::memory_order_relaxed)) {
  }
}

}  // namespace takt_watch_watching_test

namespace takt_watch
{
namespace
{

using nlohmann::json;
using std::chrono::milliseconds;
using takt_control::MessageType;
using takt_rt::Time;
using takt_watch_watching_test::compute_until_told;
using takt_watch_watching_test::g_ends;
using test::callback_in;
using test::Client;
using test::Served;
using test::subscription;
using test::wait_for;

// The thread sanitizer delays signals, and ends a child of fork that starts a thread.
#ifdef __SANITIZE_THREAD__
constexpr bool kUnderThreadSanitizer = true;
#else
constexpr bool kUnderThreadSanitizer = false;
#endif

/// CPU time of the calling thread.
Time cpu_time()
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Time(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

int threads_named(const std::string & name)
{
  int found = 0;
  for (const auto & task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string own;
    std::getline(file, own);
    found += own == name ? 1 : 0;
  }
  return found;
}

// Waits, because the kernel lists a joined thread for a moment more.
void wait_until_no_thread_watches()
{
  wait_for([] { return threads_named("takt.watch") == 0; });
}

class WatchingTest : public test::ServedTest
{
protected:
  WatchingTest()
  {
    g_ends.store(false);
    wait_until_no_thread_watches();  // waits for the end of the previous test's thread
  }
};

WatchedExecutor & with_rule(Served & served, const takt_schedule::WatchRule & rule)
{
  served.facts.rule = [rule](const takt_core::Callback &) { return rule; };
  return served.facts;
}

TEST_F(WatchingTest, is_off_until_somebody_asks_and_then_counts_exactly)
{
  Served served("main", 2);
  served.facts.rmw = "rmw_fake";
  served.facts.unknown = {"lost: nobody counts"};
  served.watch();
  std::atomic<int> runs{0};
  const auto work = subscription(
    "/a:sub(/x)", [&] { runs.fetch_add(1); }, 1000);
  ASSERT_TRUE(served.executor->add(work).ok());
  served.start();
  served.executor->ready(*work, 5);
  wait_for([&] { return runs.load() == 5; });
  EXPECT_EQ(threads_named("takt.watch"), 0);

  Client client;
  json document = client.statistics();  // asked while the executor spins
  EXPECT_EQ(callback_in(document, "/a:sub(/x)")["starts"], 0);
  wait_for([] { return threads_named("takt.watch") == 1; });
  served.executor->ready(*work, 700);
  work->lost_messages.store(2);
  wait_for([&] {
    document = client.statistics();  // the document's run in progress is older than its counts
    return callback_in(document, "/a:sub(/x)")["response"]["count"] == 700 &&
           document["executors"][0]["threads"][1]["running"].is_null();
  });
  const json callback = callback_in(document, "/a:sub(/x)");
  EXPECT_EQ(callback["kind"], "subscription");
  EXPECT_EQ(callback["threads"], json({"main.0", "main.1"}));
  EXPECT_EQ(callback["depth"], 1000);
  EXPECT_EQ(callback["waiting"], 0);
  EXPECT_GE(callback["largest_waiting"], 1);
  EXPECT_EQ(callback["arrivals"], 700);
  EXPECT_EQ(callback["starts"], 700);
  EXPECT_EQ(callback["overwritten"], 0);
  EXPECT_EQ(callback["lost"], 2);
  EXPECT_TRUE(callback["oldest_age_ns"].is_null());
  EXPECT_TRUE(callback["deadline_ns"].is_null());
  EXPECT_TRUE(callback["budget_ns"].is_null());
  EXPECT_EQ(callback["misses_in_window"], json({0, 1}));
  EXPECT_TRUE(callback["execution"]["p50_ns"].is_number());
  EXPECT_TRUE(callback["execution"]["p99_ns"].is_null()) << "of 700 values seven are beyond it";

  EXPECT_EQ(document["pid"], ::getpid());
  EXPECT_EQ(document["rmw"], "rmw_fake");
  EXPECT_EQ(document["unknown"], json({"lost: nobody counts"}));
  EXPECT_GT(document["since_ns"], 0);
  EXPECT_GE(document["time_ns"], document["since_ns"]);
  const json executor = document["executors"][0];
  EXPECT_EQ(executor["spinning"], true);
  ASSERT_EQ(executor["threads"].size(), 2U);
  const json thread = executor["threads"][1];
  EXPECT_EQ(thread["name"], "main.1");
  EXPECT_GT(thread["tid"], 0);
  EXPECT_TRUE(thread["running"].is_null());
  EXPECT_EQ(thread["asked_differs"], false);
  EXPECT_GT(thread["voluntary_switches"], 0);
}

TEST_F(WatchingTest, a_request_that_is_none_is_refused)
{
  Served served("main");
  served.watch();
  Client client;
  for (const char * const request : {"[]", "3", "{"}) {
    EXPECT_EQ(client.ask(MessageType::statistics, request).first, MessageType::error) << request;
  }
  EXPECT_EQ(threads_named("takt.watch"), 0);
}

TEST_F(WatchingTest, an_executor_that_spins_is_refused)
{
  Served served("main");
  served.start();
  EXPECT_FALSE(watch(served.facts).ok());
  EXPECT_FALSE(watch({}).ok());
}

TEST_F(WatchingTest, an_age_alarm_comes_when_the_age_is_reached)
{
  Served served("main");
  takt_schedule::WatchRule rule;
  rule.backlog.emplace();
  rule.backlog->age = milliseconds(50);
  with_rule(served, rule).settings.period = std::chrono::seconds(10);
  served.watch();
  const auto work = subscription("/a:sub(/x)");
  ASSERT_TRUE(served.executor->add(work).ok());
  Client client;
  const json begin = client.ask(MessageType::subscribe).second;
  EXPECT_TRUE(begin["active"].empty());
  const auto asked = std::chrono::steady_clock::now();
  served.executor->ready(*work, 1);
  const json alarm = client.alarm();
  EXPECT_EQ(alarm["sequence"], begin["alarms"]);
  EXPECT_EQ(alarm["kind"], "age");
  EXPECT_EQ(alarm["state"], "raised");
  EXPECT_EQ(alarm["executor"], "main");
  EXPECT_EQ(alarm["callback"], "/a:sub(/x)");
  EXPECT_GE(alarm["value"], 50'000'000);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(9)) << "a period later";

  Client later;
  const json answer = later.ask(MessageType::subscribe).second;
  EXPECT_EQ(answer["alarms"].get<int>(), begin["alarms"].get<int>() + 1);
  ASSERT_EQ(answer["active"].size(), 1U);
  EXPECT_EQ(answer["active"][0], alarm);
  const json alarms = later.statistics()["alarms"];
  EXPECT_EQ(alarms["active"], 1);
  ASSERT_EQ(alarms["active_list"].size(), 1U);
  const json named = alarms["active_list"][0];
  EXPECT_EQ(named["kind"], alarm["kind"]);
  EXPECT_EQ(named["executor"], alarm["executor"]);
  EXPECT_EQ(named["subject"], "callback " + alarm["callback"].get<std::string>());
  EXPECT_EQ(named["since_ns"], alarm["time_ns"]);
}

/// A child of fork, which ends with the test however the test ends.
struct Child
{
  ~Child()
  {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  const pid_t pid;
};

// The kernel prefers another process on the same core.
TEST_F(WatchingTest, the_cause_of_an_alarm_names_the_process_that_had_the_core)
{
  const int core = takt_rt::usable_cores().front();
  const Child eater{::fork()};
  if (eater.pid == 0) {
    cpu_set_t one{};
    CPU_SET(core, &one);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, "takt-eats");
    ::sched_setaffinity(0, sizeof one, &one);
    for (;;) {
    }
  }
  takt_core::ExecutorOptions options;
  options.name = "main";
  options.threads.resize(1);
  options.threads.front().attributes.policy = takt_rt::Policy::other;
  // The other process has this test's nice value.
  options.threads.front().attributes.nice = std::min(::getpriority(PRIO_PROCESS, 0) + 10, 19);
  options.threads.front().attributes.cores = {core};
  Served served("main");
  served.executor = std::move(takt_core::Executor::create(options)).value();
  served.facts.executor = served.executor.get();
  takt_schedule::WatchRule rule;
  rule.backlog.emplace();
  rule.backlog->age = milliseconds(50);
  with_rule(served, rule).settings.period = milliseconds(100);
  served.watch();
  std::atomic<int> runs{0};
  const auto work = subscription("/a:sub(/x)", [&] {
    for (const Time begin = cpu_time(); cpu_time() - begin < milliseconds(20);) {
    }
    runs.fetch_add(1);
  });
  ASSERT_TRUE(served.executor->add(work).ok());
  served.start();
  Client client;
  client.ask(MessageType::subscribe);
  std::string named;
  for (int round = 1; named.empty(); ++round) {
    served.executor->ready(*work, 4);  // the last one waits for 60 ms even on a core of its own
    const json alarm = client.alarm();
    ASSERT_FALSE(alarm.is_null());
    for (const json & who : alarm["cause"].is_null() ? json::array() : alarm["cause"]["who"]) {
      named += who["name"] == "process takt-eats (" + std::to_string(eater.pid) + ")" ? "it" : "";
    }
    wait_for([&] { return runs.load() == 4 * round; });
  }
}

TEST_F(WatchingTest, a_message_that_is_taken_in_time_raises_nothing)
{
  Served served("main");
  takt_schedule::WatchRule rule;
  rule.backlog.emplace();
  rule.backlog->age = std::chrono::seconds(30);
  with_rule(served, rule).settings.period = milliseconds(5);
  served.watch();
  std::atomic<int> runs{0};
  const auto work = subscription("/a:sub(/x)", [&] { runs.fetch_add(1); });
  ASSERT_TRUE(served.executor->add(work).ok());
  served.start();
  for (int i = 0; i < 20; ++i) {
    served.executor->ready(*work, 1);
    wait_for([&] { return runs.load() == i + 1; });
  }
  Client client;
  EXPECT_EQ(client.statistics()["alarms"]["raised"], 0);
}

TEST_F(WatchingTest, a_stall_is_told_while_it_lasts_with_the_functions)
{
  Served served("main", 2);
  takt_schedule::WatchRule rule;
  rule.stall = milliseconds(100);
  with_rule(served, rule).settings.period = milliseconds(100);
  served.watch();
  const auto work = subscription("/a:sub(/x)", &compute_until_told);
  ASSERT_TRUE(served.executor->add(work).ok());
  served.start();
  Client client;
  client.ask(MessageType::subscribe);
  bool named = kUnderThreadSanitizer;
  // Try again: the thread may wait for a core when the watch asks.
  for (int i = 0; i < 100 && (i == 0 || !named); ++i) {
    g_ends.store(false);
    served.executor->ready(*work, 1);
    const json alarm = client.alarm();
    EXPECT_EQ(alarm["kind"], "stall");
    EXPECT_EQ(alarm["callback"], "/a:sub(/x)");
    ASSERT_TRUE(alarm["thread"] == "main.0" || alarm["thread"] == "main.1") << alarm.dump();
    EXPECT_TRUE(alarm["stack"].is_array()) << alarm.dump();
    named = named || alarm["stack"].dump().find("compute_until_told") != std::string::npos;
    const json executor = client.statistics()["executors"][0];
    const json running = executor["threads"][alarm["thread"] == "main.0" ? 0 : 1]["running"];
    EXPECT_EQ(running["callback"], "/a:sub(/x)") << "it still runs";
    g_ends.store(true);
    EXPECT_EQ(client.alarm()["state"], "cleared");
  }
  EXPECT_TRUE(named);
}

TEST_F(WatchingTest, a_chain_whose_root_is_in_another_process_alarms_and_says_from_where_it_counts)
{
  Served served("main");
  served.facts.chain_rule = [](const std::string &) {
    takt_schedule::ChainWatchRule rule;
    rule.fail_safe.push_back({takt_schedule::AlarmAction::Kind::run, "", {"stop"}, "", 0});
    return rule;
  };
  served.facts.settings.period = milliseconds(20);
  served.watch();
  const auto last = subscription("/b:sub(/y)", [] {
    const auto until = std::chrono::steady_clock::now() + milliseconds(3);
    while (std::chrono::steady_clock::now() < until) {
    }
  });
  ASSERT_TRUE(served.executor->add(last).ok());
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/a:timer(100ms)", "/b:sub(/y)"};
  chain.deadline = milliseconds(2);
  ASSERT_TRUE(served.executor->reconfigure({.more_chains = {chain}}).ok());
  served.start();
  Client client;
  client.ask(MessageType::subscribe);
  served.executor->ready(*last, 1);
  const json alarm = client.alarm();
  EXPECT_EQ(alarm["kind"], "deadline");
  EXPECT_EQ(alarm["chain"], "hot");
  EXPECT_EQ(alarm["fail_safe"], true);
  EXPECT_EQ(alarm["from_arrival"], true);
  const json told = client.statistics()["executors"][0]["chains"][0];
  EXPECT_EQ(told["from_arrival"], true);
  EXPECT_EQ(told["activations"], 1);
  EXPECT_EQ(told["misses"], 1);
  EXPECT_EQ(told["overdue"], 0);
  EXPECT_EQ(told["response"]["count"], 1);
  EXPECT_GE(told["response"]["max_ns"], 3'000'000);
  const auto root = test::timer("/a:timer(100ms)", std::chrono::hours(1));
  ASSERT_TRUE(served.executor->add(root).ok());
  const json then = client.statistics()["executors"][0]["chains"][0];
  EXPECT_EQ(then["from_arrival"], false);
  EXPECT_EQ(then["response"]["count"], 0);
  served.executor->remove(*root);
}

TEST_F(WatchingTest, a_stall_in_a_system_call_says_which)
{
  Served served("main");
  takt_schedule::WatchRule rule;
  rule.stall = milliseconds(20);
  with_rule(served, rule).settings.period = milliseconds(20);
  served.watch();
  std::atomic<std::uint32_t> told{0};
  const auto work = subscription("/a:sub(/x)", [&] {
    while (told.load() == 0) {
      takt_rt::futex_wait(told, 0);
    }
  });
  ASSERT_TRUE(served.executor->add(work).ok());
  served.start();
  Client client;
  client.ask(MessageType::subscribe);
  bool named = false;
  // Try again: the thread may wait for a core for so long that it does not even fall asleep.
  for (int i = 0; i < 100 && !named; ++i) {
    told.store(0);
    served.executor->ready(*work, 1);
    const json alarm = client.alarm();
    EXPECT_EQ(alarm["kind"], "stall");
    EXPECT_EQ(alarm["state"], "raised");
    named = alarm["stack"].dump().find("system call: futex") != std::string::npos;
    told.store(1);
    takt_rt::futex_wake(told, 1);
    const json cleared = client.alarm();
    EXPECT_EQ(cleared["kind"], "stall");
    EXPECT_EQ(cleared["state"], "cleared");
  }
  EXPECT_TRUE(named);
}

TEST_F(WatchingTest, an_exception_is_counted_and_a_take_that_finds_nothing_is)
{
  Served served("main");
  served.watch();
  const auto throws = subscription("/a:sub(/x)", [] { throw 1; });
  const auto nothing = subscription("/b:sub(/y)");
  nothing->empty.store(true);
  ASSERT_TRUE(served.executor->add(throws).ok());
  ASSERT_TRUE(served.executor->add(nothing).ok());
  served.start();
  Client client;
  client.statistics();
  served.executor->ready(*throws, 2);
  served.executor->ready(*nothing, 3);
  json document;
  wait_for([&] {
    document = client.statistics();
    return callback_in(document, "/b:sub(/y)")["empty_takes"] == 3 &&
           callback_in(document, "/a:sub(/x)")["response"]["count"] == 2;
  });
  EXPECT_EQ(callback_in(document, "/a:sub(/x)")["exceptions"], 2);
  EXPECT_EQ(callback_in(document, "/a:sub(/x)")["starts"], 2);
  EXPECT_EQ(callback_in(document, "/b:sub(/y)")["starts"], 0);
}

TEST_F(WatchingTest, callbacks_on_the_callers_thread_are_counted)
{
  Served served("main");
  served.watch();
  const auto work = subscription("/a:sub(/x)");
  ASSERT_TRUE(served.executor->add(work).ok());
  Client client;
  client.statistics();
  served.executor->ready(*work, 3);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(served.executor->spin_once(std::chrono::seconds(10)).ok());
  }
  EXPECT_EQ(callback_in(client.statistics(), "/a:sub(/x)")["starts"], 3);
}

TEST_F(WatchingTest, a_callback_of_an_isolated_group_has_its_own_threads)
{
  Served served("main");
  served.watch();
  served.start();
  const auto group =
    std::make_shared<takt_core::Group>(takt_core::GroupKind::mutually_exclusive, "/a#1");
  takt_core::Isolation isolation;
  isolation.attributes.name = "alone";
  ASSERT_TRUE(served.executor->isolate(*group, isolation).ok());
  std::atomic<int> runs{0};
  const auto work = subscription(
    "/a:sub(/x)", [&] { runs.fetch_add(1); }, 10, group);
  Client client;
  client.statistics();
  ASSERT_TRUE(served.executor->add(work).ok());
  served.executor->ready(*work, 4);
  json document;
  wait_for([&] {
    document = client.statistics();
    return callback_in(document, "/a:sub(/x)")["response"]["count"] == 4;
  });
  EXPECT_EQ(callback_in(document, "/a:sub(/x)")["threads"], json({"alone"}));
  served.executor->remove(*work);
}

TEST_F(WatchingTest, executors_come_and_go_and_the_thread_goes_with_the_last)
{
  for (int round = 0; round < 3; ++round) {
    auto first = std::make_unique<Served>("first");
    first->watch();
    Client client;
    client.statistics();
    wait_for([] { return threads_named("takt.watch") == 1; });
    auto second = std::make_unique<Served>("second");
    second->watch();
    const auto work = subscription("/b:sub(/y)");
    ASSERT_TRUE(second->executor->add(work).ok());
    second->start();
    EXPECT_EQ(client.statistics()["executors"].size(), 2U);
    first.reset();
    EXPECT_EQ(threads_named("takt.watch"), 1);
    second->executor->ready(*work, 2);
    wait_for(
      [&] { return callback_in(client.statistics(), "/b:sub(/y)")["response"]["count"] == 2; });
    second->watching.reset();
    wait_until_no_thread_watches();
    second->executor->ready(*work, 2);  // the executor still has the observer
    EXPECT_TRUE(client.statistics()["executors"].empty());
  }
}

TEST_F(WatchingTest, an_executor_that_is_watched_no_longer_does_not_mind_another_one)
{
  Served old("old");
  old.watch();
  std::atomic<int> runs{0};
  const auto work = subscription("/a:sub(/x)", [&] { runs.fetch_add(1); });
  ASSERT_TRUE(old.executor->add(work).ok());
  old.start();
  old.watching.reset();  // the switch is still off
  Served fresh("fresh");
  fresh.watch();
  Client client;
  client.statistics();
  old.executor->ready(*work, 3);
  wait_for([&] { return runs.load() == 3; });
  EXPECT_EQ(client.statistics()["executors"].size(), 1U);
}

TEST_F(WatchingTest, the_alarms_of_an_executor_that_ends_are_cleared)
{
  Served other("other");
  other.watch();
  Client client;
  {
    Served served("main");
    takt_schedule::WatchRule rule;
    rule.backlog.emplace();
    rule.backlog->messages = 2;
    with_rule(served, rule).settings.period = milliseconds(5);
    served.watch();
    const auto work = subscription("/a:sub(/x)");
    ASSERT_TRUE(served.executor->add(work).ok());
    client.ask(MessageType::subscribe);
    served.executor->ready(*work, 3);
    EXPECT_EQ(client.alarm()["kind"], "backlog");
  }
  const json cleared = client.alarm();
  EXPECT_EQ(cleared["state"], "cleared");
  EXPECT_EQ(cleared["executor"], "main");
  EXPECT_EQ(cleared["callback"], "/a:sub(/x)");
  EXPECT_EQ(client.statistics()["alarms"]["active"], 0);
}

TEST_F(WatchingTest, executors_of_one_name_keep_their_alarms_apart)
{
  takt_schedule::WatchRule rule;
  rule.stall = std::chrono::hours(1);
  Served first("main");
  Served second("main");
  with_rule(first, rule).settings.period = milliseconds(5);
  rule.stall = milliseconds(10);
  with_rule(second, rule).settings.period = milliseconds(5);
  first.watch();
  second.watch();
  std::atomic<std::uint32_t> told{0};
  const auto quick = subscription("/a:sub(/x)");
  const auto slow = subscription("/b:sub(/y)", [&] { told.wait(0); });
  ASSERT_TRUE(first.executor->add(quick).ok());
  ASSERT_TRUE(second.executor->add(slow).ok());
  first.start();
  second.start();
  Client client;
  client.ask(MessageType::subscribe);
  second.executor->ready(*slow, 1);
  EXPECT_EQ(client.alarm()["callback"], "/b:sub(/y)");
  for (int i = 1; i <= 10; ++i) {
    first.executor->ready(*quick, 1);
    wait_for([&] {
      const json callback = callback_in(client.statistics(), "/a:sub(/x)");
      return callback["starts"] == i && callback["service_rate_hz"].is_number();
    });
  }
  EXPECT_EQ(client.statistics()["alarms"]["cleared"], 0) << "thread 0 of the other has it";
  EXPECT_EQ(client.statistics()["alarms"]["raised"], 1);
  told.store(1);
  told.notify_all();
  const json cleared = client.alarm();
  EXPECT_EQ(cleared["state"], "cleared");
  EXPECT_EQ(cleared["executor"], "main");
}

TEST_F(WatchingTest, a_child_of_fork_does_nothing_and_may_watch_for_itself)
{
  if (kUnderThreadSanitizer) {
    GTEST_SKIP() << "ThreadSanitizer ends a child of fork that starts a thread";
  }
  auto served = std::make_unique<Served>("main");
  served->watch();
  Client client;
  client.statistics();
  wait_for([] { return threads_named("takt.watch") == 1; });
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends the child if it hangs
    served->watching.reset();
    const auto executor = test::executor("own");
    WatchedExecutor facts;
    facts.name = "own";
    facts.executor = executor.get();
    takt_schedule::WatchRule rule;
    rule.budget = milliseconds(1);
    facts.rule = [rule](const takt_core::Callback &) { return rule; };
    auto watching = watch(facts);
    bool good = watching.ok() && threads_named("takt.watch") == 0;
    good = good && executor->add(subscription("/a:sub(/x)")).ok();
    while (good && threads_named("takt.watch") != 1) {
      std::this_thread::yield();
    }
    watching->reset();
    while (good && threads_named("takt.watch") != 0) {
      std::this_thread::yield();
    }
    std::_Exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(client.statistics()["executors"].size(), 1U);
}

// For ThreadSanitizer: runs, set-up, looks and requests at once.
TEST_F(WatchingTest, runs_set_up_looks_and_requests_go_on_side_by_side)
{
  Served served("main", 3);
  takt_schedule::WatchRule rule;
  rule.backlog.emplace();
  rule.backlog->messages = 5;
  rule.backlog->age = milliseconds(2);
  rule.budget = std::chrono::microseconds(10);
  rule.stall = milliseconds(1);
  rule.misses = takt_schedule::MissRule{1, 10};
  with_rule(served, rule).settings.period = milliseconds(1);
  served.facts.chain_rule = [](const std::string &) {
    takt_schedule::ChainWatchRule chain;
    chain.misses = takt_schedule::MissRule{0, 5};
    return chain;
  };
  served.watch();
  std::atomic<std::uint64_t> runs{0};
  const auto reentrant =
    std::make_shared<takt_core::Group>(takt_core::GroupKind::reentrant, "/a#1");
  const auto end = subscription(
    "/b:sub(/y)", [&] { runs.fetch_add(1); }, 50);
  const auto root = subscription(
    "/a:sub(/x)", [&] { served.executor->ready(*end, 1); }, 50, reentrant);
  ASSERT_TRUE(served.executor->add(root).ok());
  ASSERT_TRUE(served.executor->add(end).ok());
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/a:sub(/x)", "/b:sub(/y)"};
  chain.deadline = std::chrono::microseconds(100);
  ASSERT_TRUE(served.executor->reconfigure({.more_chains = {chain}}).ok());
  served.start();
  std::jthread publisher([&](const std::stop_token & ends) {
    while (!ends.stop_requested()) {
      served.executor->ready(*root, 2);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  std::jthread owner([&] {
    for (int i = 0; i < 60; ++i) {
      const auto work = subscription("/c:sub(/" + std::to_string(i % 3) + ")");
      EXPECT_TRUE(served.executor->add(work).ok());
      served.executor->ready(*work, 3);
      EXPECT_TRUE(served.executor->reconfigure({.more_chains = {chain}}).ok());
      served.executor->remove(*work);
      if (i % 10 == 0) {
        EXPECT_TRUE(
          served.executor->reconfigure({.chains = std::vector<takt_core::ChainOptions>{}}).ok());
      }
      Served more("more");
      more.watch();
    }
  });
  Client client;
  client.ask(MessageType::subscribe);
  json document;
  for (int i = 0; i < 30; ++i) {
    document = client.statistics();
    const json callback = callback_in(document, "/b:sub(/y)");
    EXPECT_LE(callback["starts"], callback["arrivals"]);
    EXPECT_LE(callback["response"]["count"], callback["starts"]);
    EXPECT_LE(callback["misses"], callback["starts"]);
  }
  owner.join();
  publisher.request_stop();
  publisher.join();
  // The executor runs the waiting messages; then the counts match the runs.
  wait_for([&] {
    document = client.statistics();
    const json callback = callback_in(document, "/b:sub(/y)");
    return callback["waiting"] == 0 && callback_in(document, "/a:sub(/x)")["waiting"] == 0 &&
           callback["response"]["count"] == runs.load();
  });
  const json callback = callback_in(document, "/b:sub(/y)");
  EXPECT_EQ(callback["starts"], runs.load());
  EXPECT_EQ(
    callback["arrivals"].get<std::uint64_t>(),
    callback["starts"].get<std::uint64_t>() + callback["overwritten"].get<std::uint64_t>());
}

}  // namespace
}  // namespace takt_watch
