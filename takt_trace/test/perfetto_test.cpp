// Properties of Perfetto's format. timeline_test.cpp tests the content that viewers show.
#include "timeline/perfetto.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/perfetto_decoder.hpp"
#include "support/random_traces.hpp"
#include "support/traces.hpp"

namespace takt_trace::test
{
namespace
{

using Faults = std::vector<std::string>;

constexpr std::uint64_t kRealtime = 1, kBoottime = 6;

PerfettoTrack described(const PerfettoTrace & trace, const std::string & name)
{
  for (const auto & [uuid, track] : trace.tracks) {
    if (track.name == name) {
      return track;
    }
  }
  return {};
}

TEST(Perfetto, TracksAreUnderTheirThreadOrProcess)
{
  const auto trace = decode_perfetto(perfetto_trace(
    {process_of({{slice(5, 0, 1, 2), counter(6, 2, 1), chain_end(7, 0, 1), run_end(7, 2, 1)}})}));
  EXPECT_EQ(trace.seen.faults, Faults{});
  const PerfettoTrack process = described(trace, "pipeline"), thread = described(trace, "worker0");
  EXPECT_TRUE(process.is_process);
  EXPECT_EQ(process.pid, 100);
  EXPECT_TRUE(thread.is_thread);
  EXPECT_EQ(thread.pid, 100);
  EXPECT_EQ(thread.tid, 100);
  EXPECT_EQ(described(trace, "slices").parent, thread.uuid);
  for (const char * const name : {"worker0", "chain see", "response time of see", "level"}) {
    EXPECT_EQ(described(trace, name).parent, process.uuid) << name;
  }
  EXPECT_TRUE(described(trace, "level").is_counter);
  EXPECT_EQ(described(trace, "response time of see").unit, "ms");
}

TEST(Perfetto, AThreadTellsItsExecutorAndItsLostRecords)
{
  ProcessTrace process = process_of({{}, {}, {}});
  process.threads[1].dropped = 12;
  process.threads[2].executor.clear();
  const auto trace = decode_perfetto(perfetto_trace({process}));
  EXPECT_EQ(described(trace, "worker0").description, "executor main");
  EXPECT_EQ(described(trace, "worker1").description, "executor main; 12 records were lost");
  EXPECT_EQ(described(trace, "worker2").description, "");
}

TEST(Perfetto, TheTimeOfDayIsThatOfTheFirstRecord)
{
  ProcessTrace process = process_of({{instant(30, 0)}, {instant(20, 0)}});
  process.to_boottime = 1000;
  process.to_realtime = 1'700'000'000'000'000'000;
  const auto one_host = decode_perfetto(perfetto_trace({process})).clocks;
  EXPECT_EQ(one_host.at(kBoottime), 1020U);
  EXPECT_EQ(one_host.at(kRealtime), 1'700'000'000'000'000'020U);
  ProcessTrace other = process;
  other.host = "there";
  const auto two_hosts = decode_perfetto(perfetto_trace({process, other})).clocks;
  EXPECT_EQ(two_hosts.at(kBoottime), two_hosts.at(kRealtime));
}

TEST(Perfetto, NamesAreWrittenOnce)
{
  std::vector<Record> records;
  for (std::int64_t time = 0; time < 3000; time += 3) {
    records.push_back(run_start(time, 0));
    records.push_back(run_end(time + 1, 0, time));
  }
  const std::string bytes = perfetto_trace({process_of({records})});
  const std::string name = "/lidar:timer(100ms)";
  EXPECT_EQ(bytes.find(name), bytes.rfind(name));
  EXPECT_LT(bytes.size(), records.size() * 40);
}

TEST(Perfetto, TracesOfSeveralProcessesHaveTheirOwnNames)
{
  ProcessTrace one = process_of({{instant(1, 0)}}), other = process_of({{instant(1, 0)}});
  other.pid = 200;
  other.names[0] = "unload";
  other.threads[0].name = "other";
  const auto trace = decode_perfetto(perfetto_trace({one, other}));
  EXPECT_EQ(trace.seen.faults, Faults{});
  EXPECT_EQ(trace.seen.track("worker0").instants.at(0).name, "load");
  EXPECT_EQ(trace.seen.track("other").instants.at(0).name, "unload");
}

TEST(Perfetto, NamesThatAreNotUtf8AreMended)
{
  ProcessTrace process = process_of({{instant(1, 0)}});
  process.names[0] =
    "a\xff"
    "b";
  process.threads[0].name = "\xc3";
  const auto trace = decode_perfetto(perfetto_trace({process}));
  EXPECT_EQ(
    trace.seen.track("\xef\xbf\xbd").instants.at(0).name,
    "a\xef\xbf\xbd"
    "b");
}

TEST(Perfetto, AnyTimesMakeATraceThatViewersTake)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, true);
  for (std::uint64_t round = 0; round < rounds(3000); ++round) {
    const auto trace = decode_perfetto(perfetto_trace(traces.next()));
    ASSERT_EQ(trace.seen.faults, Faults{}) << "round " << round << ", TAKT_TEST_SEED=" << seed();
  }
}

}  // namespace
}  // namespace takt_trace::test
