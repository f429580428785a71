// The ids of an adopted program's callbacks, groups and executors, and rules for callbacks that
// come late.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace
{

using nlohmann::json;

class Ids : public testing::Test
{
protected:
  void SetUp() override
  {
    folder_ = testing::TempDir() + "/ids_test.XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    ::setenv("ROS_DOMAIN_ID", std::to_string(10 + ::getpid() % 90).c_str(), 1);
    ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
    ::setenv("ROS_LOG_DIR", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The report of one way of the program (program.cpp); `said_` is its standard error.
  json report(const std::string & way, const std::string & options = "", int code = 0)
  {
    const std::string out = folder_ + "/report.json";
    std::filesystem::remove(out);
    const int status = std::system(("timeout -k 5 60 '" TAKT_EXEC "' --strict " + options +
                                    " --force --report '" + out + "' -- '" TAKT_PROGRAM "' " + way +
                                    " >'" + folder_ + "/out' 2>'" + folder_ + "/err'")
                                     .c_str());
    said_ = text("/err");
    EXPECT_EQ(WEXITSTATUS(status), code) << said_;
    return json::parse(text("/report.json"), nullptr, false);
  }
  std::string text(const std::string & name) const
  {
    std::ifstream file(folder_ + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string schedule(const std::string & text)
  {
    std::ofstream(folder_ + "/s.yaml") << "version: 1\n" << text;
    return "--schedule '" + folder_ + "/s.yaml'";
  }
  static std::map<std::string, json> callbacks(const json & report)
  {
    std::map<std::string, json> all;
    for (const auto & executor : report["executors"]) {
      for (const auto & callback : executor["callbacks"]) {
        EXPECT_TRUE(all.emplace(callback["id"], callback).second) << callback;
      }
    }
    return all;
  }

  std::string folder_;
  std::string said_;
};

TEST_F(Ids, of_equal_timers_are_numbered_as_the_node_made_them_across_groups)
{
  const auto all = callbacks(report("numbers_in_turn"));
  EXPECT_EQ(all.at("/turn:timer(5ms)")["runs"], 3);
  EXPECT_EQ(all.at("/turn:timer(5ms)")["group"], "/turn:group(1)");
  EXPECT_EQ(all.at("/turn:timer(5ms)#2")["runs"], 15);
}

TEST_F(Ids, of_groups_are_the_same_under_simulated_time)
{
  const json told = report("simulated_time");
  const auto all = callbacks(told);
  EXPECT_EQ(all.at("/simulated:timer(5ms)")["group"], "/simulated:group(1)") << told;
  for (const auto & [id, callback] : all) {
    if (id == "/simulated:sub(/clock)") {
      EXPECT_EQ(callback["group"], "/simulated:group(clock)");
    }
  }
}

TEST_F(Ids, of_a_timer_that_replaces_itself_stay)
{
  for (const std::string & options :
       {std::string(),
        schedule("executors: {main: {threads: {a: {count: 3}}, default: a, callbacks: [{match: "
                 "'/again:timer(5ms)', threads: a}]}}\n")}) {
    const json told = report("replaces_itself", options);
    const auto all = callbacks(told);
    EXPECT_EQ(all.at("/again:timer(5ms)")["runs"], 30) << told;
    EXPECT_FALSE(all.contains("/again:timer(5ms)#2")) << told;
  }
}

TEST_F(Ids, of_a_successor_keep_no_callback_that_waits_for_it)
{
  const json told = report("waits_for_its_successor");
  EXPECT_EQ(text("/out"), "it ran\n");
}

TEST_F(Ids, of_executors_are_never_those_of_others)
{
  const json told = report("one_node_again_and_again");
  std::set<std::string> names;
  for (const auto & executor : told["executors"]) {
    names.insert(executor["executor"].get<std::string>());
  }
  EXPECT_EQ(names, (std::set<std::string>{"/bridge", "/bridge#2", "/bridge#3", "/bridge#4"}));
}

TEST_F(Ids, of_an_events_executor_are_of_their_nodes_also_of_those_that_come_in_the_spin)
{
  std::set<std::string> ran;
  const json told = report("events_of_nodes_that_come");
  for (const auto & executor : told["executors"]) {
    EXPECT_EQ(executor["executor"], "/first") << told;
    for (const auto & callback : executor["callbacks"]) {
      if (callback["runs"] > 0) {
        ran.insert(callback["id"]);
      }
    }
  }
  for (const char * const id :
       {"/first:sub(/first/count)", "/late:timer(1ms)", "/alone:timer(1ms)"}) {
    EXPECT_TRUE(ran.contains(id)) << id << told;
  }
}

#if TAKT_WITH_COMPONENTS
const std::string kHotAndRest =
  "executors:\n  main:\n    missing_rights: report\n    threads: {hot: {policy: fifo, priority: "
  "60}, rest: {}}\n"
  "    default: rest\n    callbacks:\n";

TEST_F(Ids, in_rules_may_be_of_what_a_managed_node_makes_when_it_becomes_active)
{
  for (const std::string rules :
       {"      - {match: '/managed:timer(20ms)', threads: hot}\n",
        "      - {match: '/managed:timer(*)', threads: hot}\n",
        "      - {match: '/managed:**', threads: hot}\n",
        "      - {match: '/managed:timer(20ms)', threads: hot}\n    groups:\n"
        "      - {match: '/managed:group(*)', across_priorities: allow}\n"}) {
    for (const std::string strict : {"", "strict: true\n"}) {
      for (const std::string executor : {"", " --executor main"}) {
        report("makes_when_active", schedule(strict + kHotAndRest + rules) + executor);
        EXPECT_NE(said_.find("ran on hot"), std::string::npos) << rules << said_;
        EXPECT_EQ(said_.find("ran on rest"), std::string::npos) << rules << said_;
        for (const char * wrong :
             {"instead of where", "cannot add", "without the schedule", " match"}) {
          EXPECT_EQ(said_.find(wrong), std::string::npos) << rules << said_;
        }
      }
    }
  }
}

TEST_F(Ids, in_rules_of_a_managed_node_that_never_came_are_told_at_the_end)
{
  const json told = report(
    "makes_when_active",
    schedule(
      "strict: true\n" + kHotAndRest + "      - {match: '/managed:timer(30ms)', threads: hot}\n"));
  EXPECT_NE(said_.find("1 rule or id of a chain in the schedule waits"), std::string::npos)
    << said_;
  EXPECT_NE(told.dump().find("'/managed:timer(30ms)' matches no callback"), std::string::npos)
    << told;
}
#endif

}  // namespace
