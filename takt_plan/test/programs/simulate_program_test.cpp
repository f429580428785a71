// takt_simulate for its users: output, files and exit codes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "takt_schedule/test/program_test.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::test::Outcome;

const char * const kSystem = R"yaml(version: 1
hosts: {car: {cores: 64}}
callbacks:
  - {id: "/a:timer(10ms)", time: {worst: 4ms, best: 2ms}, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 2ms, triggers: /a}
  - {id: "/c:timer(30ms)", time: 3ms, period: 30ms}
chains: {both: {path: ["/a:timer(10ms)", "/b:sub(/a)"], deadline: 8ms}}
)yaml";
const char * const kSchedule = R"yaml(version: 1
executors:
  main:
    threads: {t: {policy: fifo, priority: 50, cores: [63]}}
    default: t
)yaml";

class SimulateProgram : public takt_schedule::test::ProgramTest
{
protected:
  SimulateProgram() : ProgramTest(TAKT_SIMULATE)
  {
    write("system.yaml", kSystem);
    write("schedule.yaml", kSchedule);
  }

  nlohmann::json json(const std::string & arguments) const
  {
    const Outcome outcome = run("system.yaml schedule.yaml --json " + arguments);
    EXPECT_EQ(outcome.code, 0);
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(SimulateProgram, PrintsATableForPeopleAlsoForAMachineWithMoreCoresThanThisOne)
{
  const Outcome outcome = run("system.yaml schedule.yaml --duration 100ms");
  EXPECT_EQ(outcome.code, 0);
  // At 30, 60 and 90 c comes between a and b.
  EXPECT_EQ(
    outcome.out,
    R"(system.yaml under schedule.yaml: 1 run of 100 ms, phases fixed, execution times worst, seed 1

chain  released  ended     mean    worst  deadline  missed  worst released at
both          9      9  7.00 ms  9.00 ms   8.00 ms       3         0.030000 s

callback        runs     mean    worst  overwritten  skipped
/a:timer(10ms)     9  4.00 ms  4.00 ms            -        0
/b:sub(/a)         9  3.00 ms  5.00 ms            0        -
/c:timer(30ms)     3  7.00 ms  7.00 ms            -        0

busy: core 63 of car 63.0 %, idle: 63
)");
}

TEST_F(SimulateProgram, SaysOfAChainThatDoesNotStartWhichDurationShowsIt)
{
  const std::string period = "period: 10ms";
  std::string late = content("system.yaml");
  late.replace(late.find(period), period.size(), period + ", offset: 2.5s");
  write("late.yaml", late);
  const std::string words =
    "chain both did not start within 1.00 s: /a:timer(10ms) has an offset of 2.5s; --duration 3s "
    "shows it\n";
  const auto says = [&](const std::string & options) {
    const Outcome outcome = run("late.yaml schedule.yaml " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("--duration 1s"));
  EXPECT_FALSE(says("--duration 3s"));
  EXPECT_FALSE(says("--duration 1s --phases random"));
}

TEST_F(SimulateProgram, PrintsEverythingAsJson)
{
  const auto result = json("--duration 100ms");
  EXPECT_EQ(result.at("jobs"), 21);
  const auto & chain = result.at("chains").at(0);
  EXPECT_EQ(chain.at("name"), "both");
  EXPECT_EQ(chain.at("ended"), 9);
  EXPECT_EQ(chain.at("worst_ns"), 9'000'000);
  EXPECT_EQ(chain.at("missed"), 3);
  EXPECT_EQ(chain.at("worst").at("release_ns"), 30'000'000);
  EXPECT_EQ(result.at("callbacks").at(1).at("messages").at("taken"), 9);
  EXPECT_EQ(result.at("options").at("phases"), "fixed");
  EXPECT_EQ(result.at("cores").size(), 64U);
}

TEST_F(SimulateProgram, RunsAreDrawnFromTheSeed)
{
  const std::string drawn = "--duration 1s --phases random --execution uniform --runs 5 --seed ";
  EXPECT_EQ(json(drawn + "7"), json(drawn + "7"));
  EXPECT_NE(json(drawn + "7").at("chains"), json(drawn + "8").at("chains"));
  const auto worst = json(drawn + "7").at("chains").at(0);
  const auto again = json(
    "--duration 1s --phases random --execution uniform --seed " +
    worst.at("worst").at("seed").dump());
  EXPECT_EQ(again.at("chains").at(0).at("worst_ns"), worst.at("worst_ns"));
  EXPECT_EQ(json("--phases adversarial --duration 1s").at("options").at("runs"), 4);
  EXPECT_EQ(json("--phases adversarial --duration 1s --runs 2").at("options").at("runs"), 2);
}

TEST_F(SimulateProgram, WritesATimelineOfTheWorstActivation)
{
  const Outcome outcome = run("system.yaml schedule.yaml --duration 1s --trace t.json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.ends_with(
    "\ntimeline of the worst activation of both: t.json, for https://ui.perfetto.dev\n"))
    << outcome.out;
  const auto trace = nlohmann::json::parse(content("t.json"), nullptr, false);
  ASSERT_TRUE(trace.is_object());
  EXPECT_NE(trace.dump().find("both"), std::string::npos);
  EXPECT_EQ(run("system.yaml schedule.yaml --trace u.json --of '/c:timer(30ms)'").code, 0);
  EXPECT_TRUE(exists("u.json"));
}

TEST_F(SimulateProgram, WhatIsWrongIsSaidInOneLineEachAndReturns2)
{
  write("bad.yaml", "version: 1\nhosts: {car: {cores: 4, colour: red}}\ncallbacks: []\n");
  const auto expect = [&](const std::string & arguments, const std::string & words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  expect("bad.yaml schedule.yaml", "bad.yaml:2:");
  expect("missing.yaml schedule.yaml", "missing.yaml: ");
  expect("system.yaml", "takt_simulate: schedule is required\n");
  write("far.yaml", std::string(kSchedule).replace(std::string(kSchedule).find("63"), 2, "64"));
  expect("system.yaml far.yaml", "far.yaml:4:");
  const std::string good = "system.yaml schedule.yaml ";
  expect(good + "--phases some", "--phases: 'some' is none of fixed, random, adversarial\n");
  expect(
    good + "--execution some", "--execution: 'some' is none of worst, best, uniform, histogram\n");
  expect(good + "--duration 10h", "--duration: '10h' has the unknown unit 'h'");
  expect(good + "--duration 0s", "--duration: it must be above zero\n");
  expect(good + "--runs 0", "--runs: '0' is not a whole number from 1 to 18446744073709551615\n");
  expect(good + "--seed -1", "--seed: '-1' is not a whole number from 0 to 18446744073709551615\n");
  expect(good + "--seed 99999999999999999999", "--seed: ");
  expect(good + "--of both", "--of");
  expect(good + "--trace t.json --of nobody", "--of: there is no chain and no callback 'nobody'\n");
  expect(
    good + "--trace t.json --of bth",
    "--of: there is no chain and no callback 'bth'; did you mean 'both'?\n");
}

TEST_F(SimulateProgram, WhereTheTimelineCannotGoIsSaidBeforeAnythingRuns)
{
  const std::string good = "system.yaml schedule.yaml --trace ";
  for (const auto & [path, fault] :
       {std::pair{"nowhere/t.json", "--trace: nowhere/t.json cannot be written: No such file"},
        {"system.yaml", "--trace names the input file; name another file"},
        {"./schedule.yaml", "--trace names the input file; name another file"}}) {
    const Outcome outcome = run(good + path);
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_NE(outcome.err.find(fault), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(content("system.yaml"), kSystem);
  EXPECT_EQ(content("schedule.yaml"), kSchedule);
}

TEST_F(SimulateProgram, WhatCannotBeWrittenReturns1)
{
  const Outcome trace = run("system.yaml schedule.yaml --trace /dev/full");
  EXPECT_EQ(trace.code, 1);
  EXPECT_NE(trace.err.find("/dev/full cannot be written: No space left"), std::string::npos)
    << trace.err;
  EXPECT_EQ(run("system.yaml schedule.yaml", "/dev/full").code, 1);
}

}  // namespace
}  // namespace takt_plan
