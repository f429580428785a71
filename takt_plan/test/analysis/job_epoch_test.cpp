// Bounds from known phases, with timers in several processes of one epoch.
#include <gtest/gtest.h>

#include <string>

#include "model/build_model.hpp"
#include "support/example.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using test::kMs;

Model model_of(const std::string & system, const std::string & schedule)
{
  const auto read_system = takt_schedule::parse_system(system, "system.yaml");
  const auto read_schedule = takt_schedule::parse_schedule(schedule, "schedule.yaml");
  for (const auto & fault : read_system.faults()) {
    ADD_FAILURE() << fault;
  }
  for (const auto & fault : read_schedule.faults()) {
    ADD_FAILURE() << fault;
  }
  auto model = build_model(*read_system, *read_schedule);
  for (const auto & fault : model.faults()) {
    ADD_FAILURE() << fault;
  }
  return model ? *model : Model{};
}

Ns bound(const Model & model, Index chain)
{
  const auto found = bounds(model);
  EXPECT_TRUE(found.ok() && found->chains[chain].ok());
  return found.ok() && found->chains[chain].ok() ? found->chains[chain]->bound : -1;
}

const std::string kTwoTimers = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", executor: one, time: 20ms, period: 100ms, offset: 0ms}
  - {id: "/b:timer(100ms)", executor: two, time: 30ms, period: 100ms, offset: 50ms}
chains:
  a: {path: ["/a:timer(100ms)"]}
  b: {path: ["/b:timer(100ms)"]}
)yaml";

std::string two_processes(const std::string & epoch)
{
  return "version: 1\nepoch: " + epoch + R"yaml(
executors:
  one:
    order: priority
    threads: {t: {policy: fifo, priority: 50, cores: [0]}}
    default: t
  two:
    order: priority
    threads: {t: {policy: fifo, priority: 40, cores: [0]}}
    default: t
)yaml";
}

TEST(JobEpoch, TimersOfSeveralProcessesAreApartOnTheEpochOfTheirHost)
{
  const Model host = model_of(kTwoTimers, two_processes("host"));
  EXPECT_EQ(bound(host, 0), 20 * kMs);
  EXPECT_EQ(bound(host, 1), 30 * kMs);
  const Model start = model_of(kTwoTimers, two_processes("start"));
  EXPECT_EQ(bound(start, 0), 20 * kMs);
  EXPECT_EQ(bound(start, 1), 50 * kMs) << "nobody knows when the other process starts";
}

const std::string kSet = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/f:timer(100ms)", executor: one, time: 1ms, period: 100ms, offset: 0ms, publishes: /f}
  - {id: "/r:timer(100ms)", executor: OTHER, time: 1ms, period: 100ms, offset: 30ms, publishes: /r}
  - id: ["/s:sub(/f)", "/s:sub(/r)"]
    executor: one
    time: 2ms
    triggers: [/f, /r]
    trigger: newest
chains:
  front: {path: ["/f:timer(100ms)", "/s:sub(/f)"]}
  rear: {path: ["/r:timer(100ms)", "/s:sub(/r)"]}
)yaml";

Model set_of(const std::string & other, const std::string & epoch)
{
  std::string system = kSet;
  system.replace(system.find("OTHER"), 5, other);
  return model_of(system, two_processes(epoch));
}

/// `any`: either message may complete the set; otherwise the front message always comes first.
void expect_any_order(const Model & model, bool any)
{
  EXPECT_GE(bound(model, 0), 33 * kMs) << "rear completes";
  if (any) {
    EXPECT_GE(bound(model, 1), 73 * kMs) << "front completes, of the next period";
  } else {
    EXPECT_LT(bound(model, 1), 10 * kMs);
  }
}

// The timers' first messages make a set that never comes again.
TEST(JobEpoch, TheFirstSetOfAnotherProcessCountsWhereOffsetsCountFromAStart)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/slow:timer(100ms)", executor: one, time: 13ms, period: 100ms, publishes: /slow}
  - {id: "/quick:timer(50ms)", executor: one, time: 5ms, period: 50ms, publishes: /quick}
  - id: ["/set:sub(/slow)", "/set:sub(/quick)"]
    executor: two
    time: 13ms
    triggers: [/slow, /quick]
    trigger: newest
chains:
  slow: {path: ["/slow:timer(100ms)", "/set:sub(/slow)"]}
)yaml";
  const auto bound_of = [&](const std::string & offset) {
    std::string schedule = two_processes("start");
    schedule.insert(
      schedule.find("  two:"),
      "    callbacks:\n      - {match: \"/slow:**\", offset: 0ms}\n"
      "      - {match: \"/quick:**\", offset: " +
        offset + "}\n");
    return bound(model_of(system, schedule), 0);
  };
  EXPECT_EQ(bound_of("45ms"), 50 * kMs + 13 * kMs)
    << "the first message waits for the first of /quick";
  EXPECT_EQ(bound_of("145ms"), 50 * kMs + 13 * kMs) << "the second one does";
}

// For two timers of one period, the start of the last process decides which message completes each
// set.
TEST(JobEpoch, ASetOfSeveralProcessesMayHaveEachOrderOfItsMessages)
{
  expect_any_order(set_of("two", "host"), true);
}

TEST(JobEpoch, OnAClockAProcessStartsAtAnyMoment)
{
  expect_any_order(set_of("one", "start"), false);
  expect_any_order(set_of("one", "host"), true);
}

TEST(JobEpoch, ASetMayLoseMessagesOfAnotherProcessUntilItStarts)
{
  std::string system = kSet;
  system.replace(system.find("OTHER"), 5, "two");
  const std::string id = "\"/f:timer(100ms)\", executor: one";
  system.replace(system.find(id), id.size(), "\"/f:timer(100ms)\", executor: two");
  expect_any_order(model_of(system, two_processes("host")), true);
  // Two timers at the same time do not differ: the set's process may start between their messages.
  system.replace(system.find("offset: 30ms"), 12, "offset: 0ms");
  EXPECT_GE(bound(model_of(system, two_processes("host")), 0), 100 * kMs);
}

TEST(JobEpoch, TimersOfOneProcessThatAreReleasedTogetherStayInStep)
{
  std::string system = kSet;
  system.replace(system.find("OTHER"), 5, "one");
  system.replace(system.find("offset: 30ms"), 12, "offset: 0ms");
  const Model model = model_of(system, two_processes("host"));
  EXPECT_LT(bound(model, 0), 10 * kMs);
  EXPECT_LT(bound(model, 1), 10 * kMs);
}

TEST(JobEpoch, MessagesFromOutsideDoNotBeginWithTheProcess)
{
  std::string system = kSet;
  system.replace(system.find("OTHER"), 5, "one");
  system.replace(system.find("offset: 30ms"), 12, "offset: 0ms");
  for (auto at = system.find("/r:timer(100ms)"); at != std::string::npos;
       at = system.find("/r:timer(100ms)")) {
    system.replace(at, 15, "/r:sub(/outside)");
  }
  EXPECT_GE(bound(model_of(system, two_processes("host")), 1), 100 * kMs);
}

TEST(JobEpoch, MessagesFromOutsideMayKeepAPhaseToTheClockOfTheHost)
{
  std::string system = kTwoTimers;
  const auto replace = [&](const std::string & what, const std::string & by) {
    for (auto at = system.find(what); at != std::string::npos;
         at = system.find(what, at + by.size())) {
      system.replace(at, what.size(), by);
    }
  };
  replace("/b:timer(100ms)", "/b:sub(/camera)");
  replace("offset: 50ms", "offset: 50ms, jitter: 2ms");
  const Model host = model_of(system, two_processes("host"));
  EXPECT_EQ(bound(host, 0), 20 * kMs);
  EXPECT_EQ(bound(host, 1), 32 * kMs);
  replace("executor: two", "executor: one");
  EXPECT_EQ(bound(model_of(system, two_processes("host")), 1), 32 * kMs);
  EXPECT_GE(bound(model_of(system, two_processes("start")), 1), 50 * kMs)
    << "nobody knows when the process starts";
}

TEST(JobEpoch, WhatHostsDoNotKnowOfTheirClocksIsJitter)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}, arm: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", host: car, executor: one, time: 2ms, period: 100ms, offset: 0ms}
  - {id: "/b:timer(100ms)", host: arm, executor: two, time: 3ms, period: 100ms, offset: 50ms}
)yaml";
  const Model known = model_of(system, two_processes("{clock: tai, uncertainty: 100us}"));
  EXPECT_EQ(known.tasks[0].release->jitter, 200'000) << "early on one host, late on the other";
  EXPECT_EQ(known.epoch_of(known.tasks[0]), known.epoch_of(known.tasks[1]));
  std::string better = two_processes("{clock: tai, uncertainty: 100us}");
  better.insert(better.find("    order"), "    epoch: {clock: tai, uncertainty: 1us}\n");
  EXPECT_EQ(model_of(system, better).tasks[0].release->jitter, 200'000)
    << "as far from the others as they are from it";
  const Model host = model_of(system, two_processes("host"));
  EXPECT_EQ(host.tasks[0].release->jitter, 0);
  EXPECT_NE(host.epoch_of(host.tasks[0]), host.epoch_of(host.tasks[1])) << "each was booted alone";
}

}  // namespace
}  // namespace takt_plan
