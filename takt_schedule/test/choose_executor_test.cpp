#include "takt_schedule/choose_executor.hpp"

#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using test::Strings;

const std::string kThreads = "    threads: {t: {}}\n    default: t\n";

/// Executors, each with a list of rules in flow style; empty: without rules.
Schedule schedule(
  const std::vector<std::pair<std::string, std::string>> & executors,
  const std::string & chains = "")
{
  std::string text = "version: 1\nexecutors:\n";
  for (const auto & [name, rules] : executors) {
    text += "  " + name + ":\n" + kThreads;
    if (!rules.empty()) {
      text += "    callbacks: " + rules + "\n";
    }
  }
  return test::parse(text + chains);
}

Strings warnings(const ExecutorChoice & choice)
{
  return takt_rt::sentences(choice.warnings);
}

const std::string kChain =
  "chains:\n  reflex: {path: [\"/sensor:timer(20ms)\", \"/worker:sub(/scan)\"], deadline: 40ms}\n";
const Strings kSensor{"/sensor:timer(20ms)", "/sensor:service(/sensor/get_parameters)"};

TEST(ChooseExecutor, TakesTheOneWhoseOwnRulesNameTheCallbacksWhateverChainsName)
{
  const Schedule planned = schedule(
    {{"worker", "[{match: \"/worker:sub(/scan)\"}]"},
     {"sensor", "[{match: \"/sensor:timer(20ms)\"}]"}},
    kChain);
  EXPECT_EQ(choose_executor(planned, kSensor, "other").name, "sensor");
  EXPECT_EQ(choose_executor(planned, {"/worker:sub(/scan)"}, "sensor").name, "worker");
  EXPECT_EQ(warnings(choose_executor(planned, kSensor, "sensor")), Strings{});
}

TEST(ChooseExecutor, KeepsAScheduleForCallbacksThatANodeMayYetGet)
{
  const Schedule later = schedule({{"main", "[{match: \"/managed:timer(20ms)\"}]"}});
  const Strings ids{"/managed:service(/managed/change_state)"};
  EXPECT_EQ(choose_executor(later, ids, "x", {"/managed", "/feeder"}).name, "main");
  EXPECT_EQ(choose_executor(later, ids, "x", {"/feeder"}).name, "");
  EXPECT_EQ(choose_executor(later, ids, "x").name, "") << "only one of its groups is here";
  const Schedule chain = schedule({{"main", ""}}, kChain);
  EXPECT_EQ(choose_executor(chain, {}, "x", {"/worker"}).name, "main");
}

TEST(ChooseExecutor, TakesCallbacksThatAreThereBeforeThoseToCome)
{
  const Schedule both = schedule(
    {{"later", "[{match: [\"/a:timer(1s)\", \"/b:timer(1s)\"]}]"},
     {"now", "[{match: \"/*:sub(/x)\"}]"}});
  EXPECT_EQ(choose_executor(both, {"/a:sub(/x)"}, "x", {"/a", "/b"}).name, "now");
}

TEST(ChooseExecutor, TakesExactIdsBeforePatterns)
{
  const Schedule both =
    schedule({{"all", "[{match: \"/sensor:**\"}]"}, {"one", "[{match: \"/sensor:timer(20ms)\"}]"}});
  EXPECT_EQ(choose_executor(both, kSensor, "all").name, "one");
  const Schedule patterns =
    schedule({{"timers", "[{match: \"/sensor:timer(*)\"}]"}, {"all", "[{match: \"/sensor:**\"}]"}});
  EXPECT_EQ(choose_executor(patterns, kSensor, "timers").name, "all");
}

TEST(ChooseExecutor, TakesTheNameOfTheFirstNodeWhereRulesDoNotTell)
{
  const Schedule none = schedule({{"worker", ""}, {"sensor", ""}}, kChain);
  EXPECT_EQ(choose_executor(none, kSensor, "sensor").name, "sensor");
  const Schedule equal =
    schedule({{"worker", "[{match: \"**:timer(*)\"}]"}, {"sensor", "[{match: \"/*:timer(*)\"}]"}});
  EXPECT_EQ(choose_executor(equal, kSensor, "sensor").name, "sensor");
  EXPECT_EQ(warnings(choose_executor(equal, kSensor, "sensor")), Strings{});
}

TEST(ChooseExecutor, SaysThatSeveralFitEquallyWell)
{
  const Schedule equal =
    schedule({{"worker", "[{match: \"**:timer(*)\"}]"}, {"sensor", "[{match: \"/*:timer(*)\"}]"}});
  const auto choice = choose_executor(equal, kSensor, "other");
  EXPECT_EQ(choice.name, "worker");
  EXPECT_EQ(
    warnings(choice),
    Strings{"executors 'worker' and 'sensor' of s.yaml fit equally well, and takt takes 'worker'; "
            "choose with --executor, or give one of them a rule with an exact id"});
}

TEST(ChooseExecutor, LetsChainsTellWhereNothingElseDoes)
{
  EXPECT_EQ(choose_executor(schedule({{"main", ""}}, kChain), kSensor, "sensor").name, "main");
  EXPECT_EQ(choose_executor(schedule({{"main", ""}}, kChain), {"/x:timer(1s)"}, "x").name, "");
  const auto choice =
    choose_executor(schedule({{"worker", ""}, {"other", ""}}, kChain), kSensor, "sensor");
  EXPECT_EQ(choice.name, "worker");
  EXPECT_EQ(choice.warnings.size(), 1U) << "a chain belongs to no executor";
}

TEST(ChooseExecutor, TakesNoneThatNamesNothing)
{
  const Schedule other = schedule(
    {{"worker", "[{match: \"/worker:sub(/scan)\"}]"}, {"main", "[{match: \"/main:**\"}]"}});
  const auto choice = choose_executor(other, kSensor, "sensor");
  EXPECT_EQ(choice.name, "");
  EXPECT_EQ(warnings(choice), Strings{});
}

TEST(ChooseExecutor, WarnsOfExactIdsThatAnotherExecutorNames)
{
  const Schedule split = schedule(
    {{"worker", "[{match: \"/worker:sub(/scan)\"}, {match: \"/worker:timer(1s)\"}]"},
     {"sensor",
      "[{match: [\"/sensor:timer(20ms)\", \"/sensor:timer(1s)\", \"/sensor:timer(2s)\"]}]"}});
  const Strings ids{
    "/sensor:timer(20ms)", "/sensor:timer(1s)", "/sensor:timer(2s)", "/worker:timer(1s)",
    "/worker:timer(1s)"};
  const auto choice = choose_executor(split, ids, "worker");
  EXPECT_EQ(choice.name, "sensor");
  EXPECT_EQ(
    warnings(choice),
    Strings{"s.yaml:6:48: a rule of executor 'worker' names '/worker:timer(1s)', but this callback "
            "runs as part of executor 'sensor', where the rule has no effect"});
  EXPECT_EQ(
    takt_rt::sentences(rules_of_others(split, "worker", ids)),
    Strings{"s.yaml:10:17: a rule of executor 'sensor' names '/sensor:timer(20ms)', but this "
            "callback runs as part of executor 'worker', where the rule has no effect; the same "
            "holds for 2 further callbacks"});
}

}  // namespace
}  // namespace takt_schedule
