// The thread on each core at each time, worked out by hand for each policy. Time in whole units.
#include "takt_plan/kernel_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace takt_plan
{
namespace
{

KernelThread fifo(int priority, std::vector<Index> cores = {0})
{
  return {KernelPolicy::fifo, priority, 0, 0, 0, 1024, std::move(cores)};
}
KernelThread rr(int priority)
{
  return {KernelPolicy::rr, priority, 0, 0, 0, 1024, {0}};
}
KernelThread fair(int nice, std::vector<Index> cores = {0})
{
  return {KernelPolicy::fair, 0, 0, 0, 0, fair_weight(nice), std::move(cores)};
}
KernelThread server(Ns runtime, Ns deadline, Ns period, std::vector<Index> cores = {0})
{
  return {KernelPolicy::deadline, 0, runtime, deadline, period, 1024, std::move(cores)};
}

/// Threads named a, b, c ... that are woken for some work, and block after it.
class Machine
{
public:
  explicit Machine(Index cores, KernelOptions options = {4, 3})
  : kernel(cores, options),
    lines_(cores)
  {
  }

  Index add(KernelThread thread)
  {
    work_.push_back(0);
    done.push_back(0);
    return kernel.add(std::move(thread));
  }
  void job(Index thread, Ns at, Ns work)
  {
    events_.emplace(at, [=, this] {
      work_[thread] += work;
      kernel.wake(thread);
    });
  }
  void at(Ns when, std::function<void()> what) { events_.emplace(when, std::move(what)); }

  /// The thread on each core over time: one line per core, as in "a0-3 b3-5".
  std::vector<std::string> run(Ns until)
  {
    for (;;) {
      while (!events_.empty() && events_.begin()->first <= kernel.now()) {
        events_.begin()->second();
        events_.erase(events_.begin());
      }
      for (Index t = 0; t < work_.size(); ++t) {
        if (work_[t] == 0 && kernel.core_of(t) != kNone) {
          kernel.block(t);
        }
      }
      kernel.settle();
      EXPECT_GT(kernel.next_change(), kernel.now()) << "time must go on";
      Ns next = std::min(until, kernel.next_change());
      next = events_.empty() ? next : std::min(next, events_.begin()->first);
      for (Index t = 0; t < work_.size(); ++t) {
        next = kernel.core_of(t) == kNone ? next : std::min(next, kernel.now() + work_[t]);
      }
      note(next);
      for (Index t = 0; t < work_.size(); ++t) {
        if (kernel.core_of(t) != kNone) {
          work_[t] -= next - kernel.now();
          done[t] += next - kernel.now();
        }
      }
      kernel.advance(next);
      if (next == until) {
        break;
      }
    }
    std::vector<std::string> result;
    for (const auto & line : lines_) {
      std::string text;
      for (const Slice & slice : line) {
        text += text.empty() ? "" : " ";
        text += static_cast<char>('a' + slice.thread);
        text += std::to_string(slice.from) + "-" + std::to_string(slice.to);
      }
      result.push_back(text);
    }
    return result;
  }

  KernelModel kernel;
  std::vector<Ns> done;  ///< per thread

private:
  struct Slice
  {
    Index thread;
    Ns from, to;
  };

  void note(Ns to)
  {
    for (Index core = 0; core < kernel.cores(); ++core) {
      const Index thread = kernel.running(core);
      auto & line = lines_[core];
      if (thread == kNone || to == kernel.now()) {
        continue;
      }
      if (!line.empty() && line.back().thread == thread && line.back().to == kernel.now()) {
        line.back().to = to;
      } else {
        line.push_back({thread, kernel.now(), to});
      }
    }
  }

  std::multimap<Ns, std::function<void()>> events_;
  std::vector<Ns> work_;
  std::vector<std::vector<Slice>> lines_;
};

using Lines = std::vector<std::string>;

TEST(KernelModel, FifoRunsTheMostUrgentAndAPreemptedThreadStaysAtTheHead)
{
  Machine machine(1);
  const Index a = machine.add(fifo(10)), b = machine.add(fifo(10)), c = machine.add(fifo(20));
  machine.job(a, 0, 5);
  machine.job(b, 1, 2);
  machine.job(c, 2, 3);
  EXPECT_EQ(machine.run(20), (Lines{"a0-2 c2-5 a5-8 b8-10"}));
}

TEST(KernelModel, FifoThreadsOfOnePriorityDoNotPreemptEachOther)
{
  Machine machine(1);
  const Index a = machine.add(fifo(10)), b = machine.add(fifo(10));
  machine.job(b, 0, 500);
  machine.job(a, 1, 5);
  EXPECT_EQ(machine.run(1000), (Lines{"b0-500 a500-505"}));
}

TEST(KernelModel, AWokenThreadGoesToTheTail)
{
  Machine machine(1);
  const Index a = machine.add(fifo(10)), b = machine.add(fifo(10)), c = machine.add(fifo(10));
  machine.job(a, 0, 2);
  machine.job(b, 1, 2);
  machine.job(c, 1, 1);
  machine.job(a, 3, 1);
  EXPECT_EQ(machine.run(20), (Lines{"a0-2 b2-4 c4-5 a5-6"}));
}

TEST(KernelModel, RaisedGoesToTheTailAndLoweredToTheHeadOfItsPriority)
{
  Machine machine(1);
  const Index a = machine.add(fifo(10)), b = machine.add(fifo(20)), c = machine.add(fifo(20));
  machine.job(a, 0, 4);
  machine.job(b, 2, 3);
  machine.at(1, [&] { machine.kernel.set_priority(a, KernelPolicy::fifo, 20); });
  machine.job(c, 2, 1);
  machine.at(3, [&] {
    machine.kernel.set_priority(b, KernelPolicy::fifo, 30);
    machine.kernel.set_priority(b, KernelPolicy::fifo, 20);
  });
  EXPECT_EQ(machine.run(20), (Lines{"a0-3 b3-6 a6-7 c7-8"}));
}

TEST(KernelModel, TwoCoresRunTheTwoMostUrgentWhereTheyMay)
{
  Machine machine(2);
  const Index a = machine.add(fifo(10, {0, 1})), b = machine.add(fifo(20, {0, 1}));
  const Index c = machine.add(fifo(30, {0, 1})), d = machine.add(fifo(40, {1}));
  machine.job(a, 0, 10);
  machine.job(b, 1, 10);
  machine.job(c, 2, 2);  // takes the core of a, the least urgent thread
  machine.job(d, 5, 2);  // may use only core 1: b moves to the core of a, which waits
  EXPECT_EQ(machine.run(30), (Lines{"a0-2 c2-4 a4-5 b5-11", "b1-5 d5-7 a7-14"}));
}

TEST(KernelModel, AThreadThatComesTakesAnIdleCoreAndNoneMovesWithoutNeed)
{
  Machine machine(2);
  const Index a = machine.add(fifo(10, {0, 1})), b = machine.add(fifo(90, {0, 1}));
  machine.job(a, 0, 5);
  machine.job(b, 1, 2);
  EXPECT_EQ(machine.run(30), (Lines{"a0-5", "b1-3"}));
  EXPECT_EQ(machine.kernel.switches(a), 1U);
}

TEST(KernelModel, WhoMayOnlyUseABusyCoreWaitsThoughAnotherIsIdle)
{
  Machine machine(2);
  const Index a = machine.add(fifo(90, {0, 1})), b = machine.add(fifo(10, {0}));
  machine.job(a, 0, 5);
  machine.job(b, 1, 2);
  EXPECT_EQ(machine.run(30), (Lines{"a0-5 b5-7", ""}));
}

TEST(KernelModel, RoundRobinTakesTurnsByQuantaAndKeepsTheRestOverAPreemption)
{
  Machine machine(1);  // quantum 4
  const Index a = machine.add(rr(10)), b = machine.add(rr(10)), c = machine.add(fifo(50));
  machine.job(a, 0, 9);
  machine.job(b, 1, 5);
  machine.job(c, 6, 2);
  EXPECT_EQ(machine.run(30), (Lines{"a0-4 b4-6 c6-8 b8-10 a10-14 b14-15 a15-16"}));
}

TEST(KernelModel, RoundRobinAloneGoesOn)
{
  Machine machine(1);
  const Index a = machine.add(rr(10)), b = machine.add(rr(9));
  machine.job(a, 0, 10);
  machine.job(b, 0, 1);
  EXPECT_EQ(machine.run(30), (Lines{"a0-10 b10-11"}));
  EXPECT_EQ(machine.kernel.switches(a), 1U);
}

TEST(KernelModel, TheEarliestDeadlineRunsFirstAndBeforeEveryPriority)
{
  Machine machine(1);
  const Index a = machine.add(fifo(99)), b = machine.add(server(5, 20, 20));
  const Index c = machine.add(server(2, 10, 10));
  machine.job(a, 0, 10);
  machine.job(b, 1, 5);
  machine.job(c, 2, 2);
  EXPECT_EQ(machine.run(30), (Lines{"a0-1 b1-2 c2-4 b4-8 a8-17"}));
}

TEST(KernelModel, WhoUsedUpItsBudgetWaitsForTheNextPeriod)
{
  Machine machine(1);
  const Index a = machine.add(server(2, 10, 10)), b = machine.add(fifo(1));
  machine.job(a, 3, 5);
  machine.job(b, 0, 20);
  EXPECT_EQ(machine.run(50), (Lines{"b0-3 a3-5 b5-13 a13-15 b15-23 a23-24 b24-25"}));
}

TEST(KernelModel, AWakeUpKeepsTheServerOnlyWhileItsBandwidthAllows)
{
  Machine machine(1);
  const Index a = machine.add(server(4, 10, 10)), b = machine.add(server(3, 12, 12));
  // At 2 it has 3 left, and 0.4 * 8 is allowed up to its deadline. It keeps this deadline, which is
  // before that of b.
  machine.job(a, 0, 1);
  machine.job(a, 2, 3);
  machine.job(b, 2, 3);
  // No budget is left: it waits for the next period.
  machine.job(a, 6, 1);
  EXPECT_EQ(machine.run(30), (Lines{"a0-1 a2-5 b5-8 a10-11"}));
}

TEST(KernelModel, AWakeUpWithMoreBudgetThanItsBandwidthAllowsStartsAnew)
{
  Machine machine(1);
  const Index a = machine.add(server(4, 10, 10)), b = machine.add(server(3, 12, 12));
  machine.job(a, 0, 1);
  machine.job(b, 6, 3);
  machine.job(a, 7, 4);  // 3 left, but only 0.4 * 3 is allowed up to its deadline: begins anew,
                         // with deadline 17 before b's 18
  EXPECT_EQ(machine.run(30), (Lines{"a0-1 b6-7 a7-11 b11-13"}));
}

TEST(KernelModel, PastADeadlineBeforeTheEndOfThePeriodAServerWaits)
{
  Machine machine(1);
  const Index a = machine.add(server(2, 4, 10));
  machine.job(a, 0, 1);
  machine.job(a, 5, 1);
  EXPECT_EQ(machine.run(30), (Lines{"a0-1 a10-11"}));
}

TEST(KernelModel, TheServersOfTwoCoresRunAtOnce)
{
  Machine machine(2);
  const Index a = machine.add(server(5, 10, 10, {0, 1}));
  const Index b = machine.add(server(5, 12, 12, {0, 1}));
  const Index c = machine.add(server(5, 8, 8, {0, 1}));
  machine.job(a, 0, 5);
  machine.job(b, 0, 5);
  machine.job(c, 1, 2);
  EXPECT_EQ(machine.run(30), (Lines{"a0-5", "b0-1 c1-3 b3-7"}));
}

TEST(KernelModel, FairThreadsShareByWeight)
{
  Machine machine(1, {4, 3});
  const Index a = machine.add(fair(0)), b = machine.add(fair(-10)), c = machine.add(fair(5));
  for (const Index thread : {a, b, c}) {
    machine.job(thread, 0, 1'000'000);
  }
  machine.run(100'000);
  const double sum = fair_weight(0) + fair_weight(-10) + fair_weight(5);
  EXPECT_NEAR(static_cast<double>(machine.done[a]), 100'000 * fair_weight(0) / sum, 10);
  EXPECT_NEAR(static_cast<double>(machine.done[b]), 100'000 * fair_weight(-10) / sum, 10);
  EXPECT_NEAR(static_cast<double>(machine.done[c]), 100'000 * fair_weight(5) / sum, 10);
}

TEST(KernelModel, FairThreadsTakeTurnsBySlicesBelowEveryPriority)
{
  Machine machine(1, {4, 3});
  const Index a = machine.add(fair(0)), b = machine.add(fair(0)), c = machine.add(fifo(1));
  machine.job(a, 0, 5);
  machine.job(b, 0, 4);
  machine.job(c, 1, 1);
  EXPECT_EQ(machine.run(30), (Lines{"a0-1 c1-2 a2-4 b4-7 a7-9 b9-10"}));
}

TEST(KernelModel, WhoRanAloneForLongDoesNotPayForItAndWhoSleptGetsNoMore)
{
  Machine machine(1, {4, 3});
  const Index a = machine.add(fair(0)), b = machine.add(fair(0));
  machine.job(a, 0, 100'000);
  machine.job(b, 9'000, 100'000);
  machine.run(10'000);
  EXPECT_NEAR(static_cast<double>(machine.done[b]), 500, 3);
  machine.run(12'000);
  EXPECT_NEAR(static_cast<double>(machine.done[b]), 1500, 6);
}

TEST(KernelModel, FairThreadsUseAllCoresTheyMay)
{
  Machine machine(2, {4, 3});
  const Index a = machine.add(fair(0, {0, 1})), b = machine.add(fair(0, {0, 1}));
  const Index c = machine.add(fair(0, {0, 1}));
  for (const Index thread : {a, b, c}) {
    machine.job(thread, 0, 1'000'000);
  }
  machine.run(30'000);
  EXPECT_EQ(machine.done[a] + machine.done[b] + machine.done[c], 60'000);
  for (const Index thread : {a, b, c}) {
    EXPECT_NEAR(static_cast<double>(machine.done[thread]), 20'000, 10);
  }
}

TEST(KernelModel, AFairThreadRaisedToAPriorityComesBackAsFairThread)
{
  Machine machine(1, {4, 3});
  const Index a = machine.add(fair(0)), b = machine.add(fifo(10));
  machine.job(a, 0, 10);
  machine.job(b, 1, 4);
  machine.at(2, [&] { machine.kernel.set_priority(a, KernelPolicy::fifo, 20); });
  machine.at(4, [&] { machine.kernel.set_priority(a, KernelPolicy::fair, 0); });
  EXPECT_EQ(machine.run(30), (Lines{"a0-1 b1-2 a2-4 b4-7 a7-14"}));
}

TEST(KernelModel, EachWakeUpAndEachReturnFromAPreemptionIsASwitch)
{
  Machine machine(1);
  const Index a = machine.add(fifo(10)), b = machine.add(fifo(20));
  machine.job(a, 0, 5);
  machine.job(b, 1, 1);
  machine.job(b, 3, 1);
  machine.job(a, 20, 1);
  machine.run(30);
  EXPECT_EQ(machine.kernel.switches(a), 4U);
  EXPECT_EQ(machine.kernel.switches(b), 2U);
}

}  // namespace
}  // namespace takt_plan
