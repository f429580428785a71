// Bounds from known phases where timers are in several processes of one epoch.
#include <gtest/gtest.h>

#include <string>

#include "support/example.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/build_model.hpp"
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

// Of two timers of one period the process that starts first decides which message completes each set.
TEST(JobEpoch, ASetOfSeveralProcessesMayHaveEachOrderOfItsMessages)
{
  std::string apart = kSet;
  apart.replace(apart.find("OTHER"), 5, "two");
  const std::string two = R"yaml(
version: 1
epoch: host
executors:
  one:
    order: priority
    threads: {t: {policy: fifo, priority: 50, cores: [0]}}
    default: t
  two:
    threads: {t: {policy: fifo, priority: 50, cores: [1]}}
    default: t
)yaml";
  const Model processes = model_of(apart, two);
  EXPECT_GE(bound(processes, 0), 33 * kMs) << "rear completes";
  EXPECT_GE(bound(processes, 1), 73 * kMs) << "front completes, of the next period";
  EXPECT_LT(bound(processes, 1), 80 * kMs);

  std::string together = kSet;
  together.replace(together.find("OTHER"), 5, "one");
  const Model process = model_of(together, two_processes("start"));
  EXPECT_GE(bound(process, 0), 33 * kMs);
  EXPECT_LT(bound(process, 1), 10 * kMs) << "front comes first";
}

TEST(JobEpoch, WhatHostsKnowOfTheirClocksIsJitter)
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
  const Model host = model_of(system, two_processes("host"));
  EXPECT_EQ(host.tasks[0].release->jitter, 0);
  EXPECT_NE(host.epoch_of(host.tasks[0]), host.epoch_of(host.tasks[1])) << "each was booted alone";
}

}  // namespace
}  // namespace takt_plan
