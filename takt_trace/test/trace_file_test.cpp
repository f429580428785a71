#include "takt_trace/trace_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sstream>

namespace takt_trace
{
namespace
{

std::uint64_t from_environment(const char * name, std::uint64_t otherwise)
{
  const char * const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

ProcessTrace some_trace()
{
  ProcessTrace trace;
  trace.pid = 7;
  trace.program = "/opt/robot/fusion";
  trace.host = "car";
  trace.to_realtime = 1'700'000'000'000'000'000;
  trace.to_boottime = 5;
  trace.began = 100;
  trace.ended = 200;
  trace.callbacks = {{"/a:timer(1s)", "timer", "/a:group(0)", "main"}, {"/b:sub(/x)", "", "", ""}};
  trace.chains = {{"hot", 90, 5'000'000, {"/a:timer(1s)", "/b:sub(/x)"}}};
  trace.topics = {"/x"};
  trace.names = {"segment \xff"};
  trace.threads = {{11, "hot.0", "main", 2, {}}, {12, "main", "", 0, {}}};
  trace.threads[0].records = {
    {100, RecordKind::take, UINT32_MAX, -5, 3, 99}, {101, RecordKind::run_start, 1, 90, 0, 2},
    {101, RecordKind::callback_state, 1, 4, 90, 7}, {120, RecordKind::parked, 0, 0, 0, 0},
    {150, RecordKind::chain_end, 0, 90, 0, 0},      {150, RecordKind::run_end, 1, 101, 0, 0},
    {160, RecordKind::take, UINT32_MAX, 1, 1, 1}};
  trace.threads[1].records = {
    {120, RecordKind::counter, 0, 42, 0, 0}, {130, RecordKind::host_stall, 3, 110, 130, 1}};
  return trace;
}

takt_rt::Result<ProcessTrace> decode_trace(const std::string & bytes)
{
  auto traces = decode_traces(bytes);
  if (!traces) {
    return traces.faults();
  }
  EXPECT_EQ(traces->size(), 1U);
  return std::move(traces->front());
}

std::string bytes_of(const ProcessTrace & trace)
{
  TraceEncoder encoder;
  std::string bytes = TraceEncoder::header() + encoder.names(trace);
  for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
    bytes += TraceEncoder::records(i, trace.threads[i].dropped, trace.threads[i].records);
  }
  return bytes;
}

TEST(TraceFile, ComesOutAsItWentIn)
{
  const ProcessTrace trace = some_trace();
  const auto read = decode_trace(bytes_of(trace));
  ASSERT_TRUE(read.ok()) << read.faults().front();
  EXPECT_EQ(read->pid, 7);
  EXPECT_EQ(read->program, trace.program);
  EXPECT_EQ(read->to_realtime, trace.to_realtime);
  EXPECT_EQ(read->ended, 200);
  ASSERT_EQ(read->callbacks.size(), 2U);
  EXPECT_EQ(read->callbacks[0].group, "/a:group(0)");
  ASSERT_EQ(read->chains.size(), 1U);
  EXPECT_EQ(read->chains[0].path, trace.chains[0].path);
  ASSERT_EQ(read->threads.size(), 2U);
  EXPECT_EQ(read->threads[0].dropped, 2U);
  EXPECT_EQ(read->threads[0].records[1], trace.threads[0].records[1]);
  EXPECT_EQ(read->threads[1].records, trace.threads[1].records);
}

TEST(TraceFile, ATakeIsOfTheRunThatStartsNext)
{
  const auto read = decode_trace(bytes_of(some_trace()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->threads[0].records[0].id, 1U);
  EXPECT_EQ(read->threads[0].records[6].id, UINT32_MAX) << "the trace ends before its run";
}

TEST(TraceFile, AnActivationEndsOnceWhicheverThreadIsFirst)
{
  ProcessTrace trace = some_trace();
  const auto end = [](std::int64_t time, std::int64_t release) {
    return Record{time, RecordKind::chain_end, 0, release, 0, 0};
  };
  trace.threads[0].records = {end(150, 90), end(160, 91), end(170, 90)};
  trace.threads[1].records = {end(140, 90), end(160, 91), end(180, 92)};
  const auto read = decode_trace(bytes_of(trace));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->threads[0].records, (std::vector{end(160, 91)}));
  EXPECT_EQ(read->threads[1].records, (std::vector{end(140, 90), end(180, 92)}));
}

TEST(TraceFile, AChainWhoseValuesChangedIsOneChainWithTheLastValues)
{
  ProcessTrace trace = some_trace();
  const std::vector<std::string> path = trace.chains[0].path;
  trace.chains.push_back({"other", 1, 0, path});
  trace.chains.push_back({"hot", 20, 7'000'000, path});
  trace.threads[0].records.push_back({170, RecordKind::chain_end, 2, 110, 0, 0});
  const auto read = decode_trace(bytes_of(trace));
  ASSERT_TRUE(read.ok()) << read.faults().front();
  ASSERT_EQ(read->chains.size(), 2U);
  EXPECT_EQ(read->chains[0].name, "hot");
  EXPECT_EQ(read->chains[0].priority, 20);
  EXPECT_EQ(read->chains[0].deadline, 7'000'000);
  EXPECT_EQ(read->chains[1].name, "other");
  std::vector<std::uint32_t> ended;
  for (const Record & record : read->threads[0].records) {
    if (record.kind == RecordKind::chain_end) {
      ended.push_back(record.id);
    }
  }
  EXPECT_EQ(ended, (std::vector<std::uint32_t>{0, 0}));
}

TEST(TraceFile, TellsEachNameOnce)
{
  ProcessTrace trace = some_trace();
  TraceEncoder encoder;
  std::string bytes = TraceEncoder::header() + encoder.names(trace);
  EXPECT_EQ(encoder.names(trace), "") << "nothing is new";
  trace.names.emplace_back("later");
  bytes += encoder.names(trace);
  const auto read = decode_trace(bytes);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->names.size(), 2U);
  EXPECT_EQ(read->names[1], "later");
  EXPECT_EQ(read->callbacks.size(), 2U);
}

TEST(TraceFile, FilesOfTheFirstVersionAreReadAndTellNoCore)
{
  std::string bytes = bytes_of(some_trace());
  bytes.replace(0, 8, "TAKTTRC1");
  const auto read = decode_trace(bytes);
  ASSERT_TRUE(read.ok()) << read.faults().front();
  EXPECT_EQ(core_of(read->threads[0].records[1]), -1);
  EXPECT_EQ(skipped_periods(read->threads[0].records[1]), 2);
}

TEST(TraceFile, ARunStartTellsItsSkippedPeriodsAndItsCore)
{
  for (const std::uint32_t skipped : {0U, 7U, UINT32_MAX}) {
    for (const int core : {-1, 0, 5, 1023}) {
      const Record start{1, RecordKind::run_start, 0, 0, 0, start_facts(skipped, core)};
      EXPECT_EQ(skipped_periods(start), skipped);
      EXPECT_EQ(core_of(start), core);
    }
  }
}

TEST(TraceFile, TellsTheStateOfTheRealtimeClockIfThatIsKnown)
{
  ProcessTrace trace = some_trace();
  EXPECT_EQ(decode_trace(bytes_of(trace))->realtime_clock, std::nullopt);
  trace.realtime_clock = {true, 1'500'000, 20'000};
  EXPECT_EQ(decode_trace(bytes_of(trace))->realtime_clock, trace.realtime_clock);
}

TEST(TraceFile, TellsWhetherItsProcessWatchedForStalls)
{
  ProcessTrace trace = some_trace();
  EXPECT_FALSE(decode_trace(bytes_of(trace))->witnessed);
  trace.witnessed = true;
  EXPECT_TRUE(decode_trace(bytes_of(trace))->witnessed);
}

TEST(TraceFile, HasEachKindOfRecordAndSkipsThoseOfLaterVersions)
{
  ProcessTrace trace = some_trace();
  std::vector<Record> known;
  for (std::uint8_t kind = 1; kind <= kMostRecordKind; ++kind) {
    known.push_back({100, static_cast<RecordKind>(kind), 1, 2, 3, 4});
  }
  std::vector<Record> all = known;
  const auto later = static_cast<RecordKind>(kMostRecordKind + 1);
  all.insert(all.begin() + 5, {100, later, 1, 2, 3, 4});
  all.push_back({100, static_cast<RecordKind>(255), 1, 2, 3, 4});
  trace.threads[1].records = all;
  const auto read = decode_trace(bytes_of(trace));
  ASSERT_TRUE(read.ok()) << read.faults().front();
  EXPECT_EQ(read->threads[1].records, known);
}

TEST(TraceFile, HoldsSeveralProcesses)
{
  ProcessTrace other = some_trace();
  other.pid = 8;
  other.callbacks[0].exclusive = false;
  const auto read = decode_traces(encode_traces({some_trace(), other}));
  ASSERT_TRUE(read.ok()) << read.faults().front();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].pid, 7);
  EXPECT_EQ((*read)[1].pid, 8);
  EXPECT_TRUE((*read)[0].callbacks[0].exclusive);
  EXPECT_FALSE((*read)[1].callbacks[0].exclusive);
  EXPECT_EQ((*read)[0].threads[1].records, (*read)[1].threads[1].records);
  EXPECT_EQ(decode_traces(encode_traces({}))->size(), 1U);
}

TEST(TraceFile, ManyRecordsOfAThreadAreSeveralChunks)
{
  ProcessTrace trace = some_trace();
  trace.threads[0].records.clear();
  trace.threads[0].dropped = 3;
  std::vector<Record> & records = trace.threads[1].records;
  records.clear();
  for (std::int64_t time = 1; time <= 10; ++time) {
    records.push_back({time, RecordKind::instant, 0, 0, 0, 0});
  }
  for (const std::size_t most : {1U, 3U, 5U, 10U, 11U}) {
    std::ostringstream out;
    write_traces({trace}, out, most);
    const auto read = decode_traces(out.str());
    ASSERT_TRUE(read.ok()) << read.faults().front();
    EXPECT_EQ(read->front().threads[1].records, records);
    EXPECT_EQ(read->front().threads[0].dropped, 3U);
    const std::size_t chunks = (records.size() + most - 1) / most;
    std::ostringstream whole;
    write_traces({trace}, whole);
    constexpr std::size_t kHeads = 24;  // of the chunk and of its records
    EXPECT_EQ(out.str().size(), whole.str().size() + kHeads * (chunks - 1));
  }
}

TEST(TraceFile, IsReadUpToWhereTheProcessDied)
{
  const std::string bytes = bytes_of(some_trace());
  for (std::size_t length = TraceEncoder::header().size(); length < bytes.size(); ++length) {
    const auto read = decode_trace(bytes.substr(0, length));
    ASSERT_TRUE(read.ok()) << length << ": " << read.faults().front();
  }
}

TEST(TraceFile, SaysWhatIsNoTrace)
{
  for (const std::string bytes : {"", "TAKT", "PNG89345"}) {
    const auto read = decode_trace(bytes);
    ASSERT_FALSE(read.ok()) << bytes;
    EXPECT_NE(to_string(read.faults().front()).find("no trace of takt"), std::string::npos);
  }
  const auto orphan = decode_trace(TraceEncoder::header() + TraceEncoder::records(0, 0, {}));
  ASSERT_FALSE(orphan.ok());
  EXPECT_NE(to_string(orphan.faults().front()).find("thread 0"), std::string::npos);
  EXPECT_FALSE(read_traces("/nowhere/at.all").ok());
}

TEST(TraceFile, NoBytesDoHarm)
{
  std::mt19937_64 random(from_environment("TAKT_TEST_SEED", 1));
  const std::uint64_t rounds = 3000 * from_environment("TAKT_TEST_ROUNDS", 1);
  const std::string good = bytes_of(some_trace());
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::string bytes = good;
    for (std::uint64_t changes = random() % 8; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) {
      bytes.insert(random() % bytes.size(), random() % 64, static_cast<char>(random()));
    }
    const auto read = decode_traces(bytes);
    if (read.ok()) {
      std::size_t records = 0;
      for (const ProcessTrace & trace : *read) {
        for (const TracedThread & thread : trace.threads) {
          records += thread.records.size();
        }
      }
      EXPECT_LE(records * 40, bytes.size());
    }
  }
}

}  // namespace
}  // namespace takt_trace
