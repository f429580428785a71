// Chains that cross processes, in traces that are small enough to follow by eye.
#include "takt_trace/chain_flow.hpp"

#include <gtest/gtest.h>

#include <random>

namespace takt_trace
{
namespace
{

using enum RecordKind;

/// A process with one thread and the chain `hot` of the given path.
ProcessTrace process(std::vector<std::string> callbacks, std::vector<std::string> path)
{
  ProcessTrace trace;
  for (std::string & id : callbacks) {
    trace.callbacks.push_back({std::move(id), "", "", ""});
  }
  trace.chains = {{"hot", 0, 0, std::move(path)}};
  trace.topics = {"/x", "/y"};
  trace.threads.resize(1);
  return trace;
}

const std::vector<std::string> kPath{"/a:timer(1s)", "/b:sub(/x)", "/c:sub(/y)"};

std::vector<Record> & records(ProcessTrace & trace)
{
  return trace.threads[0].records;
}

/// The chain begins with /a in the first process, goes on with /b in the second, and ends with /c
/// in the first. The publishers are 1 and 2.
std::vector<ProcessTrace> round_trip()
{
  std::vector<ProcessTrace> all{
    process({"/a:timer(1s)", "/c:sub(/y)"}, kPath), process({"/b:sub(/x)"}, kPath)};
  records(all[0]) = {{110, run_start, 0, 100, 0, 0}, {120, publish, 0, 1, 7, 0},
                     {130, run_end, 0, 110, 0, 0},   {190, take, 1, 2, 3, 0},
                     {200, run_start, 1, 185, 0, 0}, {220, run_end, 1, 200, 0, 0}};
  records(all[1]) = {
    {140, take, 0, 1, 7, 0},
    {150, run_start, 0, 140, 0, 0},
    {160, publish, 1, 2, 3, 0},
    {170, run_end, 0, 150, 0, 0}};
  return all;
}

std::vector<Record> ends(const ProcessTrace & trace)
{
  std::vector<Record> found;
  for (const TracedThread & thread : trace.threads) {
    for (const Record & record : thread.records) {
      if (record.kind == chain_end) {
        found.push_back(record);
      }
    }
  }
  return found;
}

TEST(ChainFlow, FollowsMessagesBackToTheRoot)
{
  auto all = round_trip();
  add_chains_across_processes(all);
  EXPECT_TRUE(ends(all[1]).empty()) << "it does not end there";
  ASSERT_EQ(ends(all[0]).size(), 1U);
  EXPECT_EQ(ends(all[0])[0], (Record{220, chain_end, 0, 100, 0, 0}));
  EXPECT_EQ(records(all[0])[5].kind, chain_end) << "before the end of its run";
  EXPECT_EQ(records(all[0])[6].kind, run_end);
}

TEST(ChainFlow, FollowsMessagesBetweenTheExecutorsOfAProcess)
{
  std::vector<ProcessTrace> all{process({"/a:timer(1s)", "/b:sub(/x)", "/c:sub(/y)"}, kPath)};
  all[0].callbacks[1].executor = "other";
  all[0].threads.resize(2);
  const auto two = round_trip();
  records(all[0]) = two[0].threads[0].records;
  for (Record & record : records(all[0])) {
    record.id = record.time >= 190 && record.kind != publish ? 2 : record.id;
  }
  all[0].threads[1].records = two[1].threads[0].records;
  for (Record & record : all[0].threads[1].records) {
    record.id = 1;
  }
  add_chains_across_processes(all);
  ASSERT_EQ(ends(all[0]).size(), 1U);
  EXPECT_EQ(ends(all[0])[0], (Record{220, chain_end, 0, 100, 0, 0}));
}

TEST(ChainFlow, LeavesChainsOfOneExecutorToIt)
{
  std::vector<ProcessTrace> all{process({"/a:timer(1s)", "/b:sub(/x)", "/c:sub(/y)"}, kPath)};
  records(all[0]) = records(round_trip()[0]);
  add_chains_across_processes(all);
  EXPECT_TRUE(ends(all[0]).empty());
}

TEST(ChainFlow, AnActivationEndsOnce)
{
  auto all = round_trip();
  // /c takes the message of the same activation a second time.
  records(all[0]).push_back({230, take, 1, 2, 3, 0});
  records(all[0]).push_back({240, run_start, 1, 230, 0, 0});
  records(all[0]).push_back({250, run_end, 1, 240, 0, 0});
  add_chains_across_processes(all);
  ASSERT_EQ(ends(all[0]).size(), 1U);
  EXPECT_EQ(ends(all[0])[0].time, 220);
}

TEST(ChainFlow, AnEndThatTheExecutorToldCountsOnce)
{
  auto all = round_trip();
  records(all[0]).insert(records(all[0]).end() - 1, Record{220, chain_end, 0, 100, 0, 0});
  add_chains_across_processes(all);
  EXPECT_EQ(ends(all[0]).size(), 1U);
}

TEST(ChainFlow, AMessageThatAnotherCallbackOfTheNodePublishedIsOfTheLastRunBefore)
{
  auto all = round_trip();
  // /b only stores its messages. Its node publishes when the other input has come, too.
  all[1].callbacks.push_back({"/b:sub(/other)", "", "", ""});
  records(all[1]) = {{140, take, 0, 1, 7, 0},      {150, run_start, 0, 140, 0, 0},
                     {155, run_end, 0, 150, 0, 0}, {156, run_start, 1, 156, 0, 0},
                     {160, publish, 1, 2, 3, 0},   {170, run_end, 1, 156, 0, 0}};
  add_chains_across_processes(all);
  ASSERT_EQ(ends(all[0]).size(), 1U);
  EXPECT_EQ(ends(all[0])[0].a, 100);
}

TEST(ChainFlow, ClocksOfHostsDiffer)
{
  auto all = round_trip();
  all[1].host = "there";
  all[1].to_realtime = 1000;  // the clock of the second host is behind by the same time
  all.push_back(process({"/z:sub(/y)"}, {"/b:sub(/x)", "/z:sub(/y)"}));
  all[2].host = "yonder";
  all[2].to_realtime = 400;
  records(all[2]) = {
    {790, take, 0, 2, 3, 0}, {800, run_start, 0, 790, 0, 0}, {820, run_end, 0, 800, 0, 0}};
  add_chains_across_processes(all);
  ASSERT_EQ(ends(all[2]).size(), 1U);
  EXPECT_EQ(ends(all[2])[0].a, 140 + 1000 - 400);
}

TEST(ChainFlow, ProcessesOfOneHostHaveOneClock)
{
  auto all = round_trip();
  std::swap(all[0], all[1]);
  all[0].to_realtime = 1'700'000'000'000'000'000;
  all[1].to_realtime =
    all[0].to_realtime + 150;  // two clocks are never read at exactly the same moment
  all.push_back(process({"/z:sub(/y)"}, kPath));
  all[2].chains[0].path.back() = "/z:sub(/y)";
  all[2].to_realtime = all[0].to_realtime - 150;
  records(all[2]) = {
    {190, take, 0, 2, 3, 0}, {200, run_start, 0, 190, 0, 0}, {220, run_end, 0, 200, 0, 0}};
  add_chains_across_processes(all);
  ASSERT_EQ(ends(all[2]).size(), 1U);
  EXPECT_EQ(ends(all[2])[0].a, 100);
}

TEST(ChainFlow, WhatIsMissingEndsNothing)
{
  for (std::size_t process = 0; process < 2; ++process) {
    for (std::size_t record = 0; record < records(round_trip()[process]).size(); ++record) {
      auto all = round_trip();
      records(all[process])
        .erase(records(all[process]).begin() + static_cast<std::ptrdiff_t>(record));
      add_chains_across_processes(all);
      EXPECT_TRUE(ends(all[0]).empty()) << process << " " << record;
    }
  }
}

TEST(ChainFlow, AnyRecordsAreSafe)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    auto all = round_trip();
    for (ProcessTrace & trace : all) {
      for (int i = 0; i < 30; ++i) {
        const auto small = [&] { return static_cast<std::int64_t>(random() % 6); };
        records(trace).insert(
          records(trace).begin() + static_cast<std::ptrdiff_t>(random() % records(trace).size()),
          {small() * 50, static_cast<RecordKind>(1 + random() % kMostRecordKind),
           static_cast<std::uint32_t>(small()), small() * 40, small(), 0});
      }
    }
    add_chains_across_processes(all);
  }
}

}  // namespace
}  // namespace takt_trace
