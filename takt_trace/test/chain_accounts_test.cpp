// The ends of chains' activations, in traces that are small enough to follow by eye.
#include "takt_trace/chain_accounts.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/account_traces.hpp"
#include "support/program_of_chains.hpp"

namespace takt_trace
{
namespace
{

using namespace test;  // NOLINT: its functions write the traces
using Two = TwoProcesses;

/// The callback at which the only unfinished activation stopped.
std::string stop(const Two & two)
{
  const ChainAccount chain = two.account();
  std::vector<std::string> found;
  for (const AccountedActivation & one : chain.account->activations) {
    if (one.fate != Fate::completed) {
      found.push_back(chain.chain.path[one.stopped_at]);
    }
  }
  return found.size() == 1 ? found.front() : std::to_string(found.size()) + " activations";
}

TEST(ChainAccounts, ActivationsThatEndComplete)
{
  Two two;
  two.whole(1100, 1);
  two.whole(1200, 2);
  EXPECT_EQ(counts(two), (Counts{.completed = 2}));
}

TEST(ChainAccounts, OneThatEndsAfterItsDeadlineIsLate)
{
  Two two;
  two.whole(1100, 1);
  two.a(1200, 2);
  two.run(Two::kB, 1210, 2, 2);
  two.run(Two::kC, 1246, 2);  // ends 51 ns after the release
  EXPECT_EQ(counts(two), (Counts{.completed = 2, .late = 1}));
}

TEST(ChainAccounts, AMessageThatALaterOneOverwroteIsLostWhereItShouldHaveBeenTaken)
{
  Two two;
  two.whole(1100, 1);
  two.a(1200, 2);
  two.whole(1300, 3);
  EXPECT_EQ(counts(two), (Counts{.completed = 2, .lost = 1}));
  EXPECT_EQ(stop(two), "/b:sub(/x)");
}

TEST(ChainAccounts, AMessageIsLostOnTheLastHop)
{
  Two two;
  two.a(1100, 1);
  two.run(Two::kB, 1110, 1, 1);
  two.whole(1200, 2);
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .lost = 1}));
  EXPECT_EQ(stop(two), "/c:sub(/y)");
}

TEST(ChainAccounts, AnotherPublishersMessagesOvertakeNothing)
{
  Two two;
  two.whole(1100, 1);
  two.a(1970, 2);
  auto & records = two.traces[1].threads[0].records;
  for (const Record & record :
       {take(1980, Two::kB, {77, 9}), run_start(1981, Two::kB, 1980),
        run_end(1982, Two::kB, 1980)}) {
    records.push_back(record);
  }
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .unfinished = 1}));
}

TEST(ChainAccounts, NewerDataThatReplacesOlderIsNoMiss)
{
  Two two;
  two.a(1100, 1);
  two.run(Two::kB, 1110, 1);  // the run keeps the message for the node's other input
  two.a(1200, 2);
  two.run(Two::kB, 1210, 2);
  two.run(Two::kOther, 1220, 1, 7);
  two.run(Two::kC, 1230, 7);
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .superseded = 1}));
  EXPECT_EQ(stop(two), "/b:sub(/x)");
}

TEST(ChainAccounts, ANodeMayPublishForACallbackThatEndsMeanwhile)
{
  Two two;
  two.a(1100, 1);
  // This run is on another thread. It begins before the end of /b's run, and publishes after it.
  two.traces[1].threads.push_back({});
  two.traces[1].threads.back().records = {
    take(1105, Two::kOther, {3, 1}), run_start(1106, Two::kOther, 1105),
    publish(1120, Two::kY, {2, 7}), run_end(1125, Two::kOther, 1105)};
  two.run(Two::kB, 1110, 1);
  two.run(Two::kC, 1130, 7);
  EXPECT_EQ(counts(two), (Counts{.completed = 1}));
}

TEST(ChainAccounts, ANodePublishesOnlyDataOfRunsThatHaveEnded)
{
  Two two;
  two.a(1100, 1);
  two.traces[1].threads.push_back({});
  two.traces[1].threads.back().records = {
    take(1105, Two::kOther, {3, 1}), run_start(1106, Two::kOther, 1105),
    publish(1113, Two::kY, {2, 7}), run_end(1125, Two::kOther, 1105)};
  two.run(Two::kB, 1110, 1);  // lasts until 1115
  two.run(Two::kC, 1130, 7);
  EXPECT_EQ(counts(two), (Counts{.unfinished = 1, .overdue = 1}));
}

TEST(ChainAccounts, OneThatIsUnderWayAtTheEndIsOverdueOnlyAfterItsDeadline)
{
  for (const std::int64_t release : {1949, 1950, 1960}) {
    Two two;
    two.whole(1100, 1);
    two.a(release, 2);
    const std::uint64_t overdue = release + 50 < 2000 ? 1 : 0;
    EXPECT_EQ(counts(two), (Counts{.completed = 1, .unfinished = 1, .overdue = overdue}));
    EXPECT_EQ(stop(two), "/b:sub(/x)");
  }
}

TEST(ChainAccounts, ADeadlineMayPassAfterTheLastRecord)
{
  Two two;
  two.whole(1100, 1);
  two.a(1960, 2);  // its deadline is at 2010
  for (const std::int64_t ended : {2009, 2011}) {
    for (ProcessTrace & trace : two.traces) {
      trace.ended = ended;
    }
    const std::uint64_t overdue = ended > 2010 ? 1 : 0;
    EXPECT_EQ(counts(two), (Counts{.completed = 1, .unfinished = 1, .overdue = overdue}));
  }
}

TEST(ChainAccounts, AStarvedCallbackStopsAllActivations)
{
  Two two;
  two.a(1100, 1);
  two.a(1200, 2);
  two.a(1300, 3);
  EXPECT_EQ(counts(two), (Counts{.unfinished = 3, .overdue = 3}));
}

TEST(ChainAccounts, ARunThatHasNotEndedIsWhereItsActivationStops)
{
  Two two;
  two.a(1100, 1);
  two.run(Two::kB, 1110, 1, 0, false);
  EXPECT_EQ(counts(two), (Counts{.unfinished = 1, .overdue = 1}));
  EXPECT_EQ(stop(two), "/b:sub(/x)");
  two = Two();
  two.a(1100, 1);
  two.run(Two::kB, 1110, 1, 1);
  two.run(Two::kC, 1120, 1, 0, false);
  EXPECT_EQ(counts(two), (Counts{.unfinished = 1, .overdue = 1}));
  EXPECT_EQ(stop(two), "/c:sub(/y)");
}

TEST(ChainAccounts, SkippedPeriodsAreMissesWhereTheyWereDue)
{
  Two two;
  two.a(900, 1, 3);  // its timer was also due at 1000, 1100 and 1200
  two.whole(1300, 2);
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .skipped = 3}));
  two.traces[0].began = 1001;
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .skipped = 2}));
  two.a(1800, 3, 4);  // the timer has no later run; its id gives the period
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .unfinished = 1, .overdue = 1, .skipped = 3}));
}

TEST(ChainAccounts, OnlyActivationsCountThatWereReleasedWhileAllProcessesRecorded)
{
  Two two;
  two.a(999, 1);
  two.a(1100, 2);
  two.whole(1200, 3);
  two.a(1960, 4);
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .lost = 1, .unfinished = 1}));
  two.traces[1].began = 1101;  // the second process began later
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .unfinished = 1}));
  two.traces[1].threads[1].records = {counter(1300, 0, 0)};  // and its recording ended earlier
  EXPECT_EQ(counts(two), (Counts{.completed = 1}));
}

TEST(ChainAccounts, OneThatEndedCountsAlsoIfItBeganBeforeTheTrace)
{
  Two two;
  two.whole(1100, 1);
  two.whole(1200, 2);
  two.traces[0].began = two.traces[1].began = 1150;
  EXPECT_EQ(counts(two), (Counts{.completed = 2}));
}

TEST(ChainAccounts, ATimeOfItsOwnBoundsAll)
{
  Two two;
  two.whole(1100, 1);
  two.a(1200, 2);
  two.whole(1300, 3);
  two.a(1400, 4);
  auto all = two.traces;
  add_chains_across_processes(all);
  const auto between = [&](std::int64_t from, std::int64_t to, std::int64_t observed) {
    const auto accounts = chain_accounts(all, AccountedTime{from, to, observed});
    const ActivationAccount & one = *accounts.front().account;
    return Counts{one.completed,  one.late,    one.superseded, one.lost,
                  one.unfinished, one.overdue, one.skipped};
  };
  EXPECT_EQ(between(1101, 1301, 2000), (Counts{.completed = 1, .lost = 1}));
  EXPECT_EQ(between(1201, 2000, 1450), (Counts{.completed = 1, .unfinished = 1}));
}

TEST(ChainAccounts, AnEndThatAnExecutorTellsCounts)
{
  Two two;
  two.whole(1100, 1);
  two.a(1200, 2);
  two.whole(1300, 3);
  auto & records = two.traces[1].threads[0].records;
  records.insert(records.end() - 1, chain_end(1325, 0, 1200));
  EXPECT_EQ(counts(two), (Counts{.completed = 3, .late = 1}));
}

TEST(ChainAccounts, WithoutADeadlineNoneIsMissed)
{
  Two two;
  two.a(1100, 1);
  two.whole(1200, 2);
  for (ProcessTrace & trace : two.traces) {
    trace.chains[0].deadline = 0;
  }
  const ChainAccount chain = two.account();
  ASSERT_TRUE(chain.account);
  EXPECT_EQ(chain.account->lost, 1U);
  EXPECT_EQ(chain.account->missed, 0U);
}

TEST(ChainAccounts, ClocksOfHostsDiffer)
{
  Two two;
  two.a(1100, 1);
  two.whole(1200, 2);
  two.traces[1].host = "there";
  two.traces[0].to_realtime = 5000;
  two.traces[1].to_realtime = 5000 - 300'000'000'000;
  for (TracedThread & thread : two.traces[1].threads) {
    for (Record & record : thread.records) {
      record.time += 300'000'000'000;
      if (record.kind == RecordKind::run_start || record.kind == RecordKind::run_end) {
        record.a += 300'000'000'000;
      }
    }
  }
  two.traces[1].began += 300'000'000'000;
  EXPECT_EQ(counts(two), (Counts{.completed = 1, .lost = 1}));
}

TEST(ChainAccounts, RandomProgramsLoseNothing)
{
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const ProgramOfChains program(random);
    auto all = program.traces();
    add_chains_across_processes(all);
    const auto accounts = chain_accounts(all);
    ASSERT_EQ(accounts.size(), 1U);
    ASSERT_TRUE(accounts[0].account) << accounts[0].why;
    EXPECT_EQ(accounts[0].account->completed, program.activations());
    EXPECT_EQ(accounts[0].account->released, program.activations());
  }
}

TEST(ChainAccounts, AnyRecordsAreSafe)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    Two two = with_a_loss();
    for (ProcessTrace & trace : two.traces) {
      auto & records = trace.threads[0].records;
      for (int i = 0; i < 30; ++i) {
        const auto small = [&] { return static_cast<std::int64_t>(random() % 6); };
        const auto any = [&] {
          return random() % 8 == 0 ? static_cast<std::int64_t>(random()) : 1000 + small() * 90;
        };
        records.insert(
          records.begin() + static_cast<std::ptrdiff_t>(random() % records.size()),
          {any(), static_cast<RecordKind>(1 + random() % kMostRecordKind),
           static_cast<std::uint32_t>(small()), any(), small(),
           random() % 8 == 0 ? static_cast<std::int64_t>(random()) : small()});
      }
    }
    const ChainAccount chain = two.account();
    if (chain.account) {
      const ActivationAccount & one = *chain.account;
      ASSERT_EQ(
        one.released, one.completed + one.superseded + one.lost + one.unfinished + one.skipped);
    }
  }
}

}  // namespace
}  // namespace takt_trace
