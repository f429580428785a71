// takt_plan for its users: the examples of docs/plan.md, files, exit codes, faults, JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "analysis/inputs/inputs.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/test/docs_example.hpp"
#include "takt_schedule/test/program_test.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::test::Outcome;

std::string shown(const std::string & comment)
{
  return takt_schedule::test::docs_block(comment, "plan.md");
}

/// The error output without lines of progress, which appear only on slow machines, and without the
/// line that appears only on machines with fewer cores. Each of them
/// begins with the planner's state and ends with the seconds since the start, whatever the planner
/// does in between.
std::string without_progress(const std::string & err)
{
  static const std::regex progress("takt_plan: plann(ing|ed)([:;] [^\\n]*)?, [0-9]+ s\\n");
  static const std::regex cores("takt_plan: this machine cannot run the plan, [^\\n]*\\n");
  return std::regex_replace(std::regex_replace(err, progress, ""), cores, "");
}

class PlanProgram : public takt_schedule::test::ProgramTest
{
protected:
  PlanProgram() : ProgramTest(TAKT_PLAN) { write("car.yaml", shown("file: car.yaml")); }
};

TEST_F(PlanProgram, SaysWhatThePageShows)
{
  for (const auto & [words, code] :
       {std::pair{"car.yaml -o schedule.yaml", 0}, {"car.yaml --cpus 0 -o one.yaml", 1}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, code) << words;
    EXPECT_EQ(outcome.out, shown(std::string("says: ") + words));
    EXPECT_EQ(without_progress(outcome.err), "");
  }
}

TEST_F(PlanProgram, SequencesMakeNoChainWorse)
{
  const Outcome without = run("car.yaml --no-sequences --json");
  const Outcome with = run("car.yaml --json");
  EXPECT_EQ(with.code, 0) << with.err;
  const nlohmann::json before = nlohmann::json::parse(without.out);
  const nlohmann::json after = nlohmann::json::parse(with.out);
  ASSERT_EQ(after["chains"].size(), before["chains"].size());
  for (std::size_t i = 0; i < before["chains"].size(); ++i) {
    for (const char * const figure : {"bound_ns", "simulated_ns"}) {
      EXPECT_LE(after["chains"][i][figure], before["chains"][i][figure]) << figure;
    }
  }
  EXPECT_LE(after["short_histories"], before["short_histories"]);
  EXPECT_EQ(before["notes"].size(), 0U);
  ASSERT_EQ(after["notes"].size(), 4U);
  EXPECT_EQ(
    after["notes"][3],
    "to leave sequences out: --no-sequences; running programs get them at their next start");
  EXPECT_NE(
    after["notes"][0].get<std::string>().find("at most 60 runs a second start by direct call"),
    std::string::npos)
    << after["notes"][0];
  // The bounds are those of the schedule that it writes.
  run("car.yaml -o sequences.yaml");
  EXPECT_NE(
    content("sequences.yaml").find("- [\"/imu:timer(5ms)\", \"/fuse:sub(/imu)\"]"),
    std::string::npos);
  const auto plan = load_plan(path("car.yaml"), path("sequences.yaml"));
  ASSERT_TRUE(plan.ok()) << to_string(plan.faults().front());
  const auto found = bounds_through_reads(plan->model);
  ASSERT_TRUE(found.ok());
  for (Index i = 0; i < plan->model.chains.size(); ++i) {
    for (const nlohmann::json & chain : after["chains"]) {
      if (chain["name"] == plan->model.chains[i].name) {
        EXPECT_EQ(found->chains[i]->bound, chain["bound_ns"]);
      }
    }
  }
}

TEST_F(PlanProgram, OnlyPlansOfTaktThatAreSimulatedHaveSequences)
{
  for (const char * const words : {"--time 0s", "--planner picas"}) {
    const Outcome outcome = run(std::string("car.yaml --json -o plan.yaml ") + words);
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["notes"], nlohmann::json::array()) << words;
    EXPECT_EQ(content("plan.yaml").find("sequences"), std::string::npos) << words;
  }
}

/// A timer that uses the lanes which its node's subscription stores.
std::string storing_system(const std::string & of_store, const std::string & more = "")
{
  return "version: 1\n"
         "hosts: {car: {cores: 2}}\n"
         "overheads: {dispatch: 2us, middleware: 20us, context_switch: 4us}\n"
         "groups: {\"/steer:group(0)\": mutually_exclusive}\n"
         "callbacks:\n"
         "  - {id: \"/lane:timer(20ms)\", executor: camera, time: 3ms, period: 20ms, publishes: "
         "/lanes}\n"
         "  - {id: \"/steer:sub(/lanes)\", executor: control, group: \"/steer:group(0)\", time: "
         "100us, "
         "triggers: /lanes, " +
         of_store +
         "}\n"
         "  - {id: \"/steer:timer(20ms)\", executor: control, group: \"/steer:group(0)\", time: "
         "2ms, "
         "period: 20ms, reads: /lanes, publishes: /torque}\n"
         "  - {id: \"/wheel:sub(/torque)\", executor: control, time: 1ms, triggers: /torque, "
         "depth: 2}\n"
         "chains:\n"
         "  torque: {path: [\"/lane:timer(20ms)\", \"/steer:timer(20ms)\", "
         "\"/wheel:sub(/torque)\"], "
         "deadline: 60ms, priority: 50}\n" +
         more;
}

TEST_F(PlanProgram, MessagesThatAreOnlyStoredWakeNoThread)
{
  write("store.yaml", storing_system("depth: 4, stores: true"));
  const Outcome without = run("store.yaml --all-trigger --no-sequences --json");
  const Outcome with = run("store.yaml --no-sequences --json -o plan.yaml");
  EXPECT_EQ(with.code, 0) << with.err;
  const nlohmann::json before = nlohmann::json::parse(without.out);
  const nlohmann::json after = nlohmann::json::parse(with.out);
  EXPECT_EQ(before["notes"], nlohmann::json::array());
  EXPECT_EQ(
    after["notes"],
    (nlohmann::json{
      "trigger: false for /steer:sub(/lanes), which stores for /steer:timer(20ms): 50 messages a "
      "second wake no thread; chain 'torque' takes 23.17ms in simulation instead of 23.05ms",
      "to leave it out: --all-trigger; running programs get it at their next start"}));
  EXPECT_EQ(after["threads"], before["threads"])
    << "the load of the callbacks is that of the model";
  // The bounds are those of the schedule that it writes.
  const auto plan = load_plan(path("store.yaml"), path("plan.yaml"));
  ASSERT_TRUE(plan.ok()) << to_string(plan.faults().front());
  const auto model = with_inputs_in_takers(plan->model);
  ASSERT_TRUE(model.ok());
  const auto found = bounds_through_reads(*model);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->chains[0]->bound, after["chains"][0]["bound_ns"]);
}

TEST_F(PlanProgram, WhatTheModelDoesNotCallStoredTriggers)
{
  write("store.yaml", storing_system("depth: 4"));
  run("store.yaml --no-sequences -o plan.yaml");
  EXPECT_EQ(content("plan.yaml").find("trigger"), std::string::npos);
}

TEST_F(PlanProgram, SaysWhyMessagesThatAreStoredTriggerAllTheSame)
{
  const auto notes = [&](const std::string & system) {
    write("store.yaml", system);
    const Outcome outcome = run("store.yaml --no-sequences --json -o plan.yaml");
    EXPECT_EQ(content("plan.yaml").find("trigger"), std::string::npos);
    return nlohmann::json::parse(outcome.out)["notes"];
  };
  const nlohmann::json chain = notes(storing_system(
    "depth: 4, stores: true",
    "  lanes: {path: [\"/lane:timer(20ms)\", \"/steer:sub(/lanes)\"], deadline: 20ms}\n"));
  ASSERT_EQ(chain.size(), 1U) << chain;
  EXPECT_NE(
    chain[0].get<std::string>().find("no trigger: false for /steer:sub(/lanes), which stores: with "
                                     "it the bound of chain 'lanes' is "),
    std::string::npos)
    << chain;
  // Two messages come in a period of the timer.
  const std::string twice = std::regex_replace(
    storing_system("depth: 1, stores: true"), std::regex("lane:timer\\(20ms\\)(.*)period: 20ms"),
    "lane:timer(10ms)$1period: 10ms");
  const nlohmann::json depth =
    notes(std::regex_replace(twice, std::regex("lane:timer\\(20ms"), "lane:timer(10ms"));
  ASSERT_EQ(depth.size(), 1U) << depth;
  EXPECT_NE(
    depth[0].get<std::string>().find(
      "messages are overwritten before they are taken in simulation"),
    std::string::npos)
    << depth;
}

TEST_F(PlanProgram, MeetsTheDeadlineOfTheExampleOfSystems)
{
  write("car.yaml", takt_schedule::test::docs_block("test: valid", "system.md"));
  const Outcome outcome = run("car.yaml --json");
  EXPECT_EQ(outcome.code, 0);
  const auto all = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(all.at("chains").size(), 1U);
  EXPECT_LE(all.at("chains").at(0).at("bound_ns").get<std::int64_t>(), 60'000'000);
}

TEST_F(PlanProgram, SaysOfTheReferenceSystemWhatThePageShows)
{
  const std::string name = "autoware_reference.yaml";
  std::filesystem::copy_file(std::filesystem::path(TAKT_MODELS) / name, path(name));
  for (const std::string words :
       {"autoware_reference.yaml -o schedule.yaml",
        "autoware_reference.yaml --cpus 0-1 -o two.yaml"}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << words;
    EXPECT_EQ(outcome.out, shown("says: " + words));
    const bool warns = outcome.err.find("keeps 1 message of ") != std::string::npos;
    EXPECT_EQ(warns, outcome.out.find(" may be too short\n") != std::string::npos) << outcome.err;
  }
}

// One callback of the group runs for 25 ms. Meanwhile another callback of the group cannot take its
// messages, which come every 10 ms, in any plan.
TEST_F(PlanProgram, SaysInTheFirstLineWhatIsOverwritten)
{
  const std::string text = R"yaml(
version: 1
hosts: {machine: {cores: [0]}}
groups: {"/node:group(1)": mutually_exclusive}
callbacks:
  - {id: "/sensor:timer(10ms)", time: 1ms, period: 10ms, publishes: "/data"}
  - {id: "/node:sub(/data)", group: "/node:group(1)", time: 1ms, triggers: "/data", depth: DEPTH}
  - {id: "/node:timer(100ms)", group: "/node:group(1)", time: 25ms, period: 100ms}
chains:
  data: {path: ["/sensor:timer(10ms)", "/node:sub(/data)"], deadline: 60ms}
)yaml";
  for (const std::string depth : {"1", "5"}) {
    std::string system = text;
    system.replace(system.find("DEPTH"), 5, depth);
    write("group.yaml", system);
    const Outcome outcome = run("group.yaml");
    const std::string first = outcome.out.substr(0, outcome.out.find('\n'));
    EXPECT_EQ(first.find("overwritten in simulation") != std::string::npos, depth == "1") << first;
    const auto all = nlohmann::json::parse(run("group.yaml --json").out);
    EXPECT_EQ(all.at("overwritten_messages").get<int>() > 0, depth == "1");
  }
}

// A load of 90 % of two cores. A plan that chooses no offsets proves only some of the chains.
TEST_F(PlanProgram, ProvesAllChainsOfTheReferenceSystemAtFullLoad)
{
  if (const char * variant = std::getenv("TAKT_VARIANT"); variant != nullptr && *variant != '\0') {
    GTEST_SKIP() << "minutes under a sanitizer; the other tests walk through the same code";
  }
  std::ifstream file(std::filesystem::path(TAKT_MODELS) / "autoware_reference.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto replace = [&](const std::string & from, const std::string & to) {
    std::size_t count = 0;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
      ++count;
    }
    EXPECT_GT(count, 0U) << from;
  };
  replace("cores: [0, 1, 2, 3]", "cores: [0, 1]");
  replace(
    "overheads: {dispatch: 10us, middleware: 20us, context_switch: 40us}",
    "overheads: {dispatch: 5us, middleware: 30us, context_switch: 5us}");
  replace("time: 5.86ms", "time: 9.47367ms");
  write("full.yaml", text);
  const Outcome outcome = run("full.yaml --json -o full_plan.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto all = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(all.at("met").get<bool>());
  EXPECT_LE(all.at("threads").size(), 8U);
  ASSERT_EQ(all.at("chains").size(), 13U);
  for (const auto & chain : all.at("chains")) {
    EXPECT_LE(chain.at("simulated_ns"), chain.at("bound_ns")) << chain.at("name");
  }
  constexpr double kHotWork = 5 * 9.47367e6;  // five callbacks
  EXPECT_LE(all.at("chains").at(0).at("bound_ns").get<double>(), 1.06 * kHotWork);
  EXPECT_EQ(all.at("skipped_periods"), 0);
  EXPECT_EQ(all.at("overwritten_messages"), 0);

  // If a callback is late by a little, no other job of 9 ms precedes it.
  replace(", period: 100ms", ", period: 100ms, jitter: 1ms");
  write("late.yaml", text);
  const auto plan = load_plan(path("late.yaml"), path("full_plan.yaml"));
  ASSERT_TRUE(plan) << sentences(plan.faults()).front();
  const auto late = bounds_through_reads(plan->model);
  ASSERT_TRUE(late);
  for (Index chain = 0; chain < plan->model.chains.size(); ++chain) {
    EXPECT_TRUE(meets_deadline(plan->model.chains[chain], late->chains[chain]));
  }
  ASSERT_TRUE(late->chains[0]);
  EXPECT_LE(static_cast<double>(late->chains[0]->bound), 1.06 * kHotWork);
}

TEST_F(PlanProgram, SaysOnceThatThisMachineLacksCoresOfThePlan)
{
  // No machine of a test has the largest core.
  const int here = takt_rt::usable_cores().front();
  const std::string last = std::to_string(takt_schedule::kLargestCore);
  const std::string core = std::to_string(here);
  const std::string callbacks =
    "}}\noverheads: {}\ncallbacks:\n"
    "  - {id: \"/a:timer(10ms)\", time: 6ms, period: 10ms}\n"
    "  - {id: \"/b:timer(10ms)\", time: 6ms, period: 10ms}\n";
  write("large.yaml", "version: 1\nhosts: {car: {cores: [" + core + ", " + last + "]" + callbacks);
  const std::string start =
    "takt_plan: this machine cannot run the plan, because it uses core " + last + ", and takt may";
  const Outcome large = run("large.yaml --time 0s -o plan.yaml");
  EXPECT_EQ(large.err.find(start), 0U) << large.err;
  EXPECT_TRUE(large.err.ends_with("; to plan for this machine: --cpus " + core + "\n"))
    << large.err;
  EXPECT_EQ(run("large.yaml --time 0s -o plan.yaml --cpus " + core).err, "");
  EXPECT_EQ(run("large.yaml --time 0s -o plan.yaml --cpus " + core + "," + last).err, "");
  write("other.yaml", "version: 1\nhosts: {car: {cores: [" + last + "]" + callbacks);
  const Outcome other = run("other.yaml --time 0s -o plan.yaml");
  EXPECT_TRUE(other.err.ends_with(
    "; to plan for this machine, change the cores of host 'car' in the model\n"))
    << other.err;
}

TEST_F(PlanProgram, SubscriptionsThatStoreForTheSameTimerAreTriedTogether)
{
  // By itself neither may store: the other one, which still triggers, would take its messages.
  std::string text = storing_system("depth: 4, stores: true");
  const std::string chains = "chains:\n";
  text.insert(
    text.find(chains),
    "  - {id: \"/wind:timer(10ms)\", executor: camera, time: 100us, period: 10ms, publishes: "
    "/wind}\n"
    "  - {id: \"/steer:sub(/wind)\", executor: control, group: \"/steer:group(0)\", time: "
    "100us, triggers: /wind, depth: 8, stores: true}\n");
  write("store.yaml", text);
  const Outcome outcome = run("store.yaml --no-sequences --json -o plan.yaml");
  const nlohmann::json notes = nlohmann::json::parse(outcome.out)["notes"];
  ASSERT_EQ(notes.size(), 3U) << notes;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string topic = i == 0 ? "/wind" : "/lanes";
    EXPECT_EQ(
      notes[i].get<std::string>().find(
        "trigger: false for /steer:sub(" + topic + "), which stores for /steer:timer(20ms): "),
      0U)
      << notes[i];
  }
}

/// A chain of 2 ms whose callback shares a group with one that takes 8 ms.
std::string shared_group(const std::string & deadline)
{
  return "version: 1\noverheads: {}\nhosts: {car: {cores: 2}}\n"
         "groups: {\"/n:group(0)\": mutually_exclusive}\n"
         "callbacks:\n"
         "  - {id: \"/n:timer(10ms)\", group: \"/n:group(0)\", time: 2ms, period: 20ms, offset: "
         "any}\n"
         "  - {id: \"/n:timer(40ms)\", group: \"/n:group(0)\", time: 8ms, period: 40ms, offset: "
         "any}\n"
         "chains:\n"
         "  fast: {path: [\"/n:timer(10ms)\"], deadline: " +
         deadline + "}\n";
}

TEST_F(PlanProgram, AdvisesAGroupOfItsOwnWhereMatesOfItsGroupDelayALateChain)
{
  write("shared.yaml", shared_group("3ms"));
  const Outcome outcome = run("shared.yaml -o plan.yaml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
    outcome.out.find("if /n:timer(10ms) had a callback group of its own"), std::string::npos)
    << outcome.out;
  const auto all = nlohmann::json::parse(run("shared.yaml --json").out);
  EXPECT_EQ(
    all.at("misfits").at(0).at("own_groups_of"), std::vector<std::string>{"/n:timer(10ms)"});
}

TEST_F(PlanProgram, SaysThatNoScheduleCanMeetADeadlineBelowTheWork)
{
  write("shared.yaml", shared_group("1ms"));
  const Outcome outcome = run("shared.yaml -o plan.yaml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
    outcome.out.find(" No schedule can meet its deadline of 1ms: its callbacks alone take 2ms."),
    std::string::npos)
    << outcome.out;
  EXPECT_EQ(outcome.out.find("no single change"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("one more core"), std::string::npos) << outcome.out;
}

TEST_F(PlanProgram, WritesWhichModelTheScheduleIsFor)
{
  const auto named = [&](const std::string & words, const std::string & file) {
    EXPECT_EQ(run("car.yaml " + words).code, 0);
    const std::string text = content(file);
    const std::string key = "\nsystem: ";
    const std::size_t at = text.find(key);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos
             ? ""
             : text.substr(at + key.size(), text.find(' ', at + key.size()) - at - key.size());
  };
  std::filesystem::create_directory(path("made"));
  EXPECT_EQ(named("-o s.yaml", "s.yaml"), "car.yaml");
  EXPECT_EQ(named("-o made/s.yaml", "made/s.yaml"), "\"../car.yaml\"");
  EXPECT_EQ(named("", "out"), "car.yaml");
  EXPECT_EQ(named("-o s.yaml --models made .", "s.yaml"), "car");
}

TEST_F(PlanProgram, WritesAScheduleThatFitsTheSystemAndIsTheSameEveryTime)
{
  const Outcome printed = run("car.yaml");
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(run("car.yaml -o schedule.yaml").code, 0);
  EXPECT_EQ(content("schedule.yaml"), printed.out);
  EXPECT_TRUE(printed.out.starts_with("# car.yaml, planner takt: 4 threads on 2 cores; "))
    << printed.out;
  EXPECT_NE(printed.err.find("obstacles  main      core 0 of car"), std::string::npos);
  const auto plan = parse_plan(content("car.yaml"), printed.out);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  EXPECT_TRUE(plan->warnings.empty());
}

TEST_F(PlanProgram, PrintsEverythingAsJson)
{
  const Outcome outcome = run("car.yaml --cpus 0 --json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(without_progress(outcome.err), "");
  const auto all = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(all.at("met").get<bool>());
  ASSERT_EQ(all.at("chains").size(), 3U);
  EXPECT_EQ(all.at("chains").at(0).at("name"), "obstacles");
  EXPECT_TRUE(all.at("chains").at(0).at("met").get<bool>());
  ASSERT_EQ(all.at("misfits").size(), 1U);
  EXPECT_EQ(all.at("misfits").at(0).at("chain"), "camera");
  EXPECT_EQ(all.at("misfits").at(0).at("one_more_core_of"), "car");
  EXPECT_FALSE(all.at("misfits").at(0).at("cut_short").get<bool>());
  EXPECT_EQ(
    all.at("misfits").at(0).at("longer_periods_of"), std::vector<std::string>{"/lidar:timer(50ms)"})
    << "which start " << all.at("misfits").at(0).at("callback");
  std::size_t callbacks = 0;
  for (const auto & thread : all.at("threads")) {
    callbacks += thread.at("callbacks").size();
    EXPECT_EQ(thread.at("core"), 0);
  }
  EXPECT_EQ(callbacks, 9U);
  EXPECT_EQ(all.at("trade").size(), 4U);
  EXPECT_EQ(all.at("shortfalls").size(), 2U);
}

TEST_F(PlanProgram, WarnsOfChainsOfWhichNoActivationNeedEnd)
{
  write("two_ways.yaml", R"yaml(version: 1
hosts: {car: {cores: 1}}
overheads: {}
callbacks:
  - {id: "/a:timer(15ms)", time: 1ms, period: 15ms, offset: 15ms, publishes: /x}
  - {id: "/b:timer(15ms)", time: 1ms, period: 15ms, offset: 20ms, publishes: /y}
  - {id: "/m:sub(/x)", time: 1ms, triggers: [/x, /y], publishes: /z}
  - {id: "/r:timer(15ms)", time: 1ms, period: 15ms, offset: 25ms, reads: /z}
chains:
  one: {path: ["/a:timer(15ms)", "/m:sub(/x)", "/r:timer(15ms)"], deadline: 40ms}
)yaml");
  const Outcome outcome = run("two_ways.yaml -o schedule.yaml");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(
    outcome.err.find("warning: chain 'one': '/m:sub(/x)' is also started by "
                     "'/b:timer(15ms)'"),
    std::string::npos)
    << outcome.err;
  const std::string headline = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_TRUE(headline.ends_with(
    "; all deadlines are proven; 1 chain may never reach its end (see the warning)"))
    << headline;
  EXPECT_EQ(content("schedule.yaml").rfind("# " + headline + ".\n", 0), 0U);
  const auto all = nlohmann::json::parse(run("two_ways.yaml --json").out);
  EXPECT_EQ(all.at("endless_chains"), 1);
  ASSERT_EQ(all.at("warnings").size(), 1U);
  EXPECT_NE(outcome.err.find(all.at("warnings").at(0).get<std::string>()), std::string::npos);
}

TEST_F(PlanProgram, CallsASetWhatThePathOfTheLateChainCallsIt)
{
  std::string text = takt_schedule::test::docs_block("test: set", "system.md");
  const std::string time = "time: 6ms";
  text.replace(text.find(time), time.size(), "time: 60ms");
  const std::string deadline = "deadline: 100ms";
  for (auto at = text.find(deadline); at != std::string::npos; at = text.find(deadline)) {
    text.replace(at, deadline.size(), "deadline: 60ms");
  }
  write("fuse.yaml", text);
  const Outcome outcome = run("fuse.yaml --cpus 0 -o plan.yaml");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto all = nlohmann::json::parse(run("fuse.yaml --cpus 0 --json").out);
  ASSERT_FALSE(all.at("misfits").empty());
  for (const auto & misfit : all.at("misfits")) {
    const auto chain = misfit.at("chain").get<std::string>();
    const std::string id = "/fuse:sub(/" + chain + "/points)";
    EXPECT_EQ(misfit.at("callback"), id);
    const std::string named = "The callback " + id + " costs it most: ";
    EXPECT_NE(outcome.out.find(named), std::string::npos) << outcome.out;
  }
  EXPECT_EQ(all.at("misfits").back().at("chain"), "rear");
}

TEST_F(PlanProgram, GoesOnForATimeAndShowsWhatASimulationShows)
{
  const Outcome outcome = run("car.yaml --time 1s --seed 7");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("  simulated  result\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("  proven\n"), std::string::npos) << outcome.err;
}

// Both want all of the core in the same 10 ms, so only the time ends the search.
TEST_F(PlanProgram, SaysThatTheTimeEndedTheSearch)
{
  write("never.yaml", R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(20ms)", time: 9ms, period: 20ms}
  - {id: "/b:timer(10ms)", time: 2ms, period: 10ms}
chains:
  a: {path: ["/a:timer(20ms)"], priority: 20, deadline: 9ms}
  b: {path: ["/b:timer(10ms)"], priority: 10, deadline: 2ms}
)yaml");
  const std::string said = "--time 200ms ended the search. With a longer --time";
  const Outcome outcome = run("never.yaml -o plan.yaml --time 200ms");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find(said), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(" costs it most: 0s of its bound"), std::string::npos) << outcome.out;
  EXPECT_TRUE(nlohmann::json::parse(run("never.yaml --json --time 200ms").out).at("ended_by_time"));
  EXPECT_FALSE(nlohmann::json::parse(run("never.yaml --json").out).at("ended_by_time"));
}

TEST_F(PlanProgram, SaysInTheFirstLineAndInTheTableWhichChainPaysForPeriods)
{
  write("pay.yaml", R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/hot:timer(100ms)", time: 10ms, period: 100ms}
  - {id: "/low:timer(5ms)", time: 1ms, period: 5ms}
chains:
  hot: {path: ["/hot:timer(100ms)"], priority: 90, deadline: 11ms}
  low: {path: ["/low:timer(5ms)"], priority: 10, deadline: 20ms}
)yaml");
  const Outcome outcome = run("pay.yaml -o plan.yaml");
  EXPECT_EQ(outcome.code, 1);
  const std::string headline = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_TRUE(headline.ends_with("; hot pays for it that no timer skips a period")) << headline;
  EXPECT_NE(
    outcome.out.find("late by 1ms in simulation, so that no timer skips a period\n"),
    std::string::npos)
    << outcome.out;
  EXPECT_NE(
    outcome.out.find("there timers skip 300 periods in simulation: /low:timer(5ms)."),
    std::string::npos)
    << outcome.out;
  // With 1 % less time a plan keeps the deadline, but /low skips periods there.
  EXPECT_EQ(outcome.out.find("took 1 % less time"), std::string::npos) << outcome.out;
  const auto all = nlohmann::json::parse(run("pay.yaml --json").out);
  EXPECT_TRUE(all.at("chains").at(0).at("pays_for_periods"));
  EXPECT_FALSE(all.at("chains").at(1).at("pays_for_periods"));
  EXPECT_EQ(all.at("periods_kept_of"), std::vector<std::string>{"/low:timer(5ms)"});
}

TEST_F(PlanProgram, PrintsFaultsAsJsonWithTheFieldsOfAPlan)
{
  const auto fields = [](const nlohmann::json & document) {
    std::vector<std::string> names;
    for (const auto & [name, value] : document.items()) {
      names.push_back(name);
    }
    return names;
  };
  const auto plan = nlohmann::json::parse(run("car.yaml --json --time 0s").out);
  EXPECT_TRUE(plan.at("faults").empty());
  for (const auto & [words, fault] :
       {std::pair{"car.yaml --cpus 9", "no host has core 9; 'car' has cores 0-1"},
        {"nowhere.yaml", "nowhere.yaml: cannot be read: No such file or directory"},
        {"car.yaml -o car.yaml", "--output names the input file; name another file"}}) {
    const Outcome outcome = run(std::string("--json ") + words);
    EXPECT_EQ(outcome.code, 2);
    const auto all = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(all.at("faults"), std::vector<std::string>{fault});
    EXPECT_EQ(fields(all), fields(plan));
  }
}

TEST_F(PlanProgram, KnowsItsPlanners)
{
  for (const char * planner :
       {"takt", "picas", "isolated", "rate-monotonic", "competition", "competition-literal"}) {
    const Outcome outcome = run(std::string("car.yaml --json --planner ") + planner);
    EXPECT_LE(outcome.code, 1) << planner;
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("planner"), planner);
  }
}

TEST_F(PlanProgram, TakesCoresOfAllHostsOrOfEachByName)
{
  write("two.yaml", R"yaml(
version: 1
hosts: {car: {cores: 4}, gateway: {cores: 4}}
callbacks:
  - {id: "/a:timer(10ms)", host: car, executor: a, time: 9ms, period: 10ms}
  - {id: "/b:timer(10ms)", host: car, executor: a, time: 9ms, period: 10ms}
  - {id: "/c:timer(10ms)", host: gateway, executor: c, time: 1ms, period: 10ms}
)yaml");
  const auto cores = [&](const std::string & cpus) {
    std::string found;
    const auto all = nlohmann::json::parse(run("two.yaml --json --cpus " + cpus).out);
    for (const auto & thread : all.at("threads")) {
      found += thread.at("host").get<std::string>() + std::to_string(thread.at("core").get<int>());
    }
    return found;
  };
  EXPECT_EQ(cores("2-3"), "car2car3gateway2");
  EXPECT_EQ(cores("car:1,3,gateway:2"), "car1car3gateway2");
  EXPECT_EQ(cores("0,car:2"), "car0car2gateway0");
  const Outcome none = run("two.yaml --cpus car:0-1");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("'gateway' has no core for callbacks"), std::string::npos);
}

TEST_F(PlanProgram, CountsExecutorsAndTheirThreads)
{
  const auto threads = [&](const std::string & words) {
    return nlohmann::json::parse(run("car.yaml --json " + words).out).at("threads").size();
  };
  EXPECT_EQ(threads("--planner picas"), 4U);
  EXPECT_EQ(threads("--planner picas --executors 2"), 2U);
  EXPECT_EQ(threads("--planner competition --executors 2 --executor-threads 1"), 2U);
  EXPECT_EQ(threads("--planner competition-literal --executors 1 --executor-threads 3"), 3U);
}

TEST_F(PlanProgram, WhatIsWrongIsOneLineEachAndNothingIsWritten)
{
  write("bad.yaml", "version: 1\nhosts: {car: {cores: 4, colour: red}}\ncallbacks: []\n");
  for (const auto & [words, fault] :
       {std::pair{"bad.yaml -o o.yaml", "bad.yaml:2:"},
        {"nowhere.yaml -o o.yaml", "nowhere.yaml: cannot be read"},
        {"-o o.yaml", "takt_plan: system is required\n"},
        {"car.yaml -o o.yaml --planner best",
         "--planner: 'best' is none of takt, picas, isolated, rate-monotonic, competition, "
         "competition-literal\n"},
        {"car.yaml -o o.yaml --cpus 1-0",
         "--cpus: '1-0' is not a list of cores like 0,2-3 (from 0 to 4095)\n"},
        {"car.yaml -o o.yaml --cpus 0,",
         "--cpus: '0,' is not a list of cores like 0,2-3 (from 0 to 4095)\n"},
        {"car.yaml -o o.yaml --cpus 0,0", "--cpus: '0,0' names core 0 twice\n"},
        {"car.yaml -o o.yaml --cpus car:0,car:0-1",
         "--cpus: 'car:0,car:0-1' names core 0 of 'car' twice\n"},
        {"car.yaml -o o.yaml --cpus :0", "--cpus: ':0' is not a list of cores"},
        {"car.yaml -o o.yaml --cpus car:", "--cpus: 'car:' is not a list of cores"},
        {"car.yaml -o o.yaml --cpus car", "--cpus: 'car' is not a list of cores"},
        {"car.yaml -o o.yaml --cpus 9", "no host has core 9; 'car' has cores 0-1\n"},
        {"car.yaml -o o.yaml --cpus 0-7", "no host has core 2; 'car' has cores 0-1\n"},
        {"car.yaml -o o.yaml --cpus car:0,9", "'car' has no core 9; 'car' has cores 0-1\n"},
        {"car.yaml -o o.yaml --cpus bus:0", "there is no host 'bus'; hosts are 'car'\n"},
        {"car.yaml -o o.yaml --time 5", "--time: '5' has no unit; write 5s"},
        {"car.yaml -o o.yaml --keep-slack 2", "--keep-slack: '2' is not a number from 0 to 1\n"},
        {"car.yaml -o o.yaml --seed x", "--seed: 'x' is not a whole number from 0 to "},
        {"car.yaml -o o.yaml --time fast", "--time: "},
        {"car.yaml -o o.yaml --planner picas --executors 0",
         "--executors: '0' is not a whole number from 1 to 1000\n"},
        {"car.yaml -o o.yaml --planner picas --executors -1",
         "--executors: '-1' is not a whole number from 1 to 1000\n"},
        {"car.yaml -o o.yaml --planner picas --executors 2x",
         "--executors: '2x' is not a whole number from 1 to 1000\n"},
        {"car.yaml -o o.yaml --planner competition --executor-threads 64",
         "--executor-threads: '64' is not a whole number from 1 to 63\n"},
        {"car.yaml -o o.yaml --planner isolated --executors 2",
         "a number of executors works only with the planners picas, competition and "
         "competition-literal\n"},
        {"car.yaml -o o.yaml --planner picas --executor-threads 2",
         "a number of threads of an executor works only with the planners competition and "
         "competition-literal\n"},
        {"car.yaml -o no/o.yaml", "--output: no/o.yaml cannot be written: No such file"},
        {"car.yaml -o car.yaml", "--output names the input file; name another file\n"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_NE(outcome.err.find(fault), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(exists("o.yaml"));
  }
  EXPECT_EQ(content("car.yaml"), shown("file: car.yaml"));
}

// A timer on a host of one core.
std::string one_timer(const std::string & id, int core)
{
  return "version: 1\noverheads: {}\nhosts: {car: {cores: [" + std::to_string(core) +
         "]}}\ncallbacks:\n  - {id: \"" + id + "\", time: 1ms, period: 10ms}\n";
}

TEST_F(PlanProgram, WritesTheLargestCoreThatASchedulesReaderTakes)
{
  write("far.yaml", one_timer("/a:timer(10ms)", 4095));
  EXPECT_EQ(run("far.yaml -o o.yaml").code, 0);
  EXPECT_NE(content("o.yaml").find("cores: [4095]"), std::string::npos) << content("o.yaml");
  takt_schedule::Machine machine;
  machine.cores = {4095};
  const auto schedule = takt_schedule::parse_schedule(content("o.yaml"), "o.yaml", machine);
  EXPECT_EQ(sentences(schedule.faults()), std::vector<std::string>{});
}

TEST_F(PlanProgram, WritesNoScheduleThatAReaderWouldRefuse)
{
  for (const auto & [system, fault] :
       {std::pair{one_timer("/a:timer(10ms)", 4096), "a whole number from 0 to 4095, not '4096'"},
        {one_timer("/a\\x01b:timer(10ms)", 0),
         "'/a\\x01b:timer(10ms)' contains a control character"},
        {one_timer("/a\\nb:timer(10ms)", 0),
         "'/a\\nb:timer(10ms)' contains a control character"}}) {
    write("odd.yaml", system);
    const Outcome outcome = run("odd.yaml -o o.yaml");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(fault), std::string::npos) << outcome.err;
    EXPECT_FALSE(exists("o.yaml"));
  }
}

TEST_F(PlanProgram, WhatCannotBeWrittenReturns1)
{
  const Outcome outcome = run("car.yaml -o /dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("/dev/full cannot be written: No space left"), std::string::npos);
  EXPECT_EQ(run("car.yaml", "/dev/full").code, 1);
}

}  // namespace
}  // namespace takt_plan
