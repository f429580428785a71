// Stalls of the host in a report.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "report/response_report.hpp"
#include "support/chain_traces.hpp"
#include "support/random_traces.hpp"

namespace takt_trace
{
namespace
{

using namespace test;  // NOLINT: its functions write the traces
using nlohmann::ordered_json;

/// The activation of support/chain_traces.hpp, from 100 to 180, with the stalls that a witness saw
/// meanwhile.
ProcessTrace stalled(std::vector<Record> stalls)
{
  ProcessTrace trace = chain_process({root_run(), last_run(150), std::move(stalls)});
  trace.began = 50;
  trace.ended = 1000;
  trace.witnessed = true;
  return trace;
}

ordered_json time_of_host(const std::vector<ProcessTrace> & traces)
{
  return response_report(traces)["chains"][0]["worst"][0]["host_stall_ns"];
}

TEST(HostStalls, AreListedInTheOrderOfTheirBegins)
{
  const ordered_json stalls = response_report(
    {stalled({host_stall(1, 120, 130), host_stall(0, 90, 140, true)})})["host_stalls"];
  ASSERT_EQ(stalls.size(), 2U);
  EXPECT_EQ(
    stalls[0],
    (ordered_json{
      {"host", "here"}, {"core", 0}, {"begin_ns", 40}, {"end_ns", 90}, {"by_kernel", true}}));
  EXPECT_EQ(stalls[1]["core"], 1);
  EXPECT_EQ(stalls[1]["begin_ns"], 70);
}

TEST(HostStalls, AnActivationHasTheTimeInWhichTheHostHadACore)
{
  // Stalls before and after it, across both its ends, and on two cores at once.
  const auto trace = stalled(
    {host_stall(0, 60, 90), host_stall(0, 95, 105), host_stall(0, 120, 130),
     host_stall(1, 125, 140), host_stall(1, 175, 200), host_stall(0, 300, 400)});
  EXPECT_EQ(time_of_host({trace}), 5 + 20 + 5);
  EXPECT_EQ(time_of_host({stalled({})}), 0);
}

TEST(HostStalls, ATimeInWhichTheKernelRanOthersIsNone)
{
  EXPECT_EQ(time_of_host({stalled({host_stall(0, 120, 130, true)})}), 0);
}

TEST(HostStalls, CountOfTheHostsOfTheActivationOnly)
{
  ProcessTrace other = process_of({{host_stall(0, 120, 130)}});
  other.pid = 200;
  EXPECT_EQ(time_of_host({stalled({}), other}), 10) << "another process of the host watched";
  other.host = "there";
  other.witnessed = true;
  EXPECT_EQ(time_of_host({stalled({}), other}), 0);
}

TEST(HostStalls, AreNotKnownWhereNothingWatched)
{
  ProcessTrace trace = stalled({});
  trace.witnessed = false;
  EXPECT_EQ(time_of_host({trace}), nullptr);
  EXPECT_EQ(response_report({trace})["host_stalls"], nullptr);
}

TEST(HostStalls, OfVeryManyTheLongestAreListed)
{
  std::vector<Record> stalls;
  for (std::int64_t i = 0; i < 3000; ++i) {
    stalls.push_back(host_stall(0, 100 * i, 100 * i + 10 + (i % 2)));
  }
  const ordered_json list = response_report({stalled(std::move(stalls))})["host_stalls"];
  ASSERT_EQ(list.size(), 2000U);
  std::size_t longest = 0;
  for (const ordered_json & one : list) {
    longest += one["end_ns"].get<int>() - one["begin_ns"].get<int>() == 11 ? 1 : 0;
  }
  EXPECT_EQ(longest, 1500U);
}

TEST(HostStalls, AnyRecordsMakeAReport)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, true);
  for (std::uint64_t round = 0; round < rounds(300); ++round) {
    auto processes = traces.next();
    for (ProcessTrace & process : processes) {
      process.witnessed = random() % 2 == 0;
    }
    const ordered_json report = response_report(processes);
    for (const ordered_json & chain : report["chains"]) {
      for (const ordered_json & activation : chain["worst"]) {
        const auto & time = activation["host_stall_ns"];
        ASSERT_TRUE(
          time.is_null() || (time.get<std::int64_t>() >= 0 && time <= activation["response_ns"]))
          << "round " << round << ", TAKT_TEST_SEED=" << seed();
      }
    }
  }
}

}  // namespace
}  // namespace takt_trace
