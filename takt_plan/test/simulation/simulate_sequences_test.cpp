// Sequences in virtual time, with numbers worked out by hand. Times are in milliseconds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/from_text.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

using Jobs = std::vector<std::string>;

/// A path of three, and two others: one is ready before its second callback, one while that runs.
const std::string kSystem = R"yaml(version: 1
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 10ms, triggers: /a, publishes: /b}
  - {id: "/c:sub(/b)", time: 10ms, triggers: /b}
  - {id: "/early:timer(100ms)", time: 10ms, period: 100ms, offset: 1ms}
  - {id: "/late:timer(100ms)", time: 10ms, period: 100ms, offset: 15ms}
)yaml";

const std::string kSequence =
  "    sequences: [[\"/a:timer(100ms)\", \"/b:sub(/a)\", \"/c:sub(/b)\"]]\n";

Jobs jobs_of(
  const std::string & order, const std::string & keys, const std::string & system = kSystem)
{
  const std::string schedule =
    "version: 1\nexecutors:\n  main:\n    order: " + order +
    "\n    threads: {t: {policy: fifo, priority: 50, cores: [0]}}\n    default: t\n" + keys;
  SimulationOptions options;
  options.duration = 90 * kMs;
  return test::jobs(test::from_text(system, schedule), options, kMs);
}

TEST(SimulateSequences, TheyRunToTheirEndBeforeWhatWasReadyEarlier)
{
  EXPECT_EQ(
    jobs_of("fifo", kSequence),
    (Jobs{"a 0-10", "b 10-20", "c 20-30", "early 30-40", "late 40-50"}));
  EXPECT_EQ(
    jobs_of("fifo", ""), (Jobs{"a 0-10", "early 10-20", "b 20-30", "late 30-40", "c 40-50"}))
    << "without the key the earliest goes first";
}

TEST(SimulateSequences, StrictlyMoreUrgentCallbacksGoFirst)
{
  const std::string rule =
    "    callbacks: [{match: \"/early:**\", priority: 5}, {match: \"**\", priority: 3}]\n";
  EXPECT_EQ(
    jobs_of("priority", rule + kSequence),
    (Jobs{"a 0-10", "early 10-20", "b 20-30", "c 30-40", "late 40-50"}));
  EXPECT_EQ(
    jobs_of("priority", rule), (Jobs{"a 0-10", "early 10-20", "b 20-30", "late 30-40", "c 40-50"}));
}

TEST(SimulateSequences, OfDeadlinesTheEarlierGoesFirst)
{
  const std::string rule =
    "    callbacks:\n      - {match: \"/early:**\", deadline: 30ms}\n"
    "      - {match: \"/late:**\", deadline: 80ms}\n      - {match: \"**\", deadline: 60ms}\n";
  EXPECT_EQ(
    jobs_of("edf", rule + kSequence),
    (Jobs{"a 0-10", "early 10-20", "b 20-30", "c 30-40", "late 40-50"}));
}

TEST(SimulateSequences, CallbacksOfAGraphRunInTheOrderOfTheList)
{
  const std::string system = R"yaml(version: 1
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, offset: 0ms, publishes: [/left, /right]}
  - {id: "/l:sub(/left)", time: 10ms, triggers: /left}
  - {id: "/r:sub(/right)", time: 10ms, triggers: /right}
)yaml";
  EXPECT_EQ(
    jobs_of(
      "fifo", "    sequences: [[\"/a:timer(100ms)\", \"/r:sub(/right)\", \"/l:sub(/left)\"]]\n",
      system),
    (Jobs{"a 0-10", "r 10-20", "l 20-30"}));
  EXPECT_EQ(jobs_of("fifo", "", system), (Jobs{"a 0-10", "l 10-20", "r 20-30"}));
}

/// Three branches on two threads, of which one goes on; the other timer is due meanwhile.
TEST(SimulateSequences, AGraphOnTwoThreadsRunsInTheOrderOfTheListAndOlderIterationsFirst)
{
  const std::string system = R"yaml(version: 1
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, offset: 0ms, publishes: [/l, /m, /r]}
  - {id: "/l:sub(/l)", time: 10ms, triggers: /l}
  - {id: "/m:sub(/m)", time: 10ms, triggers: /m, publishes: /k}
  - {id: "/r:sub(/r)", time: 10ms, triggers: /r}
  - {id: "/k:sub(/k)", time: 10ms, triggers: /k}
  - {id: "/b:timer(100ms)", time: 10ms, period: 100ms, offset: 12ms}
)yaml";
  const auto jobs = [&](const std::string & keys) {
    const std::string schedule =
      "version: 1\nexecutors:\n  main:\n    order: fifo\n    threads: {t: {count: 2, policy: fifo, "
      "priority: 50, cores: [0, 1], spread: true}}\n    default: t\n" +
      keys;
    SimulationOptions options;
    options.duration = 90 * kMs;
    return test::jobs(test::from_text(system, schedule), options, kMs);
  };
  EXPECT_EQ(
    jobs("    sequences: [{graph: [\"/a:timer(100ms)\", \"/b:timer(100ms)\", \"/r:sub(/r)\", "
         "\"/m:sub(/m)\", \"/k:sub(/k)\", \"/l:sub(/l)\"]}]\n"),
    (Jobs{"a 0-10", "r 10-20", "m 10-20", "l 20-30", "k 20-30", "b 30-40"}));
  EXPECT_EQ(jobs(""), (Jobs{"a 0-10", "l 10-20", "m 10-20", "r 20-30", "b 20-30", "k 30-40"}));
}

}  // namespace
}  // namespace takt_plan
