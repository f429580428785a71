// The parts of activations' times: traces with known parts, and random traces.
#include "report/split.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <string>

#include "report/response_report.hpp"
#include "support/chain_traces.hpp"
#include "support/program_of_chains.hpp"
#include "support/random_traces.hpp"
#include "takt_trace/chain_flow.hpp"

namespace takt_trace::detail
{

std::ostream & operator<<(std::ostream & out, const Split & split)
{
  return out << "middleware " << split.middleware << ", group " << split.group << ", queue "
             << split.queue << ", core " << split.core << ", ran " << split.ran << ", blocked "
             << split.blocked;
}

std::ostream & operator<<(std::ostream & out, const Blocker & one)
{
  return out << one.what << " (" << kWaitedFor[static_cast<std::size_t>(one.why)] << ") "
             << one.time;
}

namespace
{

using namespace test;  // NOLINT: its functions write the traces
using Blockers = std::vector<Blocker>;
using enum WaitedFor;

/// The splits of the steps of a trace's only activation, and the blockers of each step.
struct Steps
{
  std::vector<Split> splits;
  std::vector<Blockers> blockers;
};

Steps steps_of(const std::vector<ProcessTrace> & processes)
{
  const std::vector<LongTrace> traces = borrowed(processes);
  const RunIndex index(traces);
  const auto chains = find_activations(index);
  Steps steps;
  if (chains.size() != 1 || chains[0].activations.size() != 1) {
    ADD_FAILURE() << "the trace has not one activation";
    return steps;
  }
  const Splitter splitter(index);
  for (const ActivationStep & step : chains[0].steps_of(chains[0].activations[0])) {
    steps.splits.push_back(splitter.split(step));
    steps.blockers.push_back(splitter.blockers(step));
  }
  if (steps.splits.size() != 2) {
    ADD_FAILURE() << steps.splits.size() << " steps";
    steps.splits.resize(2);
    steps.blockers.resize(2);
  }
  return steps;
}

Split last_of(std::vector<std::vector<Record>> threads)
{
  return steps_of({chain_process(std::move(threads))}).splits[1];
}

TEST(Split, MiddlewareIsFromThePublishToTheArrivalAndTheTake)
{
  const Steps steps = steps_of({chain_process({root_run(), last_run(150)})});
  EXPECT_EQ(steps.splits[0], (Split{.middleware = 2, .core = 10, .ran = 18}));
  EXPECT_EQ(steps.splits[1], (Split{.middleware = 20 + 5, .ran = 25}));
  EXPECT_EQ(steps.blockers[1], Blockers{});
}

TEST(Split, AStepWaitsForItsExclusiveGroupOnWhicheverThreadThatRuns)
{
  const Steps steps =
    steps_of({chain_process({root_run() + other_run(kSibling, 145, 170), last_run(180)})});
  EXPECT_EQ(steps.splits[1], (Split{.middleware = 25, .group = 20, .core = 10, .ran = 25}));
  EXPECT_EQ(
    steps.blockers[1],
    (Blockers{
      {"/b:sub(/obstacles)", group, 20},
      {"the wake-up of the thread, or threads that the trace does not have", core, 10}}));
  // If the other callback of the group is on the callback's own thread, the wait counts as a wait
  // for the group.
  EXPECT_EQ(
    last_of({root_run(), other_run(kSibling, 145, 170) + last_run(180)}),
    (Split{.middleware = 25, .group = 20, .core = 10, .ran = 25}));
}

TEST(Split, AReentrantGroupHoldsNothingUp)
{
  ProcessTrace trace = chain_process({root_run() + other_run(kSibling, 145, 170), last_run(180)});
  trace.callbacks[kLast].exclusive = trace.callbacks[kSibling].exclusive = false;
  EXPECT_EQ(steps_of({trace}).splits[1], (Split{.middleware = 25, .core = 30, .ran = 25}));
  trace.callbacks[kLast].exclusive = trace.callbacks[kSibling].exclusive = true;
  trace.callbacks[kSibling].group = "/another:g";
  EXPECT_EQ(steps_of({trace}).splits[1], (Split{.middleware = 25, .core = 30, .ran = 25}));
}

TEST(Split, AStepWaitsInTheQueueWhileItsThreadRunsOthers)
{
  const Steps steps = steps_of({chain_process(
    {root_run(), other_run(kNoise, 120, 155) + other_run(kNoise, 160, 178) + last_run(180)})});
  EXPECT_EQ(steps.splits[1], (Split{.middleware = 25, .queue = 5 + 18, .core = 7, .ran = 25}));
  EXPECT_EQ(steps.blockers[1].at(0), (Blocker{"/n:timer(1s)", queue, 23}));
  EXPECT_EQ(
    last_of({root_run() + other_run(kNoise, 145, 170), last_run(180)}),
    (Split{.middleware = 25, .core = 30, .ran = 25}))
    << "another thread holds up nobody but at a core";
}

TEST(Split, AtACoreRunsOfOtherThreadsAndWhatTheTraceDoesNotHaveHoldItUp)
{
  const auto noise = [](int core) { return root_run(0) + other_run(kNoise, 145, 162, core); };
  const auto waited = [](std::int64_t before) {
    return last_run(190, 1, {kernel_wait(220, kLast, before, 0)});
  };
  const Split split{.middleware = 25, .core = 40, .ran = 25};
  const Steps measured = steps_of({chain_process({noise(1), waited(35)})});
  EXPECT_EQ(measured.splits[1], split);
  EXPECT_EQ(
    measured.blockers[1], (Blockers{
                            {"threads that the trace does not have, core 1", core, 23},
                            {"/n:timer(1s)", core, 12},
                            {"the wake-up of the thread", core, 5}}));
  // The kernel's figure is for the whole time since the thread's previous run.
  const Steps more = steps_of({chain_process({noise(0), waited(1000)})});
  EXPECT_EQ(more.splits[1], split);
  EXPECT_EQ(
    more.blockers[1], (Blockers{{"threads that the trace does not have, core 1", core, 40}}));
  // The thread was ready for less time than the other run had the core.
  const Steps less = steps_of({chain_process({noise(1), waited(10)})});
  EXPECT_EQ(
    less.blockers[1],
    (Blockers{{"the wake-up of the thread", core, 30}, {"/n:timer(1s)", core, 10}}));
}

TEST(Split, ARunsTimeIsCpuTimeWaitsForTheCoreAndWhatIsLeft)
{
  // From start to end 25 ns. The take has 5 ns of the CPU time.
  const Steps steps = steps_of({chain_process(
    {root_run() + other_run(kNoise, 160, 163, 1),
     last_run(150, 1, {kernel_wait(180, kLast, 0, 7)}, 5 + 12)})});
  EXPECT_EQ(steps.splits[1], (Split{.middleware = 25, .core = 7, .ran = 12, .blocked = 6}));
  EXPECT_EQ(
    steps.blockers[1],
    (Blockers{
      {"threads that the trace does not have, core 1", core, 4}, {"/n:timer(1s)", core, 3}}));
}

TEST(Split, ATakeThatLostItsCoreIsNotTheMiddlewares)
{
  const auto measured = [](std::int64_t waited, std::int64_t cpu, std::int64_t take_cpu) {
    return last_of(
      {root_run(), last_run(150, 1, {kernel_wait(180, kLast, 0, waited)}, cpu, take_cpu)});
  };
  // The take has 5 ns, and the rest of the run has 25.
  EXPECT_EQ(
    measured(3, 2 + 20, 2), (Split{.middleware = 20 + 2, .core = 3, .ran = 20, .blocked = 5}));
  EXPECT_EQ(
    measured(4, 2 + 20, 2), (Split{.middleware = 20 + 2, .core = 3 + 1, .ran = 20, .blocked = 4}));
  EXPECT_EQ(measured(0, 2 + 20, 2), (Split{.middleware = 20 + 5, .ran = 20, .blocked = 5}));
  EXPECT_EQ(measured(90, 9 + 20, 9), (Split{.middleware = 20 + 5, .core = 1, .ran = 24}))
    << "its CPU time is longer than it was";
}

TEST(Split, WhatWasNotMeasuredRan)
{
  EXPECT_EQ(
    last_of({root_run(), last_run(150, 1, {kernel_wait(180, kLast, 0, 7)})}),
    (Split{.middleware = 25, .core = 7, .ran = 18}));
  EXPECT_EQ(
    last_of({root_run(), last_run(150, 1, {}, 5 + 12)}),
    (Split{.middleware = 25, .ran = 12, .blocked = 13}));
}

TEST(Split, MeasuredTimesThatDoNotFitAreCut)
{
  EXPECT_EQ(
    last_of({root_run(), last_run(150, 1, {kernel_wait(180, kLast, 0, 70)}, 1000)}),
    (Split{.middleware = 20, .core = 5, .ran = 25}));
  EXPECT_EQ(
    last_of({root_run(), last_run(150, 1, {kernel_wait(180, kLast, 0, 70)}, 1)}),
    (Split{.middleware = 20, .core = 5 + 25}));
  EXPECT_EQ(
    last_of({root_run(), last_run(150, 1, {kernel_wait(180, kLast, -5, -70)}, 1)}),
    (Split{.middleware = 25, .blocked = 25}));
}

TEST(Split, UpToAPublishMeasuredTimesHaveTheirShare)
{
  std::vector<Record> root = root_run();
  root[2] = kernel_wait(152, kRoot, 0, 8);
  root.push_back(
    run_end(152, kRoot, 110, 2 + 24));  // 40 ns from start to end, 18 ns of them up to the publish
  const Steps steps = steps_of({chain_process({root, last_run(160)})});
  EXPECT_EQ(
    steps.splits[0],
    (Split{.middleware = 2, .core = 10 + 8 * 18 / 40, .ran = 24 * 18 / 40, .blocked = 5}));
}

TEST(Split, AMessageThatWaitsInItsNodeForTheOtherInputIsBlocked)
{
  // /b keeps the root's message, and publishes when its other input has come.
  ProcessTrace trace = chain_process(
    {root_run() + std::vector{
                    take(141, kLast, {7, 1}), run_start(142, kLast, 141), run_end(150, kLast, 141),
                    run_start(160, kSibling, 160), publish(165, 1, {8, 1}),
                    run_end(170, kSibling, 160), take(171, kNoise, {8, 1}),
                    run_start(172, kNoise, 171), chain_end(180, 0, 100),
                    run_end(180, kNoise, 171)}});
  trace.chains[0].path.push_back("/n:timer(1s)");
  const std::vector<ProcessTrace> processes{trace};
  const std::vector<LongTrace> traces = borrowed(processes);
  const RunIndex index(traces);
  const auto chains = find_activations(index);
  ASSERT_EQ(chains[0].activations.size(), 1U);
  const auto steps = chains[0].steps_of(chains[0].activations[0]);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(
    Splitter(index).split(steps[1]), (Split{.middleware = 12, .ran = 8, .blocked = 165 - 150}));
  ASSERT_NE(steps[1].publisher, kNoRecord);
  EXPECT_EQ(index.callback_of(index.runs()[steps[1].publisher])->id, "/b:sub(/obstacles)");
}

TEST(Split, ClocksThatDisagreeMakeNoPartNegative)
{
  ProcessTrace first = chain_process({root_run()});
  ProcessTrace second = chain_process({last_run(150)});
  first.host = "there";
  second.chains[0].deadline = 0;
  second.to_realtime = -40;  // on its clock the message is taken before its publish
  second.threads[0].records[2].a += 40;
  const Steps steps = steps_of({first, second});
  EXPECT_EQ(steps.splits[0].sum() + steps.splits[1].sum(), 180 - 40 - 100);
  for (const Split & split : steps.splits) {
    EXPECT_GE(split.middleware, 0);
    EXPECT_GE(split.ran, 0);
  }
}

/// Checks that each activation's steps add up, that no part is negative, and that the blockers of a
/// step add up to its parts.
std::size_t check(const std::vector<ProcessTrace> & processes)
{
  const std::vector<LongTrace> traces = borrowed(processes);
  const RunIndex index(traces);
  const Splitter splitter(index);
  std::size_t split_ones = 0;
  for (const ChainActivations & chain : find_activations(index)) {
    for (const ChainActivation & activation : chain.activations) {
      std::int64_t sum = 0;
      for (const ActivationStep & step : chain.steps_of(activation)) {
        const Split split = splitter.split(step);
        sum += split.sum();
        EXPECT_EQ(split.sum(), step.until - step.from) << split;
        for (const std::int64_t part :
             {split.middleware, split.group, split.queue, split.core, split.ran, split.blocked}) {
          EXPECT_GE(part, 0) << split;
        }
        Split waited;
        for (const Blocker & one : splitter.blockers(step)) {
          EXPECT_GT(one.time, 0) << one;
          (one.why == group   ? waited.group
           : one.why == queue ? waited.queue
                              : waited.core) += one.time;
        }
        EXPECT_EQ(waited, (Split{.group = split.group, .queue = split.queue, .core = split.core}));
      }
      if (!(!activation.has_steps)) {
        EXPECT_EQ(sum, activation.response());
        ++split_ones;
      }
    }
  }
  return split_ones;
}

TEST(Split, AddsUpToTheResponseOfEveryActivationOfRandomPrograms)
{
  std::mt19937 random(seed());
  std::size_t split_ones = 0;
  for (std::uint64_t round = 0; round < rounds(300) && !HasFailure(); ++round) {
    const ProgramOfChains program(random);
    auto processes = program.traces();
    add_chains_across_processes(processes);
    const std::size_t here = check(processes);
    EXPECT_EQ(here, program.activations());
    split_ones += here;
  }
  EXPECT_GT(split_ones, rounds(1000)) << "TAKT_TEST_SEED=" << seed();
}

/// Removes some records, and changes numbers of others.
void damage(std::vector<ProcessTrace> & processes, std::mt19937 & random)
{
  using Limits = std::numeric_limits<std::int64_t>;
  const std::array<std::int64_t, 6> odd{Limits::min(), -1, 0, 1, 2000, Limits::max()};
  for (ProcessTrace & process : processes) {
    process.to_realtime = random() % 4 == 0 ? odd[random() % odd.size()] : process.to_realtime;
    for (TracedThread & thread : process.threads) {
      std::erase_if(thread.records, [&](const Record &) { return random() % 100 == 0; });
      for (Record & record : thread.records) {
        if (random() % 20 == 0) {
          const std::array fields{&record.time, &record.a, &record.b, &record.c};
          std::int64_t & field = *fields[random() % fields.size()];
          field = random() % 2 == 0 ? odd[random() % odd.size()] : field + 100 - random() % 200;
        }
      }
    }
  }
}

TEST(Split, DamagedProgramsAreSafe)
{
  std::mt19937 random(seed());
  std::size_t split_ones = 0;
  for (std::uint64_t round = 0; round < rounds(1000) && !HasFailure(); ++round) {
    auto processes = ProgramOfChains(random).traces();
    damage(processes, random);
    add_chains_across_processes(processes);
    split_ones += check(processes);
    static_cast<void>(response_report(processes));
  }
  EXPECT_GT(split_ones, rounds(1000)) << "TAKT_TEST_SEED=" << seed();
}

TEST(Split, AnyRecordsAreSafe)
{
  std::mt19937 random(seed());
  AnyTraces any(random, true);
  for (std::uint64_t round = 0; round < rounds(3000) && !HasFailure(); ++round) {
    auto processes = any.next();
    for (ProcessTrace & process : processes) {
      process.chains[0].path = {process.callbacks[0].id};
      process.chains[1].path = {process.callbacks[0].id, process.callbacks[2].id};
    }
    add_chains_across_processes(processes);
    static_cast<void>(check(processes));
    static_cast<void>(response_report(processes));
  }
}

}  // namespace
}  // namespace takt_trace::detail
