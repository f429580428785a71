// Compiled programs of rclcpp print the same and end alike by themselves, watched by takt, and
// under a schedule.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "takt_rt/ready_time.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace
{

struct Outcome
{
  int code = -1;
  std::string out;
  std::string err;
};

// A folder for the log files of the programs, and for the other files of these tests.
class Folder
{
public:
  Folder() : path_(testing::TempDir() + "/programs_test.XXXXXX")
  {
    if (::mkdtemp(path_.data()) == nullptr) {
      std::abort();
    }
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder & operator=(const Folder &) = delete;
  const std::string & path() const { return path_; }

private:
  std::string path_;
};
const Folder g_folder;

// A ROS domain of this test's own, so that it hears no other program.
const std::string kDomain = "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=" +
                            std::to_string(10 + ::getpid() % 90) + " ROS_LOG_DIR='" +
                            g_folder.path() + "'; ";

Outcome run(const std::string & command)
{
  const std::string errors = g_folder.path() + "/errors";
  FILE * const pipe = ::popen((kDomain + command + " 2>'" + errors + "'").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> some{};
  while (const std::size_t n = std::fread(some.data(), 1, some.size(), pipe)) {
    outcome.out.append(some.data(), n);
  }
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream file(errors);
  outcome.err.assign(std::istreambuf_iterator<char>(file), {});
  std::remove(errors.c_str());
  return outcome;
}

// The first stays rclcpp's own, which --strict makes an error; the second ends rclcpp's own pool;
// the third goes on until a signal and the fourth reads commands, and the tests of takt_cli run
// these; rclcpp's own loop does not come to the end of the fifth at times; rclcpp's own pool mostly
// hangs in the one that waits for its successor (ids_test runs it); of the one with listeners of
// its own rclcpp's own loop at times misses the second match (on a busy machine in half of the
// runs); rclcpp's own pool at times runs a waitable once more than it has work: one thread asks
// whether it is ready, another one does the work, and the first one runs it all the same; rclcpp's
// server of an action at times does not know a goal that it has just accepted; the order of
// `follow_one_another` is the schedule's; the others print what the middleware did.
// `calls_in_a_callback` and those that wait need a schedule with several threads.
const std::set<std::string> kOwnTests{
  // rclcpp itself has weak pointers into a library that was closed.
  "closes_the_library_of_a_waiting_message",
  "parts_of_a_spin",
  "one_of_two_pools_throws",
  "looks",
  "watched",
  "far_timers",
  "overwritten_at_the_end",
  "waits_for_its_successor",
  "own_listeners_of_waitables",
  "waitables_in_a_pool",
  "results_asked_for_at_once",
  "calls_in_a_callback",
  "calls_and_gives_up",
  "waits_in_a_pool",
  "waits_in_its_group",
  "waits_on_the_only_thread",
  "overwritten_and_gone",
  "overwritten_and_left",
  "follow_one_another"};

std::vector<std::string> ways()
{
  std::vector<std::string> all;
  std::string names = run("'" TAKT_PROGRAM "'").out;
  for (std::size_t end = names.find('\n'); end != std::string::npos; end = names.find('\n')) {
    if (const std::string name = names.substr(0, end); kOwnTests.count(name) == 0) {
      all.push_back(name);
    }
    names.erase(0, end + 1);
  }
  return all;
}

// Before rclcpp 29 these programs crash or hang by themselves: objects that rclcpp and its
// middleware still use are destroyed before the program's own objects. Under takt the programs must
// come at least as far.
const std::set<std::string> kEndBadly{
  "global",
  "global_pool",
  "detached_for_ever",
  "detached_for_ever_pool",
  "exit_in_a_callback",
  "exit_in_a_callback_of_a_pool"};

bool may_end_badly(const std::string & way)
{
  return !TAKT_STOCK_ENDS_WELL && kEndBadly.count(way) != 0;
}

void expect_same(const std::string & way, const Outcome & takt, const Outcome & stock)
{
  if (may_end_badly(way) && stock.code != 0) {
    EXPECT_EQ(takt.out.substr(0, stock.out.size()), stock.out) << takt.err;
    return;
  }
  EXPECT_EQ(takt.out, stock.out) << takt.err;
  EXPECT_EQ(takt.code, stock.code) << takt.err;
}

class Program : public testing::TestWithParam<std::string>
{
protected:
  void SetUp() override
  {
    if (!TAKT_STOCK_ENDS_WELL && GetParam() == "own_listeners_of_actions") {
      GTEST_SKIP() << "before version 29 rclcpp itself aborts here, stock and under takt: where an "
                      "action ends, a timer of "
                      "the server calls a function that rclcpp has moved away";
    }
  }
  static std::string own() { return "timeout -k 5 60 "; }
  // When the context ends, rclcpp's own loop is sometimes torn down under a callback, and aborts or
  // crashes. takt waits for the callback.
  static Outcome stock(const std::string & way)
  {
    if (may_end_badly(way)) {
      return run("timeout -k 5 10 " + program(way));
    }
    Outcome outcome = run(own() + program(way));
    const auto torn_down = [&] {
      return outcome.code == 128 + SIGABRT || outcome.code == 128 + SIGSEGV;
    };
    for (int again = 0; torn_down() && again < 5; ++again) {
      outcome = run(own() + program(way));
    }
    return outcome;
  }
  static std::string takt(const std::string & options)
  {
    return own() + "'" TAKT_EXEC "' --strict " + options + " -- ";
  }
  static std::string program(const std::string & way) { return "'" TAKT_PROGRAM "' " + way; }
};

TEST_P(Program, does_the_same_by_itself_and_watched)
{
  const Outcome stock = Program::stock(GetParam());
  ASSERT_TRUE(stock.code == 0 || may_end_badly(GetParam())) << stock.code << stock.err;
  ASSERT_NE(stock.out, "");
  const Outcome watched = run(takt("") + program(GetParam()));
  expect_same(GetParam(), watched, stock);
  EXPECT_NE(watched.err.find("without a schedule"), std::string::npos) << watched.err;
}

TEST_P(Program, does_the_same_under_a_schedule)
{
  const Outcome stock = Program::stock(GetParam());
  ASSERT_TRUE(stock.code == 0 || may_end_badly(GetParam())) << stock.code << stock.err;
  const Outcome planned = run(takt("--schedule '" TAKT_SCHEDULE "'") + program(GetParam()));
  expect_same(GetParam(), planned, stock);
  EXPECT_NE(planned.err.find("as executor main of the schedule"), std::string::npos) << planned.err;
}

INSTANTIATE_TEST_SUITE_P(Ways, Program, testing::ValuesIn(ways()), [](const auto & info) {
  return info.param;
});

std::string temporary(const std::string & name)
{
  return g_folder.path() + "/" + name;
}

TEST(Timers, of_the_longest_periods_never_run)
{
  const Outcome outcome =
    run("timeout -k 5 60 '" TAKT_EXEC "' --strict -- '" TAKT_PROGRAM "' far_timers");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
    outcome.out,
    "single: far timers ran 0 times, the other one 20\n"
    "multi: far timers ran 0 times, the other one 20\n"
    "events: far timers ran 0 times, the other one 20\n")
    << outcome.err;
}

TEST(Listeners, of_the_program_on_waitables_stand_beside_takts)
{
  for (const std::string options : {"", "--schedule '" TAKT_SCHEDULE "' "}) {
    const Outcome outcome = run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict " + options +
      "-- '" TAKT_PROGRAM "' own_listeners_of_waitables");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "taken 50, told 50, matched both, told 1\n") << outcome.err;
  }
}

TEST(Waitables, of_a_pool_run_once_for_each_piece_of_work)
{
  for (const std::string options : {"", "--schedule '" TAKT_SCHEDULE "' "}) {
    const Outcome outcome = run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict " + options +
      "-- '" TAKT_PROGRAM "' waitables_in_a_pool");
    std::string six_times;
    for (int i = 0; i < 6; ++i) {
      six_times += "ran 12, waiting 0\nran 22, waiting 0\nran 32, waiting 0\n";
    }
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, six_times) << outcome.err;
  }
}

#if TAKT_WITH_COMPONENTS
TEST(Actions, have_the_result_of_each_goal_that_they_accepted)
{
  for (const std::string options : {"", "--schedule '" TAKT_SCHEDULE "' "}) {
    const Outcome outcome = run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict " + options +
      "-- '" TAKT_PROGRAM "' results_asked_for_at_once");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "unknown 0\n") << outcome.err;
  }
}
#endif

TEST(Report, names_each_callback_with_its_runs)
{
  const std::string file = temporary("report.json");
  const Outcome outcome = run(
    "'" TAKT_EXEC "' --strict --force --report '" + file + "' -- '" TAKT_PROGRAM "' on_the_stack");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream in(file);
  const auto report = nlohmann::json::parse(in);
  std::remove(file.c_str());
  ASSERT_EQ(report["executors"].size(), 1U);
  const auto & executor = report["executors"][0];
  EXPECT_EQ(executor["executor"], "/a");
  EXPECT_EQ(executor["kind"], "single_threaded");
  EXPECT_EQ(executor["threads"].size(), 1U);
  std::map<std::string, nlohmann::json> by_id;
  for (const auto & callback : executor["callbacks"]) {
    EXPECT_TRUE(by_id.emplace(callback["id"], callback).second) << callback["id"];
  }
  EXPECT_EQ(by_id.at("/a:sub(/a/count)")["runs"], 20);
  EXPECT_EQ(by_id.at("/b:sub(/b/count)")["runs"], 60);
  EXPECT_GE(by_id.at("/b:timer(2ms)")["runs"], 60);
  EXPECT_EQ(by_id.at("/b:timer(2ms)")["publishes"][0]["topic"], "/b/count");
  EXPECT_EQ(by_id.at("/b:timer(2ms)")["publishes"][0]["count"], 60);
  EXPECT_EQ(by_id.at("/b:sub(/b/count)")["overwritten"], 0);
}

// `before`: words before the program's.
nlohmann::json report_of(
  const std::string & options, const std::string & way, int code = 0,
  const std::string & before = "")
{
  const std::string file = temporary("report.json");
  const Outcome outcome = run(
    "timeout -k 5 60 '" TAKT_EXEC "' --force --report '" + file + "' " + options + " -- " + before +
    " '" TAKT_PROGRAM "' " + way);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  std::ifstream in(file);
  auto report = nlohmann::json::parse(in, nullptr, false);
  std::remove(file.c_str());
  return report;
}

// Callbacks of seven executors run inside each other, and the innermost callback's exception passes
// through two of them. takt finds the end of each run and take that begins, and measures each.
TEST(Report, measures_runs_after_exceptions_out_of_deeply_nested_spins)
{
  const std::string file = temporary("nested.json");
  for (const std::string options : {"", "--schedule '" TAKT_SCHEDULE "' "}) {
    const Outcome outcome = run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict --force --report '" + file + "' " + options +
      "-- '" TAKT_PROGRAM "' nested_spins");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::size_t told = outcome.err.find("used ");
    ASSERT_NE(told, std::string::npos) << outcome.err;
    const double used = std::stod(outcome.err.substr(told + 5));
    std::ifstream in(file);
    const auto report = nlohmann::json::parse(in);
    std::map<std::string, int> runs;
    double measured = 0;
    for (const auto & executor : report["executors"]) {
      for (const auto & callback : executor["callbacks"]) {
        if (callback["kind"] == "timer") {
          const std::string id = callback["id"];
          runs[id.substr(0, id.find(':'))] += callback["runs"].get<int>();
          EXPECT_GT(callback["cpu"]["mean_ns"].get<double>(), 0) << options << id;
        }
        if (callback["id"] == "/outermost:timer(2ms)") {
          measured = callback["cpu"]["mean_ns"].get<double>() * callback["runs"].get<double>();
        }
      }
    }
    EXPECT_EQ(runs["/outermost"], 24) << options;
    for (const std::string name : {"/at_depth_2", "/at_depth_3", "/at_depth_4"}) {
      EXPECT_EQ(runs[name], 12) << options << name;
    }
    EXPECT_GE(measured, 0.99 * used) << options;
    EXPECT_LE(measured, 1.5 * used) << options;
  }
  std::remove(file.c_str());
}

// A single-threaded program runs on one thread under any rules. With --strict takt refuses rules
// that name several threads.
TEST(Strict, refuses_rules_that_a_single_threaded_program_cannot_keep)
{
  const std::string schedule = temporary("split.yaml");
  std::ofstream(schedule) << "version: 1\n"
                             "executors:\n"
                             "  main:\n"
                             "    threads: {one: {}, two: {}}\n"
                             "    default: one\n"
                             "    callbacks:\n"
                             "      - {match: '/a:**', threads: one}\n"
                             "      - {match: '/b:**', threads: two}\n";
  const std::string command = "' --schedule '" + schedule + "' -- '" TAKT_PROGRAM "' on_the_stack";
  const Outcome strict = run("timeout -k 5 60 '" TAKT_EXEC "' --strict" + command.substr(1));
  EXPECT_EQ(strict.code, 2) << strict.err;
  EXPECT_NE(strict.err.find("on several threads (one, two)"), std::string::npos) << strict.err;
  const Outcome lenient = run("timeout -k 5 60 '" TAKT_EXEC + command);
  EXPECT_EQ(lenient.code, 0) << lenient.err;
  EXPECT_NE(lenient.err.find("as thread 'one'"), std::string::npos) << lenient.err;
  std::remove(schedule.c_str());
}

// In a subscription without a trigger messages wait for the callback that works with them.
TEST(Triggers, messages_wait_for_the_callback_that_takes_them)
{
  const std::string schedule = temporary("stored.yaml");
  const auto outcome = [&](const std::string & way, const std::string & keys) {
    std::ofstream(schedule)
      << "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n"
         "    callbacks: [{match: \"/fuses:sub(/stored)\"" +
           keys + "}]\n";
    return run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
      "' -- '" TAKT_PROGRAM "' " + way);
  };
  for (const std::string way : {"stores_messages", "stores_messages_within_the_process"}) {
    EXPECT_EQ(
      outcome(way, "").out,
      "stored by itself: 3\nwork 1: stored 3, newest 3\nstored by itself: 6\nwork 2: stored 6, "
      "newest 6\n");
    EXPECT_EQ(
      outcome(way, ", trigger: false").out,
      "stored by itself: 0\nwork 1: stored 3, newest 3\nstored by itself: 3\nwork 2: stored 6, "
      "newest 6\n");
  }
  EXPECT_EQ(
    outcome("stores_messages", ", trigger: false, keep: latest").out,
    "stored by itself: 0\nwork 1: stored 1, newest 3\nstored by itself: 1\nwork 2: stored 2, "
    "newest 6\n");
  const Outcome refused =
    outcome("stores_messages_within_the_process", ", trigger: false, keep: latest");
  EXPECT_NE(refused.err.find("keep needs messages that come by the middleware"), std::string::npos)
    << refused.err;
  std::remove(schedule.c_str());
}

// With logical execution time the messages of a run wait for the end of its period, in whatever
// form they are published.
TEST(LogicalTime, messages_wait_for_the_end_of_the_period)
{
  const std::string schedule = temporary("let.yaml");
  std::ofstream(schedule)
    << "version: 1\nexecutors:\n  main:\n    threads: {t: {count: 2}}\n    default: t\n"
       "    groups: [{match: \"/writer:group(*)\", let: true}]\n";
  const auto outcome = [&](const std::string & way) {
    return run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
      "' -- '" TAKT_PROGRAM "' " + way);
  };
  for (const std::string way : {"holds_messages", "holds_messages_within_the_process"}) {
    const Outcome held = outcome(way);
    EXPECT_EQ(held.out, "heard in the runs: 0, in all: 9\n") << way << held.err;
    EXPECT_EQ(held.code, 0) << held.err;
    EXPECT_EQ(held.err.find("with let"), std::string::npos) << held.err;
  }
  for (const std::string way :
       {"ends_a_publisher_with_a_held_message", "ends_its_context_with_a_held_message"}) {
    const Outcome ended = outcome(way);
    EXPECT_EQ(ended.out, "heard 7\n") << ended.err;
  }
  const Outcome crowded = outcome("holds_messages_in_a_short_buffer");
  EXPECT_NE(crowded.err.find("may be taken before the end of the period"), std::string::npos)
    << crowded.err;
  std::remove(schedule.c_str());
}

TEST(Triggers, a_group_waits_for_all_its_subscriptions)
{
  const std::string schedule = temporary("when.yaml");
  std::ofstream(schedule)
    << "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n"
       "    groups: [{match: \"/fuses:group(*)\", when: all}]\n";
  const Outcome outcome = run(
    "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
    "' -- '" TAKT_PROGRAM "' stores_messages");
  std::remove(schedule.c_str());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
    outcome.out,
    "stored by itself: 0\nwork 1: stored 3, newest 3\nstored by itself: 3\nwork 2: stored 6, "
    "newest 6\n");
}

TEST(Triggers, a_group_runs_sets_of_messages_whose_stamps_lie_close)
{
  const std::string schedule = temporary("spread.yaml");
  const auto outcome = [&](const std::string & way) {
    std::ofstream(schedule)
      << "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n"
         "    groups: [{match: \"/fuses:group(*)\", when: {spread: 20ms}}]\n";
    return run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
      "' -- '" TAKT_PROGRAM "' " + way);
  };
  const Outcome fused = outcome("fuses_by_stamps");
  EXPECT_EQ(fused.code, 0) << fused.err;
  EXPECT_EQ(fused.out, "b 2\na 2\nb 4\na 4\n");
  const Outcome within = outcome("fuses_by_stamps_within_the_process");
  EXPECT_NE(within.code, 0);
  EXPECT_NE(within.err.find("when needs messages that come by the middleware"), std::string::npos)
    << within.err;
  const Outcome refused = outcome("stores_messages");
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(
    refused.err.find("/fuses:sub(/stored): its group /fuses:group(default) waits for messages "
                     "whose stamps lie close together (spread), and its type has no "
                     "std_msgs/msg/Header as first field"),
    std::string::npos)
    << refused.err;
  std::remove(schedule.c_str());
}

TEST(Triggers, a_message_that_waits_for_its_set_may_outlive_the_library_of_its_subscription)
{
  const std::string schedule = temporary("library.yaml");
  std::ofstream(schedule)
    << "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n"
       "    groups: [{match: \"/fuses:group(*)\", when: {spread: 20ms}}]\n";
  const Outcome outcome = run(
    "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
    "' -- '" TAKT_PROGRAM "' closes_the_library_of_a_waiting_message");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "ended\n") << outcome.err;
  std::remove(schedule.c_str());
}

TEST(Sequences, a_callback_follows_its_publisher_before_others_that_were_ready_earlier)
{
  const std::string schedule = temporary("sequence.yaml");
  const auto outcome = [&](const std::string & keys) {
    std::ofstream(schedule)
      << "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {t: {}}\n"
         "    default: t\n    callbacks: [{match: \"/first:sub(/begin)\", priority: 10}]\n" +
           keys;
    return run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
      "' -- '" TAKT_PROGRAM "' follow_one_another");
  };
  const auto three = [](const std::string & line) { return line + line + line; };
  const Outcome queued = outcome("");
  EXPECT_EQ(queued.code, 0) << queued.err;
  EXPECT_EQ(queued.out, three("first beside second\n"));
  const Outcome called =
    outcome("    sequences: [[\"/first:sub(/begin)\", \"/second:sub(/go_on)\"]]\n");
  EXPECT_EQ(called.code, 0) << called.err;
  EXPECT_EQ(called.out, three("first second beside\n"));
  std::remove(schedule.c_str());
}

// takt top, status, trace and monitor reach the program through it.
TEST(ControlSocket, is_there_without_a_schedule)
{
  const std::string folder = temporary("runtime");
  std::filesystem::create_directory(folder);
  const Outcome outcome = run(
    "export TAKT_RUNTIME_DIR='" + folder +
    "'; '" TAKT_EXEC "' --quiet --strict -- '" TAKT_PROGRAM
    "' looks >/dev/null & takt=$!; "
    "while kill -0 $takt 2>/dev/null; do "
    "if ls \"$TAKT_RUNTIME_DIR\"/*.sock >/dev/null 2>&1; then echo reached; break; fi; "
    "sleep 0.05; done; kill -INT $takt; wait $takt");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(outcome.out, "reached\n") << outcome.err;
}

std::set<std::string> ids_of(const nlohmann::json & executor)
{
  std::set<std::string> ids;
  for (const auto & callback : executor["callbacks"]) {
    ids.insert(callback["id"].get<std::string>());
  }
  return ids;
}

TEST(Report, names_nodes_without_their_address)
{
  const auto report = report_of("--strict", "anonymous_node");
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  const auto ids = ids_of(report["executors"][0]);
  EXPECT_TRUE(ids.contains("/listener_impl:timer(1ms)")) << report;
  EXPECT_TRUE(ids.contains("/listener_impl:timer(1ms)#2")) << report;
}

TEST(Report, names_nodes_of_groups_without_their_address)
{
  const auto report = report_of("--strict", "anonymous_group");
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  EXPECT_EQ(report["executors"][0]["executor"], "/listener_impl");
  EXPECT_TRUE(ids_of(report["executors"][0]).contains("/listener_impl:timer(1ms)")) << report;
}

const std::string kUnderPool = "'" TAKT_EXEC "' --strict --schedule '" TAKT_SCHEDULE "' -- ";

TEST(Pools, share_the_threads_of_the_schedule)
{
  const Outcome outcome = run("timeout -k 5 60 " + kUnderPool + "'" TAKT_PROGRAM "' two_pools");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "both\n") << outcome.err;
  const std::size_t at = outcome.err.find("threads ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_LE(std::stoi(outcome.err.substr(at + 8)), 3) << outcome.err;
}

TEST(Pools, go_on_when_a_callback_of_another_throws)
{
  const Outcome outcome =
    run("timeout -k 5 60 " + kUnderPool + "'" TAKT_PROGRAM "' one_of_two_pools_throws");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "caught: thrown by a callback\nwent on\n") << outcome.err;
}

// A callback on the thread of the housekeeping waits for a service that it has just made. takt
// follows this change on another thread.
TEST(Pools, follow_a_change_while_their_default_threads_are_busy)
{
  const std::string schedule = temporary("busy.yaml");
  std::ofstream(schedule) << "version: 1\n"
                             "executors:\n"
                             "  main:\n"
                             "    order: priority\n"
                             "    threads: {rest: {}, late: {}}\n"
                             "    default: rest\n"
                             "    callbacks:\n"
                             "      - match: ['/waits:client(/late)', '/waits:service(/late)']\n"
                             "        threads: late\n";
  const Outcome outcome = run(
    "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
    "' -- '" TAKT_PROGRAM "' waits_for_what_it_makes");
  std::remove(schedule.c_str());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "an answer\n") << outcome.err;
}

TEST(Isolation, has_attributes_in_force_at_the_first_callback_of_each_group)
{
  if (!takt_rt::may_use_realtime(20)) {
    GTEST_SKIP() << "needs SCHED_FIFO up to 20, which this process may not use here";
  }
  const std::string schedule = temporary("isolated.yaml");
  std::ofstream(schedule)
    << "version: 1\n"
       "executors:\n"
       "  main:\n"
       "    threads: {rest: {policy: fifo, priority: 10}}\n"
       "    default: rest\n"
       "    groups:\n"
       "      - {match: '/first:group(**)', isolate: true, policy: fifo, priority: 20}\n";
  const char * const factor = std::getenv("TAKT_TEST_ROUNDS");
  const int rounds = 2 * (factor == nullptr ? 1 : std::atoi(factor));
  for (int i = 0; i < rounds; ++i) {
    const Outcome outcome = run(
      "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + schedule +
      "' -- '" TAKT_PROGRAM "' first_callbacks");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "fifo 6\n") << outcome.err;
  }
  std::remove(schedule.c_str());
}

TEST(Chains, through_messages_within_the_process_are_in_the_report)
{
  const std::string schedule = temporary("chains.yaml");
  std::ofstream(schedule) << "version: 1\n"
                             "strict: true\n"
                             "executors:\n"
                             "  main:\n"
                             "    order: priority\n"
                             "    threads: {main: {}}\n"
                             "    default: main\n"
                             "chains:\n"
                             "  counting:\n"
                             "    path: ['/intra:timer(2ms)', '/intra:sub(/intra/count)']\n"
                             "    priority: 100\n"
                             "    deadline: 10s\n";
  const auto report = report_of("--strict --schedule '" + schedule + "'", "intra_process");
  std::remove(schedule.c_str());
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  const auto & chains = report["executors"][0]["chains"];
  ASSERT_EQ(chains.size(), 1U) << report;
  EXPECT_EQ(chains[0]["name"], "counting");
  // takt may take the first message while it looks for messages from before the spin. Then the
  // message belongs to no activation.
  EXPECT_GE(chains[0]["activations"], 29);
  EXPECT_LE(chains[0]["activations"], 30);
  EXPECT_EQ(chains[0]["late"], 0);
  // Ten activations lie beyond the median of thirty, and none beyond their p99.
  EXPECT_TRUE(chains[0]["response"]["p50_ns"].is_number()) << report;
  EXPECT_TRUE(chains[0]["response"]["p99_ns"].is_null()) << report;
}

// The program makes each take find a message that was published one period after the message for
// which the run was chosen.
TEST(Chains, answer_for_the_message_that_a_take_found)
{
  const std::string schedule = temporary("replaced.yaml");
  std::ofstream(schedule)
    << "version: 1\n"
       "strict: true\n"
       "executors:\n"
       "  main:\n"
       "    threads: {main: {count: 2}}\n"
       "    default: main\n"
       "chains:\n"
       "  numbers: {path: ['/late:timer(25ms)', '/late:sub(/late/number)']}\n";
  const auto report =
    report_of("--strict --schedule '" + schedule + "'", "replaced_before_the_take");
  std::remove(schedule.c_str());
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  const auto & chains = report["executors"][0]["chains"];
  ASSERT_EQ(chains.size(), 1U) << report;
  EXPECT_GE(chains[0]["activations"], 24) << report;
  // In half of the runs or more, also on a busy machine, the message is younger than one period.
  EXPECT_LT(chains[0]["response"]["p50_ns"], 20'000'000) << report;
}

TEST(Report, names_executors_of_one_address_by_their_nodes)
{
  const auto report = report_of("--strict", "one_after_the_other");
  ASSERT_EQ(report["executors"].size(), 2U) << report;
  EXPECT_EQ(report["executors"][0]["executor"], "/first");
  EXPECT_EQ(report["executors"][1]["executor"], "/second");
}

// The watch of takt top and of alarms reads the same count as the report.
TEST(Report, has_no_skipped_periods_of_a_timer_that_is_always_due)
{
  const auto report = report_of("--strict", "always_due");
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  bool seen = false;
  for (const auto & callback : report["executors"][0]["callbacks"]) {
    if (callback["id"] == "/always:timer(0s)") {
      seen = true;
      EXPECT_GE(callback["runs"], 20) << callback;
      EXPECT_EQ(callback["skipped_periods"], 0) << callback;
    }
  }
  EXPECT_TRUE(seen) << report;
}

// Each start is another process that starts at another time.
TEST(Epoch, of_the_host_puts_timers_of_all_processes_on_one_grid)
{
  const std::string schedule = temporary("epoch.yaml");
  std::ofstream(schedule) << "version: 1\nepoch: host\nexecutors:\n  main:\n    threads: {t: {}}\n"
                             "    default: t\n    callbacks:\n"
                             "      - {match: '/b:timer(2ms)', offset: 1234us}\n";
  std::set<std::int64_t> without_a_rule;
  for (int start = 0; start < 3; ++start) {
    const auto report = report_of("--strict --schedule '" + schedule + "'", "on_the_stack");
    ASSERT_EQ(report["executors"].size(), 1U) << report;
    EXPECT_EQ(report["executors"][0]["epoch"], "host");
    for (const auto & callback : report["executors"][0]["callbacks"]) {
      const auto & phase = callback["phase"];
      if (callback["id"] == "/b:timer(2ms)") {
        EXPECT_EQ(phase["first_ns"].get<std::int64_t>() % 2'000'000, 1'234'000) << phase;
        EXPECT_EQ(phase["early_ns"], 0) << phase;
        EXPECT_EQ(phase["late_ns"], 0) << phase;
        EXPECT_GE(phase["releases"], 60) << phase;
      } else if (callback["id"] == "/a:timer(2ms)") {
        without_a_rule.insert(phase["first_ns"].get<std::int64_t>() % 2'000'000);
      }
    }
  }
  std::remove(schedule.c_str());
  EXPECT_EQ(without_a_rule.size(), 3U) << "the phase that the program gave it, each time another";
}

/// The phase of a timer's releases in the report `file`.
nlohmann::json phase_in(const std::string & file, const std::string & id)
{
  std::ifstream in(file);
  const auto report = nlohmann::json::parse(in, nullptr, false);
  for (const auto & executor : report["executors"]) {
    for (const auto & callback : executor["callbacks"]) {
      if (callback["id"] == id) {
        return callback["phase"];
      }
    }
  }
  ADD_FAILURE() << id << " is not in " << report;
  return {};
}

void expect_grid(const nlohmann::json & phase, std::int64_t period, std::int64_t offset)
{
  ASSERT_TRUE(phase.is_object()) << phase;
  EXPECT_EQ(phase["first_ns"].get<std::int64_t>() % period, offset) << phase;
  EXPECT_EQ(phase["early_ns"], 0) << phase;
  EXPECT_EQ(phase["late_ns"], 0) << phase;
}

TEST(Epoch, of_the_host_holds_while_another_process_starts_again)
{
  const std::string folder = temporary("epoch");
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/s.yaml")
    << "version: 1\nepoch: host\nexecutors:\n"
       "  front:\n    threads: {t: {}}\n    default: t\n    callbacks:\n"
       "      - {match: '/looks:timer(10ms)', offset: 3ms}\n"
       "      - {match: '/looks:timer(40ms)', offset: 7ms}\n"
       "  rear:\n    threads: {t: {}}\n    default: t\n    callbacks:\n"
       "      - {match: '/b:timer(2ms)', offset: 1234us}\n";
  const std::string takt = "'" TAKT_EXEC "' --quiet --force --schedule s.yaml --report ";
  // The last timer of the first process is made while the process spins.
  const Outcome outcome = run(
    "cd '" + folder + "'; " + takt +
    "front.json -- '" TAKT_PROGRAM
    "' looks >front.txt & front=$!; "
    "until grep -q late front.txt; do kill -0 $front || exit 1; sleep 0.02; done; "
    "for start in 1 2; do " +
    takt +
    "rear$start.json -- '" TAKT_PROGRAM
    "' on_the_stack >/dev/null || exit 2; done; kill -INT $front; wait $front");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  constexpr std::int64_t kMs = 1'000'000;
  expect_grid(phase_in(folder + "/front.json", "/looks:timer(10ms)"), 10 * kMs, 3 * kMs);
  expect_grid(phase_in(folder + "/front.json", "/looks:timer(40ms)"), 40 * kMs, 7 * kMs);
  expect_grid(phase_in(folder + "/rear1.json", "/b:timer(2ms)"), 2 * kMs, 1'234'000);
  expect_grid(phase_in(folder + "/rear2.json", "/b:timer(2ms)"), 2 * kMs, 1'234'000);
  std::filesystem::remove_all(folder);
}

// Threads of other executors run while takt sets the offsets, and may take a due timer. A timer
// that is cancelled meanwhile and that the program resets later runs all the same.
TEST(Epoch, of_the_host_holds_for_timers_that_come_to_threads_of_others)
{
  const std::string schedule = temporary("comes.yaml");
  std::ofstream(schedule)
    << "version: 1\nepoch: host\nexecutors:\n  main:\n"
       "    threads: {t: {count: 3}}\n    default: t\n    callbacks:\n"
       "      - {match: ['/comes:timer(2ms)*', '/comes:timer(4ms)'], offset: 1234us}\n"
       "      - {match: '/all_the_time:**'}\n";
  const auto report = report_of("--strict --schedule '" + schedule + "'", "timers_come_to_others");
  std::remove(schedule.c_str());
  int seen = 0;
  for (const auto & executor : report["executors"]) {
    for (const auto & callback : executor["callbacks"]) {
      if (callback["has_offset"].get<bool>() && callback["period_ns"] == 2'000'000) {
        ++seen;
        expect_grid(callback["phase"], 2'000'000, 1'234'000);
      }
    }
  }
  EXPECT_EQ(seen, 60 * 8);
}

TEST(Report, says_which_spins_stayed_rclcpps_own)
{
  const auto report = report_of("", "parts_of_a_spin");
  EXPECT_TRUE(report["executors"].empty()) << report;
  ASSERT_EQ(report["stock"].size(), 1U) << report;
  EXPECT_EQ(report["stock"][0]["stock"], "spin_some");
  report_of("--strict", "parts_of_a_spin", 2);
}

// Compares with the program's own count. The report has the number of messages that a full history
// lost before the last take. It also has the number for a subscription that has left its executor,
// and for an executor that shares its threads.
TEST(Report, counts_overwritten_messages_while_others_wait)
{
  const std::string file = temporary("overwritten.json");
  for (const std::string way :
       {"overwritten_at_the_end", "overwritten_and_gone", "overwritten_and_left"}) {
    for (const std::string schedule : {"", "--schedule '" TAKT_SCHEDULE "' "}) {
      const Outcome outcome = run(
        "timeout -k 5 60 '" TAKT_EXEC "' --strict --force --report '" + file + "' " + schedule +
        "-- '" TAKT_PROGRAM "' " + way);
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      ASSERT_EQ(outcome.out.find("lost "), 0U) << outcome.out;
      const int lost = std::stoi(outcome.out.substr(std::string("lost ").size()));
      EXPECT_GT(lost, 0);
      std::ifstream in(file);
      const auto report = nlohmann::json::parse(in);
      ASSERT_EQ(report["executors"].size(), 1U) << report;
      int seen = 0;
      for (const auto & callback : report["executors"][0]["callbacks"]) {
        if (callback["id"] == "/slow:sub(/slow/numbers)") {
          ++seen;
          EXPECT_EQ(callback["overwritten"], lost) << way << " " << schedule << callback;
          // The history was full when the last message was taken.
          EXPECT_EQ(callback["waiting"].get<int>() > 5, way == "overwritten_at_the_end")
            << way << " " << schedule << callback;
        }
      }
      EXPECT_EQ(seen, 1) << report;
    }
  }
}

// All executors of a file share its chains, so chains do not tell which executor of the file the
// program has. The rules
// tell it.
TEST(Schedule, gives_the_executor_whose_rules_name_the_callbacks)
{
  const std::string schedule = temporary("two.yaml");
  const auto executor = [](const std::string & name, const std::string & rules) {
    return "  " + name + ":\n    threads: {main: {}}\n    default: main\n    callbacks:\n" + rules;
  };
  std::ofstream(schedule) << "version: 1\nexecutors:\n"
                          << executor(
                               "worker",
                               "      - {match: '/elsewhere:timer(1s)'}\n"
                               "      - {match: '/b:timer(2ms)'}\n")
                          << executor(
                               "other", "      - {match: ['/a:timer(2ms)', '/a:sub(/a/count)']}\n")
                          << "chains:\n"
                             "  count: {path: ['/a:timer(2ms)', '/a:sub(/a/count)']}\n";
  const Outcome outcome =
    run("'" TAKT_EXEC "' --schedule '" + schedule + "' -- '" TAKT_PROGRAM "' on_the_stack");
  std::remove(schedule.c_str());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("as executor other of the schedule"), std::string::npos)
    << outcome.err;
  EXPECT_NE(
    outcome.err.find("a rule of executor 'worker' names '/b:timer(2ms)'"), std::string::npos)
    << outcome.err;
}

TEST(Report, sees_what_travels_within_the_process)
{
  const auto report = report_of("--strict", "intra_process");
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  bool seen = false;
  for (const auto & callback : report["executors"][0]["callbacks"]) {
    if (callback["id"] == "/intra:timer(2ms)") {
      seen = true;
      ASSERT_EQ(callback["publishes"].size(), 1U) << callback;
      EXPECT_EQ(callback["publishes"][0]["topic"], "/intra/count");
      EXPECT_EQ(callback["publishes"][0]["count"], 30);
    }
  }
  EXPECT_TRUE(seen) << report;
}

TEST(Report, counts_each_message_within_the_process_once)
{
  const auto report = report_of("--strict", "bursts_within_the_process");
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  bool seen = false;
  for (const auto & callback : report["executors"][0]["callbacks"]) {
    if (callback["topic"] == "/bursts" && callback["within_process"] == true) {
      seen = true;
      EXPECT_EQ(callback["runs"], 40);
      EXPECT_EQ(callback["overwritten"], 0);
      EXPECT_EQ(callback["waiting"], 0);
      EXPECT_LE(callback["empty_takes"], 1);  // takt looks once for messages from before the spin
    } else if (callback["id"] == "/within:timer(2ms)") {
      EXPECT_EQ(callback["publishes"][0]["count"], 40);
    }
  }
  EXPECT_TRUE(seen) << report;
}

// The schedule requires rights that the process lacks: rclcpp's own loop does the program's work.
TEST(Rights, that_are_missing_are_no_reason_to_end_a_program)
{
  const std::string schedule = temporary("fifo.yaml");
  std::ofstream(schedule) << "version: 1\n"
                             "executors:\n"
                             "  main:\n"
                             "    order: fifo\n"
                             "    threads: {main: {policy: fifo, priority: 20}}\n"
                             "    default: main\n"
                             "    callbacks:\n"
                             "      - {match: '/a:**', threads: main}\n";
  const std::string without = "setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice -- ";
  const std::string with_schedule =
    " --schedule '" + schedule + "' -- '" TAKT_PROGRAM "' on_the_stack";
  const Outcome stock = run("'" TAKT_PROGRAM "' on_the_stack");
  const Outcome lenient = run(without + "'" TAKT_EXEC "'" + with_schedule);
  if (lenient.err.find("setpriv") != std::string::npos) {
    GTEST_SKIP() << "setpriv cannot take the right away here: " << lenient.err;
  }
  EXPECT_EQ(lenient.code, 0) << lenient.err;
  EXPECT_EQ(lenient.out, stock.out) << lenient.err;
  EXPECT_NE(lenient.err.find("rclcpp's own loop runs"), std::string::npos) << lenient.err;
  EXPECT_NE(lenient.err.find("CAP_SYS_NICE"), std::string::npos) << lenient.err;
  EXPECT_NE(lenient.err.find("limits.d"), std::string::npos) << lenient.err;
  EXPECT_EQ(lenient.err.find("setcap"), std::string::npos)
    << "nothing can be preloaded into a program that has file capabilities: " << lenient.err;
  const Outcome strict = run(without + "'" TAKT_EXEC "' --strict" + with_schedule);
  EXPECT_EQ(strict.code, 2) << strict.err;
  EXPECT_EQ(strict.out, "");
  std::remove(schedule.c_str());
}

TEST(Schedule, that_names_no_callback_is_told)
{
  const std::string schedule = temporary("other.yaml");
  std::ofstream(schedule) << "version: 1\n"
                             "executors:\n"
                             "  main:\n"
                             "    order: fifo\n"
                             "    threads: {main: {}}\n"
                             "    default: main\n"
                             "    callbacks:\n"
                             "      - {match: '/elsewhere:**', threads: main}\n";
  const Outcome outcome =
    run("'" TAKT_EXEC "' --schedule '" + schedule + "' -- '" TAKT_PROGRAM "' on_the_stack");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("no rule of the schedule names a callback"), std::string::npos)
    << outcome.err;
  std::remove(schedule.c_str());
}

TEST(Schedule, names_the_first_three_that_match_nothing)
{
  const std::string schedule = temporary("typos.yaml");
  std::ofstream(schedule) << "version: 1\n"
                             "executors:\n"
                             "  main:\n"
                             "    threads: {main: {}}\n"
                             "    default: main\n"
                             "    callbacks:\n"
                             "      - {match: '/a:**'}\n"
                             "      - {match: '/a:tmer(2ms)'}\n"
                             "      - {match: '/c:**'}\n"
                             "chains:\n"
                             "  one: {path: ['/a:timer(2ms)', '/a:sub(/count)']}\n"
                             "  two: {path: ['/b:timer(2ms)', '/b:sub(/count)']}\n";
  const Outcome outcome =
    run("'" TAKT_EXEC "' --schedule '" + schedule + "' -- '" TAKT_PROGRAM "' on_the_stack");
  std::remove(schedule.c_str());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string expected =
    "4 rules and ids of chains in the schedule match no callback of this executor; the report of "
    "`takt exec --report` lists them, and these are the first:\n  " +
    schedule + ":8:9: '/a:tmer(2ms)' matches no callback; did you mean '/a:timer(2ms)'?\n  " +
    schedule + ":9:9: pattern '/c:**' matches no callback\n  " + schedule +
    ":11:33: chain 'one': '/a:sub(/count)' matches no callback; did you mean '/a:sub(/a/count)'?\n";
  EXPECT_NE(outcome.err.find(expected), std::string::npos) << outcome.err << "\n" << expected;
}

std::string pinned_schedule(int core)
{
  std::string path = temporary("pinned.yaml");
  std::ofstream(path) << "version: 1\n"
                         "executors:\n"
                         "  main:\n"
                         "    threads: {main: {cores: ["
                      << core
                      << "]}}\n"
                         "    default: main\n"
                         "    callbacks: [{match: '/control:timer(1ms)'}]\n";
  return path;
}

// The program has pinned its thread to the last core, and the schedule names the first core of the
// process.
TEST(Cores, are_those_that_the_process_was_started_with)
{
  const auto cores = takt_rt::usable_cores();
  if (cores.size() < 2) {
    GTEST_SKIP() << "needs two cores";
  }
  const std::string first = std::to_string(cores.front());
  const std::string last = std::to_string(cores.back());
  const Outcome outcome = run(
    "timeout -k 5 60 '" TAKT_EXEC "' --strict --schedule '" + pinned_schedule(cores.front()) +
    "' -- '" TAKT_PROGRAM "' pinned_before_spin");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "in a callback: " + first + "\nafterwards: " + last + "\n") << outcome.err;
}

TEST(Report, has_the_attributes_that_a_thread_had_at_its_end)
{
  const auto cores = takt_rt::usable_cores();
  if (cores.size() < 2) {
    GTEST_SKIP() << "needs two cores";
  }
  const auto report = report_of(
    "--strict --schedule '" + pinned_schedule(cores.front()) + "'", "pinned_in_a_callback");
  ASSERT_EQ(report["executors"].size(), 1U) << report;
  const auto & thread = report["executors"][0]["threads"][0];
  EXPECT_EQ(thread["cores"], std::to_string(cores.back())) << thread;
  ASSERT_EQ(thread["refused"].size(), 1U) << thread;
  EXPECT_EQ(
    thread["refused"][0], "this thread was changed after takt, by the program or from outside");
}

// Runs a program with a callback that waits for an answer on its own thread, and goes on when takt
// reports this. Checks that takt prints `words`; empty: takt prints no such report.
void expect_told(
  const std::string & options, const std::string & way, const std::string & out,
  const std::vector<std::string> & words)
{
  const Outcome outcome =
    run("timeout -k 5 60 '" TAKT_EXEC "' --strict " + options + " -- '" TAKT_PROGRAM "' " + way);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, out + "\n") << outcome.err;
  for (const std::string & one : words) {
    EXPECT_NE(outcome.err.find(one), std::string::npos) << one << "\n" << outcome.err;
  }
  const std::string line = " sent a request to ";
  const std::size_t first = outcome.err.find(line);
  EXPECT_EQ(first == std::string::npos, words.empty()) << outcome.err;
  EXPECT_TRUE(words.empty() || outcome.err.find(line, first + 1) == std::string::npos)
    << "once\n"
    << outcome.err;
}

TEST(Hangs, are_told_with_both_callbacks_and_what_to_change)
{
  const std::string schedule = temporary("one.yaml");
  std::ofstream(schedule) << "version: 1\nexecutors: {main: {threads: {one: {}}, default: one}}\n";
  const std::string options = "--schedule '" + schedule + "'";
  expect_told(
    options, "waits_in_a_pool", "told",
    {"/caller:timer(10ms) sent a request to /work and has slept for", "on thread one",
     "/caller:service(/work) is ready, but may run on no other thread", "under `callbacks`"});
  std::ofstream(schedule)
    << "version: 1\nexecutors: {main: {threads: {one: {count: 2}}, default: one}}\n";
  expect_told(options, "waits_in_a_pool", "answered", {});
  expect_told(
    "", "waits_in_its_group", "told",
    {"both are in the mutually exclusive group /caller:group(default)"});
  expect_told(
    "", "waits_on_the_only_thread", "told",
    {"runs one callback at a time, also without takt", "use a MultiThreadedExecutor"});
}

TEST(Hangs, are_told_of_a_program_that_gives_up_after_a_second)
{
  const std::string schedule = temporary("one.yaml");
  std::ofstream(schedule) << "version: 1\nexecutors: {main: {threads: {one: {}}, default: one}}\n";
  const Outcome outcome = run(
    "timeout -k 5 60 '" TAKT_EXEC "' --schedule '" + schedule +
    "' -- '" TAKT_PROGRAM "' calls_and_gives_up");
  EXPECT_EQ(outcome.out, "0 answers, 5 timeouts\n") << outcome.err;
  EXPECT_NE(outcome.err.find("sent a request to /work and has slept"), std::string::npos)
    << outcome.err;
}

// Ctrl-C under load, many times: takt waits for callbacks before rcl is torn down.
TEST(Interrupts, end_a_busy_program_cleanly_each_time)
{
  const char * const rounds = std::getenv("TAKT_TEST_ROUNDS");
  const int times = rounds == nullptr ? 10 : 10 * std::atoi(rounds);
  for (int i = 0; i < times; ++i) {
    const Outcome outcome =
      run("timeout -k 5 60 '" TAKT_EXEC "' --strict -- '" TAKT_PROGRAM "' interrupted_under_load");
    ASSERT_EQ(outcome.code, 0) << i << "\n" << outcome.err;
    ASSERT_EQ(outcome.out, "ended\n") << i << "\n" << outcome.err;
  }
}

TEST(Python, programs_run_as_if_takt_were_not_there)
{
  const Outcome stock = run("python3 '" TAKT_PYTHON_PROGRAM "'");
  if (stock.code == 77) {
    GTEST_SKIP() << "rclpy is not found";
  }
  ASSERT_EQ(stock.code, 0) << stock.err;
  const Outcome under = run("'" TAKT_EXEC "' -- python3 '" TAKT_PYTHON_PROGRAM "'");
  EXPECT_EQ(under.code, 0) << under.err;
  EXPECT_EQ(under.out, stock.out) << under.err;
}

// The model that takt model writes of a program that prints `out`.
std::string observed(const std::string & program, const std::string & out)
{
  const std::string file = temporary("system.yaml");
  const Outcome outcome =
    run("timeout -k 5 60 '" TAKT_EXEC "' --observing -o '" + file + "' -- " + program);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, out) << outcome.err;
  std::ifstream in(file);
  std::string model(std::istreambuf_iterator<char>(in), {});
  std::remove(file.c_str());
  return model;
}

// The line of the callback in a model.
std::string entry_of(const std::string & id, const std::string & model)
{
  const std::size_t begin = model.find("{id: \"" + id + "\"");
  EXPECT_NE(begin, std::string::npos) << model;
  return begin == std::string::npos ? "" : model.substr(begin, model.find('\n', begin) - begin);
}

TEST(Observe, takes_no_preempted_run_for_a_sleep)
{
  takt_rt::ReadyTime account;
  account.read();
  if (!account.counted()) {
    GTEST_SKIP() << "this kernel does not count how long threads wait for cores";
  }
  const std::string model = observed("'" TAKT_PROGRAM "' preempted_and_asleep", "both ran\n");
  EXPECT_EQ(entry_of("/late:timer(1ms)", model).find("sleep: "), std::string::npos) << model;
  EXPECT_NE(entry_of("/late:timer(2ms)", model).find("sleep: "), std::string::npos) << model;
}

// In a run of takt model, whose report this asks for, too. How little CPU time is enough for "last"
// depends on the machine; rclcpp_parts_test has the sums.
TEST(Observe, tells_callbacks_that_publish_last_from_those_that_work_on)
{
  const auto report = report_of("--strict", "publishes_last_and_before", 0, "env TAKT_OBSERVE=1");
  std::map<std::string, nlohmann::json> by_id;
  for (const auto & callback : report["executors"].at(0)["callbacks"]) {
    by_id[callback["id"]] = callback;
  }
  const auto & last = by_id.at("/talks:timer(2ms)");
  const auto & works_on = by_id.at("/talks:timer(3ms)");
  EXPECT_EQ(last["publishing_runs"], last["runs"]) << last;
  EXPECT_GT(last["published_last"], 0) << last;
  EXPECT_EQ(works_on["publishing_runs"], works_on["runs"]) << works_on;
  EXPECT_EQ(works_on["published_last"], 0) << works_on;

  const std::string model = observed("'" TAKT_PROGRAM "' publishes_last_and_before", "300 runs\n");
  EXPECT_EQ(entry_of("/talks:timer(3ms)", model).find("publishes_last"), std::string::npos)
    << model;
}

// The requests pass through the preloaded library and through the library that the program links.
TEST(Observe, notes_each_request_of_a_program_that_links_takt_once)
{
  for (const std::string way : {"own", "pool"}) {
    const std::string model = observed("'" TAKT_LINKING_PROGRAM "' " + way, "10 answers\n");
    EXPECT_NE(
      entry_of("/caller:timer(20ms)", model)
        .find("waits_for: [\"/caller:service(/work)\", \"/caller:client(/work)\"]}"),
      std::string::npos)
      << way << model;
  }
}

TEST(Observe, writes_a_model_that_the_planner_can_read)
{
  const std::string file = temporary("system.yaml");
  const Outcome outcome =
    run("'" TAKT_EXEC "' --observing -o '" + file + "' -- '" TAKT_PROGRAM "' on_the_stack");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream in(file);
  const std::string model(std::istreambuf_iterator<char>(in), {});
  std::remove(file.c_str());
  EXPECT_NE(outcome.err.find("4 callbacks and 2 chains"), std::string::npos) << outcome.err;
  EXPECT_NE(model.find("messages of up to 8 bytes"), std::string::npos) << model;
  EXPECT_NE(model.find("\"/a:timer(2ms)\",\n      \"/a:sub(/a/count)\"]"), std::string::npos)
    << model;
  EXPECT_NE(model.find("\"/a:group(executor)\": mutually_exclusive"), std::string::npos) << model;
}

}  // namespace
