// The programs as users meet them: invalid input, signals, outputs, JSON.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/graph_parse.hpp"
#include "program.hpp"

namespace takt_workload
{

TEST_F(Programs, BadInputIsOneMessageAndExitCodeTwo)
{
  std::ofstream(file("bad.yaml")) << "version: 1\nname: x\nnodes: [{name: A, kind: sensor}]\n";
  const std::vector<std::vector<std::string>> cases{
    {TAKT_RUN},
    {TAKT_RUN, "three_chains", "--duration", "10h"},
    {TAKT_RUN, "three_chains", "--duration", "-1s"},
    {TAKT_RUN, "three_chains", "--order", "best"},
    {TAKT_RUN, "three_chains", "--cores", "0,4711"},
    {TAKT_RUN, "three_chains", "--phases", "random"},
    {TAKT_RUN, "three_chains", "--phases", "random:x"},
    {TAKT_RUN, "three_chains", "--phases", "random:18446744073709551616"},
    {TAKT_RUN, "three_chains", "--seed", "18446744073709551616"},
    {TAKT_RUN, "three_chains", "--seed=-1"},
    {TAKT_RUN, "three_chains", "--threads", "0"},
    {TAKT_RUN, "three_chains", "--schedule", "nowhere.yaml"},
    {TAKT_RUN, "three_chains", "--schedule", "three_chains_single", "--threads", "2"},
    {TAKT_RUN, "three_chains", "--split", "2", "--split-map", "nobody"},
    {TAKT_RUN, "three_chains", "--output", "/nowhere/at/all.json"},
    {TAKT_RUN, "three_chains", "--output", "/"},
    {TAKT_RUN, "three_chains", "--records", "/nowhere/at/all.json"},
    {TAKT_RUN, "three_chains", "--output", "a.json", "--records", "a.json"},
    {TAKT_RUN, "autoware_reference", "--duration", "100000min"},
    {TAKT_RUN, "autoware_reference", "--duration", "100000min", "--split", "3"},
    {TAKT_RUN, "three_chains", "--output", "-"},
    {TAKT_RUN, "three_chains", "--split", "10"},
    {TAKT_RUN, "three_chains", "--restart", "2@1s"},
    {TAKT_RUN, "three_chains", "--split", "3", "--restart", "2"},
    {TAKT_RUN, "three_chains", "--split", "3", "--restart", "0@1s", "--warmup", "5s"},
    {TAKT_RUN, "three_chains", "--split", "3", "--restart", "4@1s", "--warmup", "5s"},
    {TAKT_RUN, "three_chains", "--split", "3", "--restart", "2@5s", "--warmup", "5s"},
    {TAKT_RUN, "three_chains", "--split", "3", "--split-map", "callback_1;;callback_2"},
    {TAKT_RUN, "three_chains", "--schedule", "three_chains_single", "--order", "edf"},
    {TAKT_RUN, "three_chains", "--schedule", "/tmp"},
    {TAKT_RUN, "three_chains", "--reference-timer", "50"},
    {TAKT_RUN, "/tmp"},
    {TAKT_RUN, "nowhere.yaml"},
    {TAKT_RUN, file("bad.yaml")},
    {TAKT_GRAPH},
    {TAKT_GRAPH, "check", file("bad.yaml")},
    {TAKT_MEASURE_HOST, "--stalls", "long"}};
  for (const auto & words : cases) {
    Program program(words);
    EXPECT_EQ(program.finish(), 2) << words.back() << ": " << program.errors;
    EXPECT_EQ(std::count(program.errors.begin(), program.errors.end(), '\n'), 1)
      << words.back() << ": " << program.errors;
    EXPECT_EQ(program.output, "");
  }
}

TEST_F(Programs, ANumberThatIsNoneIsSaidInOurWords)
{
  for (const auto & [option, word, what] : std::vector<std::array<std::string, 3>>{
         {"--threads", "abc", "whole number from 1 to 63"},
         {"--threads", "64", "whole number from 1 to 63"},
         {"--split", "0", "whole number from 1 to 64"},
         {"--domain", "2x", "whole number from 0 to 232"},
         {"--reference-timer", "100", "whole number from 1 to 99"},
         {"--seed", "x", "whole number from 0 to 18446744073709551615"},
         {"--seed", "18446744073709551616", "whole number from 0 to 18446744073709551615"},
         {"--seed", "-1", "whole number from 0 to 18446744073709551615"},
         {"--work-scale", "x", "number from 0 to 1000"},
         {"--work-scale", "1001", "number from 0 to 1000"},
         {"--work-scale", "nan", "number from 0 to 1000"}}) {
    Program program({TAKT_RUN, "three_chains", option, word});
    EXPECT_EQ(program.finish(), 2);
    EXPECT_EQ(program.errors, "takt_run: " + option + ": '" + word + "' is not a " + what + "\n");
  }
}

TEST_F(Programs, GraphFaultsHaveFileAndLine)
{
  std::ofstream(file("bad.yaml")) << "version: 1\nname: x\nnodes:\n  - {name: A, kind: sensor}\n";
  Program program({TAKT_GRAPH, "check", file("bad.yaml")});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(program.errors.starts_with(file("bad.yaml") + ":4:5: ")) << program.errors;
}

TEST_F(Programs, IdsAndInfoOfTheReferenceSystem)
{
  Program ids({TAKT_GRAPH, "ids", "autoware_reference"});
  EXPECT_EQ(ids.finish(), 0);
  const json listed = json::parse(ids.output).at("callbacks");
  EXPECT_EQ(listed.size(), 36u);
  EXPECT_EQ(listed[0].at("id"), "/FrontLidarDriver:timer(100ms)");
  EXPECT_EQ(listed[0].at("group"), "/FrontLidarDriver:group(default)");
  Program info({TAKT_GRAPH, "info", "autoware_reference", "--json"});
  EXPECT_EQ(info.finish(), 0);
  const json all = json::parse(info.output);
  EXPECT_NEAR(all.at("total_utilisation").get<double>(), 1.1134, 1e-6);
  EXPECT_EQ(all.at("chains").size(), 13u);
}

TEST_F(Programs, SigintEndsARunCleanlyWithResults)
{
  Program program(
    {TAKT_RUN, "three_chains", "--work-scale", "0.1", "--warmup", "100ms", "--duration", "10min",
     "--json-progress", "--output", file("results.json")});
  ASSERT_TRUE(program.wait_for("elapsed_s\": 2"));
  program.signal(SIGINT);
  EXPECT_EQ(program.finish(), 0) << program.errors;
  const json all = results();
  EXPECT_GT(all.at("chains")[0].at("completed").get<int>(), 0);
  EXPECT_EQ(all.at("warnings")[0], "ended early");
}

TEST_F(Programs, AScheduleThatDoesNotFitTheGraphIsRefusedBeforeAnythingRuns)
{
  const auto write =
    [&](const std::string & head, const std::string & tail) {
      std::ofstream(file("s.yaml"))
        << head
        << "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {main: {}}\n"
           "    default: all\n    callbacks:\n"
        << tail << "chains:\n  hot: {path: [\"/No:sub(/such)\"], priority: 90}\n";
    };
  const std::string rules =
    "      - match: \"/NoSuchNode:timer(*)\"\n      - match: \"/**:timer(**)\"\n";
  for (const char * split : {"1", "3"}) {
    const std::vector<std::string> words{
      TAKT_RUN,     "three_chains", "--schedule", file("s.yaml"), "--split",  split,
      "--duration", "300ms",        "--warmup",   "10ms",         "--output", file("results.json")};
    write("strict: true\n", rules);
    Program strict(words);
    EXPECT_EQ(strict.finish(), 2) << strict.errors;
    for (const char * said :
         {"s.yaml:9:9: pattern '/NoSuchNode:timer(*)' matches no callback",
          "s.yaml:12:16: chain 'hot': '/No:sub(/such)' matches no callback"}) {
      EXPECT_NE(strict.errors.find(said), std::string::npos) << strict.errors;
    }
    EXPECT_FALSE(std::filesystem::exists(file("results.json")));

    write("", rules);
    Program lenient(words);
    EXPECT_EQ(lenient.finish(), 0) << lenient.errors;
    const json all = results();
    const std::string warnings = all.at("warnings").dump();
    EXPECT_NE(warnings.find("'/NoSuchNode:timer(*)' matches no callback"), warnings.npos);
    EXPECT_NE(warnings.find("'/No:sub(/such)' matches no callback"), warnings.npos) << warnings;
    EXPECT_EQ(all.at("defaulted_callbacks").size(), 6u) << "all but the timers";
    EXPECT_NE(lenient.output.find("on the default threads, for no rule"), std::string::npos);
    std::filesystem::remove(file("results.json"));
  }
  Program nobody(
    {TAKT_RUN, "three_chains", "--schedule", "three_chains_single", "--executor", "nobody"});
  EXPECT_EQ(nobody.finish(), 2);
  EXPECT_NE(nobody.errors.find("nobody"), std::string::npos) << nobody.errors;
}

TEST_F(Programs, AScheduleOfAnotherGraphIsSaidInOneSentence)
{
  const auto count = [](const json & warnings, const std::string & words) {
    return std::count_if(warnings.begin(), warnings.end(), [&](const json & one) {
      return one.get<std::string>().find(words) != std::string::npos;
    });
  };
  for (const char * split : {"1", "2"}) {
    std::vector<std::string> words{
      TAKT_RUN,
      "three_chains",
      "--schedule",
      "autoware_takt",
      "--split",
      split,
      "--duration",
      "100ms",
      "--warmup",
      "10ms",
      "--quiet",
      "--output",
      file("results.json")};
    Program stranger(words);
    ASSERT_EQ(stranger.finish(), 0) << stranger.errors;
    json warnings = results().at("warnings");
    EXPECT_EQ(count(warnings, "no rule and no chain of the schedule names a callback"), 1);
    EXPECT_EQ(count(warnings, "matches no callback"), 0) << warnings;

    std::ofstream schedule(file("s.yaml"));
    schedule << "version: 1\nexecutors:\n  main:\n    order: fifo\n    threads: {main: {}}\n"
                "    default: main\n    callbacks:\n";
    for (int i = 0; i < 15; ++i) {
      schedule << "      - {match: \"/Gone" << i << ":timer(*)\", priority: 1}\n";
    }
    schedule << "chains:\n  first: {path: [\"/callback_1:timer(300ms)\"], priority: 1}\n"
             << std::flush;
    words[3] = file("s.yaml");
    Program relative(words);
    ASSERT_EQ(relative.finish(), 0) << relative.errors;
    warnings = results().at("warnings");
    EXPECT_EQ(count(warnings, "matches no callback"), 10) << warnings;
    EXPECT_EQ(count(warnings, "and 5 more that match no callback"), 1) << warnings;
  }
}

TEST_F(Programs, RandomPhasesAreThoseThatWereAskedForWhateverTheScheduleSays)
{
  std::ofstream(file("s.yaml")) << "version: 1\nexecutors:\n  main:\n    order: fifo\n"
                                   "    threads: {main: {}}\n    default: main\n    callbacks:\n"
                                   "      - {match: \"/*:timer(*)\", offset: 60min}\n";
  for (const auto & [phases, runs] : {std::pair{"fixed", false}, {"random:1", true}}) {
    Program program(
      {TAKT_RUN, "three_chains", "--schedule", file("s.yaml"), "--duration", "700ms", "--warmup",
       "10ms", "--phases", phases, "--work-scale", "0.01", "--output", file("results.json")});
    ASSERT_EQ(program.finish(), 0) << program.errors;
    int count = 0;
    const json all = results();
    for (const json & callback : all.at("callbacks")) {
      count += callback.at("count").get<int>();
      if (!callback.at("offset_ns").is_null()) {  // of a timer: the offset with which it ran
        EXPECT_EQ(callback.at("offset_ns") == 3'600'000'000'000, !runs) << callback;
      }
    }
    EXPECT_EQ(count > 0, runs) << phases;
  }
}

TEST_F(Programs, TheExecutorThatIsTakenIsNamed)
{
  std::ofstream(file("s.yaml")) << "version: 1\nexecutors:\n"
                                   "  near: {order: fifo, threads: {a: {}}, default: a}\n"
                                   "  far: {order: fifo, threads: {b: {}}, default: b}\n";
  const auto run = [&](const std::vector<std::string> & more) {
    std::vector<std::string> words{
      TAKT_RUN, "three_chains", "--schedule", file("s.yaml"), "--duration",
      "100ms",  "--warmup",     "10ms",       "--output",     file("results.json")};
    words.insert(words.end(), more.begin(), more.end());
    Program program(words);
    EXPECT_EQ(program.finish(), 0) << program.errors;
    return program.output;
  };
  const std::string note = "executor near runs the whole graph, the first of 2 in the schedule";
  std::string said = run({});
  EXPECT_NE(said.find("s.yaml, executor near"), std::string::npos) << said;
  EXPECT_NE(said.find(note), std::string::npos) << said;
  EXPECT_EQ(results().at("schedule").at("name"), "near");
  said = run({"--executor", "far"});
  EXPECT_NE(said.find("s.yaml, executor far"), std::string::npos) << said;
  EXPECT_EQ(said.find("runs the whole graph"), std::string::npos) << said;
  said = run({"--split", "2"});
  EXPECT_NE(said.find("s.yaml, executor near, far"), std::string::npos) << said;
  EXPECT_EQ(said.find("runs the whole graph"), std::string::npos) << said;
  EXPECT_EQ(results().at("schedule").at("executors"), (json{"near", "far"}));
}

// A callback that was not measured, or only for a moment, is no overload.
TEST_F(Programs, AShortRunAndOneThatEndsInItsWarmUpWarnOfNoOverload)
{
  std::vector<std::string> words{
    TAKT_RUN,
    "three_chains",
    "--work-scale",
    "0.1",
    "--threads",
    "2",
    "--warmup",
    "100ms",
    "--duration",
    "500ms",
    "--quiet",
    "--output",
    file("results.json")};
  Program brief(words);
  EXPECT_EQ(brief.finish(), 0) << brief.errors;
  EXPECT_EQ(results().at("warnings").dump().find("overload"), std::string::npos) << results();
  words = {TAKT_RUN,          "three_chains", "--warmup",          "10min", "--duration", "1s",
           "--json-progress", "--output",     file("results.json")};
  Program interrupted(words);
  ASSERT_TRUE(interrupted.wait_for("elapsed_s\": 1"));
  interrupted.signal(SIGINT);
  EXPECT_EQ(interrupted.finish(), 0) << interrupted.errors;
  EXPECT_EQ(results().at("warnings").dump().find("overload"), std::string::npos) << results();
  EXPECT_EQ(results().at("kpis").at("skipped_periods"), 0);
}

// If a schedule has no rules for callbacks, the program does not warn of missing rules.
TEST_F(Programs, OnlyARuleThatIsMissingIsWorthAWord)
{
  Program stock(
    {TAKT_RUN, "three_chains", "--schedule", "three_chains_single", "--warmup", "10ms",
     "--duration", "100ms"});
  EXPECT_EQ(stock.finish(), 0) << stock.errors;
  EXPECT_EQ(stock.output.find("default threads"), std::string::npos) << stock.output;
  std::ofstream(file("s.yaml")) << "version: 1\nexecutors:\n  main:\n    threads: {a: {}}\n"
                                   "    default: a\n    callbacks:\n"
                                   "      - {match: \"/FrontLidarDriver:timer(*)\", threads: a}\n";
  Program some(
    {TAKT_RUN, "autoware_reference", "--schedule", file("s.yaml"), "--work-scale", "0.05",
     "--warmup", "10ms", "--duration", "100ms"});
  EXPECT_EQ(some.finish(), 0) << some.errors;
  EXPECT_NE(some.output.find("for no rule matches them: /"), std::string::npos) << some.output;
  EXPECT_NE(some.output.find(" and 25 more\n"), std::string::npos) << some.output;
}

TEST_F(Programs, HowLongDiscoveryWasWaitedForHasAUnit)
{
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF", 1);  // no process finds another
  Program program(
    {TAKT_RUN, "three_chains", "--split", "2", "--match-timeout", "100ms", "--duration", "100ms"});
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_NE(program.errors.find(" within 100ms\n"), std::string::npos) << program.errors;
}

TEST_F(Programs, AResultThatCannotBeWrittenNamesTheFile)
{
  Program program(
    {TAKT_RUN, "three_chains", "--warmup", "10ms", "--duration", "100ms", "--quiet", "--output",
     "/dev/full"});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_NE(program.errors.find("/dev/full cannot be written: No space left"), std::string::npos)
    << program.errors;
}

// The client library writes its log below the home directory.
TEST_F(Programs, ARunNeedsNoHome)
{
  const char * const home = std::getenv("HOME");
  const std::string kept = home == nullptr ? "" : home;
  unsetenv("HOME");
  unsetenv("ROS_LOG_DIR");
  Program program({TAKT_RUN, "three_chains", "--warmup", "10ms", "--duration", "200ms", "--quiet"});
  if (home != nullptr) {
    setenv("HOME", kept.c_str(), 1);
  }
  EXPECT_EQ(program.finish(), 0) << program.errors;
}

TEST_F(Programs, AFolderForTemporaryFilesThatIsMissingIsNamed)
{
  Program program({"/usr/bin/env", "TMPDIR=/nowhere", TAKT_RUN, "three_chains", "--split", "2"});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(
    program.errors,
    "takt_run: TMPDIR=/nowhere: No such file or directory; set TMPDIR to a folder that exists\n");
}

TEST_F(Programs, AFullFolderForTemporaryFilesIsTheReasonOfAPart)
{
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can mount a small file system";
  }
  const std::string small = file("small");
  std::filesystem::create_directory(small);
  Program program(
    {"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
     "mount -t tmpfs -o size=4k none " + small + " && TMPDIR=" + small + " exec " + TAKT_RUN +
       " three_chains --split 2 --warmup 100ms --duration 500ms"});
  EXPECT_NE(program.finish(), 0);
  EXPECT_NE(program.errors.find("No space left on device"), std::string::npos) << program.errors;
}

TEST_F(Programs, AGraphOrScheduleThatIsAPipeIsRefusedAtOnce)
{
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  const std::string graph = "is a pipe without a writer";
  for (const auto & [words, fault] : std::vector<std::pair<std::vector<std::string>, std::string>>{
         {{TAKT_RUN, file("pipe")}, graph},
         {{TAKT_GRAPH, "check", file("pipe")}, graph},
         {{TAKT_RUN, "three_chains", "--schedule", file("pipe")}, "is not a regular file"}}) {
    Program program(words);
    EXPECT_EQ(program.finish(), 2);
    EXPECT_NE(program.errors.find(fault), std::string::npos) << program.errors;
  }
}

TEST_F(Programs, WhatIsReadIsNeverWritten)
{
  const std::string graph = file("graph.yaml");
  const std::string schedule = file("schedule.yaml");
  std::filesystem::copy(find_shipped("three_chains", "graphs"), graph);
  std::filesystem::copy(find_shipped("three_chains_single", "schedules"), schedule);
  std::filesystem::create_symlink(graph, file("link"));
  const std::string spelt = (directory / "x/../schedule.yaml").string();
  std::filesystem::create_directory(directory / "x");
  const auto size = std::filesystem::file_size(graph);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
    {{"--output", graph}, "--output names the input file"},
    {{"--output", file("link")}, "--output names the input file"},
    {{"--records", graph}, "--records names the input file"},
    {{"--output", spelt}, "--output names the input file"},
    {{"--records", spelt}, "--records names the input file"},
    {{"--output", file("new"), "--records", file("x/../new")}, "name the same file"}};
  for (const auto & [options, said] : cases) {
    std::vector<std::string> words{TAKT_RUN, graph, "--schedule", schedule, "--duration", "100ms"};
    words.insert(words.end(), options.begin(), options.end());
    Program program(words);
    EXPECT_EQ(program.finish(), 2) << said;
    EXPECT_NE(program.errors.find(said), std::string::npos) << program.errors;
    EXPECT_EQ(std::filesystem::file_size(graph), size);
  }
}

TEST_F(Programs, WhatIsProtectedOrOfOthersIsNeverReplaced)
{
  for (const char * name : {"kept.json", "new.json.part"}) {
    std::ofstream(file(name)) << "mine";
  }
  chmod(file("kept.json").c_str(), 0444);
  for (const char * option : {"--output", "--records"}) {
    Program refused({TAKT_RUN, "three_chains", "--duration", "100ms", option, file("kept.json")});
    EXPECT_EQ(refused.finish(), 2) << refused.errors;
    EXPECT_NE(refused.errors.find("kept.json is write-protected"), std::string::npos)
      << refused.errors;
    EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1);
    Program runs(
      {TAKT_RUN, "three_chains", "--duration", "100ms", "--quiet", option, file("new.json")});
    EXPECT_EQ(runs.finish(), 0) << runs.errors;
    EXPECT_TRUE(std::filesystem::exists(file("new.json")));
  }
  for (const char * name : {"kept.json", "new.json.part"}) {
    std::string kept;
    std::ifstream(file(name)) >> kept;
    EXPECT_EQ(kept, "mine");
  }
}

TEST_F(Programs, AFailedRunLeavesOldResultsAlone)
{
  std::ofstream(file("results.json")) << "old";
  Program program(
    {TAKT_RUN, "three_chains", "--schedule", "three_chains_single", "--executor", "nobody",
     "--quiet", "--output", file("results.json")});
  EXPECT_EQ(program.finish(), 2);
  std::string kept;
  std::ifstream(file("results.json")) >> kept;
  EXPECT_EQ(kept, "old");
  Program absent(
    {TAKT_RUN, "three_chains", "--schedule", "three_chains_single", "--executor", "nobody",
     "--quiet", "--output", file("absent.json")});
  EXPECT_EQ(absent.finish(), 2);
  EXPECT_FALSE(std::filesystem::exists(file("absent.json")));
}

TEST_F(Programs, TheHostIsMeasuredAsJson)
{
  Program program({TAKT_MEASURE_HOST, "--stalls", "100ms"});
  ASSERT_EQ(program.finish(), 0) << program.errors;
  const json all = json::parse(program.output);
  EXPECT_GT(all.at("cores").size(), 0u);
  EXPECT_GT(all.at("clock_monotonic_ns").get<double>(), 0.0);
  EXPECT_GT(all.at("wake_up_same_core_ns").at("count").get<int>(), 100);
  EXPECT_TRUE(all.at("stalls").contains("witnessed"));
}

}  // namespace takt_workload
