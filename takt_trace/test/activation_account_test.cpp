// Activations through runs that the test gives: the run that each run worked for, and the end of
// each activation.
#include "takt_trace/activation_account.hpp"

#include <gtest/gtest.h>

namespace takt_trace
{
namespace
{

constexpr std::uint32_t kTimer = 0, kFirst = 1, kSecond = 2, kSink = 3;  // callbacks
constexpr std::uint32_t kRaw = 0, kOther = 1, kFused = 2;                // topics

/// A timer publishes `raw` to a node that joins it with another topic. The sink takes the messages
/// of the node.
const std::vector<FlowCallback> kCallbacks{
  {0, kNoTopic, false}, {1, kRaw, true}, {1, kOther, true}, {2, kFused, false}};

FlowRun run(
  std::uint32_t callback, std::int64_t start, std::uint64_t taken, std::uint64_t published = 0)
{
  constexpr std::uint32_t kOut[]{kRaw, kFused, kFused, kNoTopic};
  FlowRun one;
  one.callback = callback;
  one.release = start - 1;
  one.start = start;
  one.end = one.kept = start + 5;
  if (taken != 0) {
    one.taken = {{kCallbacks[callback].topic, taken}};
  }
  if (published != 0) {
    one.published = {{kOut[callback], {kOut[callback], published}, start + 2}};
  }
  return one;
}

ActivationAccount account(std::vector<FlowRun> runs, const UnstartedReleases & unstarted = {})
{
  return account_activations(
    RunFlow(kCallbacks, std::move(runs)), {{kTimer, kFirst, kSink}, 50, {}}, unstarted,
    {100, 1000, 1000});
}

TEST(RunFlow, ARunThatPublishesHoldsItsOwnMessage)
{
  const RunFlow flow(kCallbacks, {run(kFirst, 10, 1, 1), run(kSecond, 20, 1, 2)});
  EXPECT_EQ(flow.held(0, kFused).carrier, 0U);
  EXPECT_EQ(flow.held(0, kRaw).carrier, kNoRun) << "another topic";
}

TEST(RunFlow, AKeptMessageGoesWithTheNextPublishOfTheNode)
{
  const RunFlow flow(
    kCallbacks, {run(kSecond, 5, 1, 1), run(kFirst, 10, 1), run(kSink, 11, 1, 3),
                 run(kSecond, 20, 2, 2), run(kSecond, 30, 3, 3)});
  EXPECT_EQ(flow.held(1, kFused).carrier, 3U);
  EXPECT_FALSE(flow.held(1, kFused).superseded);
}

TEST(RunFlow, ANewerRunOfTheCallbackReplacesAKeptMessage)
{
  const RunFlow flow(
    kCallbacks, {run(kFirst, 10, 1), run(kFirst, 20, 2), run(kSecond, 30, 1, 1), run(kFirst, 40, 3),
                 run(kFirst, 50, 4, 2)});
  EXPECT_TRUE(flow.held(0, kFused).superseded);
  EXPECT_EQ(flow.held(1, kFused).carrier, 2U);
  EXPECT_TRUE(flow.held(3, kFused).superseded) << "the newer run published its own";
}

TEST(RunFlow, OnlyCallbacksThatKeepMessagesHandThemOver)
{
  std::vector<FlowCallback> callbacks = kCallbacks;
  callbacks[kFirst].keeps = false;
  const RunFlow flow(callbacks, {run(kFirst, 10, 1), run(kSecond, 20, 1, 1)});
  EXPECT_EQ(flow.held(0, kFused).carrier, kNoRun);
  EXPECT_FALSE(flow.held(0, kFused).superseded);
}

TEST(RunFlow, ALaterMessageOvertakesAlsoIfAnEarlierOneWasTakenAfterIt)
{
  const RunFlow flow(kCallbacks, {run(kFirst, 10, 3), run(kFirst, 20, 1)});
  EXPECT_TRUE(flow.overtaken(kFirst, {kRaw, 2}));
  EXPECT_FALSE(flow.overtaken(kFirst, {kRaw, 3}));
}

TEST(ActivationAccount, CountsWhereTheRootWasReleased)
{
  const auto one = account(
    {run(kTimer, 100, 0, 1), run(kTimer, 101, 0, 2), run(kTimer, 1000, 0, 3),
     run(kTimer, 1001, 0, 4)});
  EXPECT_EQ(one.released, 2U) << "released at 100 and 999";
}

TEST(ActivationAccount, AMessageIsLostOnlyIfNoMessageOfItsRunCanArrive)
{
  auto twice = run(kTimer, 200, 0, 1);
  twice.published.push_back({kRaw, {kRaw, 2}, 204});
  std::vector<FlowRun> runs{twice, run(kTimer, 300, 0, 3)};
  EXPECT_EQ(account(runs).unfinished, 2U);
  runs.push_back(run(kFirst, 310, 2, 1));
  EXPECT_EQ(account(runs).lost, 0U) << "the second of its messages was taken";
  runs.back() = run(kFirst, 310, 3, 1);
  EXPECT_EQ(account(runs).lost, 1U);
}

TEST(ActivationAccount, AMessageThatARunWouldOnlyKeepIsReplacedInTheHistoryAlike)
{
  std::vector<FlowRun> runs{run(kTimer, 200, 0, 1), run(kTimer, 300, 0, 2), run(kFirst, 310, 2)};
  EXPECT_EQ(account(runs).superseded, 1U) << "the newer message waits for its set";
  EXPECT_EQ(account(runs).lost, 0U);
  runs.back() = run(kFirst, 310, 2, 1);
  EXPECT_EQ(account(runs).superseded, 0U)
    << "the newer message completed a set: the older one might have";
  EXPECT_EQ(account(runs).lost, 1U);
}

TEST(ActivationAccount, ReleasesThatNoRunBeganAreMissed)
{
  const auto one = account({}, {{200, 300}, 400});
  EXPECT_EQ(one.released, 3U);
  EXPECT_EQ(one.skipped, 2U);
  EXPECT_EQ(one.unfinished, 1U);
  EXPECT_EQ(one.overdue, 1U);
  EXPECT_EQ(one.missed, 3U);
}

TEST(ActivationAccount, LeavesOutWhatOthersTell)
{
  const auto one = account_activations(
    RunFlow(kCallbacks, {run(kTimer, 200, 0, 1), run(kTimer, 300, 0, 2)}),
    {{kTimer, kFirst, kSink}, 50, SortedList<std::int64_t>(LongVector<std::int64_t>{199})}, {},
    {100, 1000, 1000});
  EXPECT_EQ(one.released, 1U);
}

TEST(ActivationAccount, CountsTheProcessesOfItsRuns)
{
  std::vector<FlowRun> runs{
    run(kTimer, 200, 0, 1), run(kFirst, 210, 1, 1), run(kSink, 220, 1), run(kSecond, 300, 1)};
  EXPECT_EQ(account(runs).processes, 1U);
  runs[1].process = 7;
  runs[2].process = 9;
  runs[3].process = 11;  // this run worked for no activation
  EXPECT_EQ(account(runs).processes, 3U);
}

}  // namespace
}  // namespace takt_trace
