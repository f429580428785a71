// A model made from a trace with known properties.
#include "model/trace_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "takt_trace/observed_system.hpp"

namespace takt_trace
{
namespace
{

using enum RecordKind;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int64_t kMs = 1'000'000;

/// Two processes for a second. A timer of 10 ms publishes /x. A subscription in the other process
/// takes it at most 200 us later, works for 1 to 2 ms and publishes /y. The timer skips each 20th
/// period.
std::vector<ProcessTrace> system_trace(bool cpu)
{
  std::mt19937_64 random(1);
  std::vector<ProcessTrace> all(2);
  for (std::size_t i = 0; i < 2; ++i) {
    all[i].pid = 10 + static_cast<std::int64_t>(i);
    all[i].host = "car";
    all[i].began = 1'000 * kMs;
    all[i].ended = 2'000 * kMs;
    all[i].topics = {"/x", "/y"};
    all[i].threads.resize(1);
  }
  all[0].callbacks = {
    {"/a:timer(10ms)", "timer", "/a:group(0)", "front"},
    {"/a:sub(/parameter_events)", "subscription", "/a:group(0)", "front"}};
  all[1].callbacks = {{"/b:sub(/x)", "subscription", "/b:group(0)", "rear", false}};
  auto & front = all[0].threads[0].records;
  auto & rear = all[1].threads[0].records;
  std::int64_t sequence = 0;
  for (std::int64_t k = 0; k < 100; ++k) {
    if (k % 20 == 19) {
      continue;
    }
    const std::int64_t due = 1'000 * kMs + k * 10 * kMs;
    const std::int64_t start = due + static_cast<std::int64_t>(random() % 100'000);
    ++sequence;
    // The start before the gap drops the period, as in the core.
    front.push_back({start, run_start, 0, due, 0, k % 20 == 18 ? 1 : 0});
    front.push_back({start + kMs, publish, 0, 5, sequence, 0});
    front.push_back({start + kMs + 1000, run_end, 0, start - 10, cpu ? 400'000 : 0, 0});
    const std::int64_t arrival = start + kMs + (k == 50 ? 200'000 : 100'000);
    const std::int64_t work = kMs + (k % 11) * kMs / 10;
    rear.push_back({arrival + 10, take, 0, 5, sequence, 0});
    rear.push_back({arrival + 20, run_start, 0, arrival, 0, 0});
    rear.push_back({arrival + 20 + work, publish, 1, 6, sequence, 0});
    rear.push_back({arrival + 20 + work, run_end, 0, arrival, cpu ? work / 2 : 0, 0});
  }
  return all;
}

const takt_schedule::CallbackModel & callback(const takt_schedule::System & system, std::size_t i)
{
  return system.callbacks.at(i);
}

TEST(TraceReport, TheModelOfATraceHasItsPeriodsTimesTopicsAndPlaces)
{
  const auto traces = system_trace(false);
  EXPECT_FALSE(has_cpu_times(traces));
  ModelOptions options;
  options.keep_executor_names = true;
  options.between_processes = *longest_under_way(traces);
  const auto observed = observed_system(trace_report(traces), options);
  ASSERT_EQ(observed.system.callbacks.size(), 2U) << "a callback that did not run is omitted";
  const auto & timer = callback(observed.system, 0);
  EXPECT_EQ(timer.id, "/a:timer(10ms)");
  EXPECT_EQ(timer.executor, "front");
  EXPECT_EQ(timer.period, milliseconds(10)) << "also where periods were skipped";
  EXPECT_EQ(timer.publishes, std::vector<std::string>{"/x"});
  EXPECT_EQ(timer.time.worst, microseconds(1001));
  const auto & sub = callback(observed.system, 1);
  EXPECT_EQ(sub.executor, "rear");
  EXPECT_EQ(sub.triggers, std::vector<std::string>{"/x"});
  EXPECT_EQ(sub.publishes, std::vector<std::string>{"/y"});
  EXPECT_EQ(sub.time.worst, milliseconds(2));
  EXPECT_EQ(sub.time.best, milliseconds(1));
  EXPECT_FALSE(sub.time.histogram.empty());
  EXPECT_EQ(observed.system.communication.processes, microseconds(200));
  ASSERT_EQ(observed.system.groups.size(), 2U);
  EXPECT_EQ(observed.system.groups[1].kind, takt_core::GroupKind::reentrant);
  ASSERT_EQ(observed.system.chains.size(), 1U);
  EXPECT_EQ(
    observed.system.chains[0].options.path,
    (std::vector<std::string>{"/a:timer(10ms)", "/b:sub(/x)"}));
}

TEST(TraceReport, CpuTimesCountWhereTheTraceHasThem)
{
  const auto traces = system_trace(true);
  EXPECT_TRUE(has_cpu_times(traces));
  const auto observed = observed_system(trace_report(traces));
  EXPECT_EQ(callback(observed.system, 0).time.worst, microseconds(400));
  EXPECT_EQ(callback(observed.system, 1).time.worst, milliseconds(1));
}

TEST(TraceReport, WithoutTheSendersTraceATopicComesFromOutsideAndTheModelSaysSo)
{
  auto traces = system_trace(false);
  traces.erase(traces.begin());
  EXPECT_EQ(longest_under_way(traces), std::nullopt);
  const auto observed = observed_system(trace_report(traces));
  ASSERT_EQ(observed.system.callbacks.size(), 1U);
  const auto & sub = callback(observed.system, 0);
  EXPECT_TRUE(sub.triggers.empty());
  ASSERT_TRUE(sub.period.has_value());
  EXPECT_NE(sub.source.comment.find("its messages come from outside"), std::string::npos);
}

TEST(TraceReport, KeepsDeclaredChainsWhoseCallbacksRan)
{
  ModelOptions options;
  options.chains.resize(2);
  options.chains[0].options.name = "hot";
  options.chains[0].options.path = {"/a:timer(10ms)", "/b:sub(/x)"};
  options.chains[0].options.deadline = milliseconds(20);
  options.chains[1].options.name = "gone";
  options.chains[1].options.path = {"/a:timer(10ms)", "/c:sub(/y)"};
  const auto observed = observed_system(trace_report(system_trace(false)), options);
  ASSERT_EQ(observed.system.chains.size(), 1U);
  EXPECT_EQ(observed.system.chains[0].options.name, "hot");
  ASSERT_FALSE(observed.notes.empty());
  EXPECT_NE(
    observed.notes[0].find("'gone' is omitted: no observed process has its callback /c:sub(/y)"),
    std::string::npos)
    << observed.notes[0];
}

// /b publishes /y in each run of one subscription. The other subscription only stores its messages.
TEST(TraceReport, AChainThatGoesOnFromAStoredMessageMakesASet)
{
  auto traces = system_trace(false);
  traces[1].callbacks = {
    {"/b:sub(/x)", "subscription", "/b:group(0)", "rear"},
    {"/b:sub(/z)", "subscription", "/b:group(0)", "rear"},
    {"/c:sub(/y)", "subscription", "/c:group(0)", "rear"}};
  traces[0].callbacks.push_back({"/z:timer(10ms)", "timer", "/z:group(0)", "front"});
  traces[0].topics.push_back("/z");
  auto & front = traces[0].threads[0].records;
  auto & rear = traces[1].threads[0].records;
  for (std::int64_t k = 0; k < 90; ++k) {
    const std::int64_t at = 2'100 * kMs + k * 10 * kMs;
    front.push_back({at, run_start, 2, at, 0, 0});
    front.push_back({at + 1, publish, 2, 7, k + 1, 0});
    front.push_back({at + 2, run_end, 2, at, 0, 0});
    rear.push_back({at + 5, run_start, 1, at + 4, 0, 0});
    rear.push_back({at + 6, run_end, 1, at + 5, 0, 0});
    rear.push_back({at + 7, run_start, 2, at + 6, 0, 0});
    rear.push_back({at + 8, run_end, 2, at + 7, 0, 0});
  }
  ModelOptions options;
  options.chains.resize(1);
  options.chains[0].options.name = "stored";
  options.chains[0].options.path = {"/z:timer(10ms)", "/b:sub(/z)", "/c:sub(/y)"};
  const auto observed = observed_system(trace_report(traces), options);
  ASSERT_EQ(observed.system.chains.size(), 1U) << observed.notes.front();
  const auto & set = observed.system.callbacks.back();
  EXPECT_EQ(set.trigger, takt_schedule::Trigger::newest);
  EXPECT_EQ(set.triggers.size(), 2U);

  // Without such a publisher the chain has a gap, and the model names its place.
  options.chains[0].options.path = {"/z:timer(10ms)", "/c:sub(/y)"};
  const auto gap = observed_system(trace_report(traces), options);
  EXPECT_TRUE(gap.system.chains.empty());
  EXPECT_NE(gap.notes.front().find("/c:sub(/y) follows /z:timer(10ms)"), std::string::npos)
    << gap.notes.front();
}

TEST(TraceReport, MessagesThatTheHistoryLostCountInThePeriod)
{
  auto traces = system_trace(false);
  traces.erase(traces.begin());
  const auto before = *callback(observed_system(trace_report(traces)).system, 0).period;
  auto & records = traces[0].threads[0].records;
  records.insert(records.begin(), {records.front().time, callback_state, 0, 1, 0, 5});
  // Three messages are lost for each taken message.
  const std::int64_t end = records.back().time;
  records.push_back({end, callback_state, 0, 1, 0, 5 + 3 * 94});
  const auto observed = observed_system(trace_report(traces));
  const auto & sub = callback(observed.system, 0);
  EXPECT_NEAR(
    static_cast<double>(sub.period->count()), static_cast<double>(before.count()) / 4,
    static_cast<double>(before.count()) / 50);
  EXPECT_NE(sub.source.comment.find("LOST 282 of 377 messages"), std::string::npos)
    << sub.source.comment;
}

TEST(TraceReport, TimesThatNoClockHasAreRefused)
{
  EXPECT_EQ(impossible_time(system_trace(true)), "");
  const auto fault_of = [](auto change) {
    auto traces = system_trace(true);
    change(traces[1].threads[0].records);
    return impossible_time(traces);
  };
  for (const std::int64_t time : {INT64_MIN, INT64_MAX, INT64_MAX / 2}) {
    EXPECT_NE(fault_of([&](auto & records) { records[1].a = time; }), "") << "a release";
    EXPECT_NE(fault_of([&](auto & records) { records[3].b = time; }), "") << "a CPU time";
    EXPECT_NE(fault_of([&](auto & records) { records[3].time = time; }), "");
  }
}

TEST(TraceReport, AnyRecordsAreSafe)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    auto traces = system_trace(round % 2 == 0);
    for (ProcessTrace & trace : traces) {
      for (int i = 0; i < 50; ++i) {
        auto & records = trace.threads[0].records;
        const auto small = [&] { return static_cast<std::int64_t>(random() % 7); };
        records[random() % records.size()] = {
          small() * kMs,
          static_cast<RecordKind>(1 + random() % kMostRecordKind),
          static_cast<std::uint32_t>(small()),
          small() * kMs - 1,
          small(),
          small()};
      }
    }
    static_cast<void>(observed_system(trace_report(traces)));
    static_cast<void>(longest_under_way(traces));
  }
}

/// Runs of a timer with 1 ms of CPU time. They last for `length`, of which they wait 2 ms for a
/// core.
ProcessTrace runs_of(std::int64_t length, std::int64_t voluntary, bool kernel)
{
  ProcessTrace trace;
  trace.pid = 10;
  trace.host = "car";
  trace.began = 1'000 * kMs;
  trace.ended = 2'000 * kMs;
  trace.callbacks = {{"/a:timer(100ms)", "timer", "/a:group(0)", "front"}};
  auto & records = trace.threads.emplace_back().records;
  for (std::int64_t due = 1'000 * kMs; due < 2'000 * kMs; due += 100 * kMs) {
    records.push_back({due, run_start, 0, due, 0, 0});
    if (kernel) {
      records.push_back({due + length, kernel_wait, 0, 0, 2 * kMs, voluntary << 32});
    }
    records.push_back({due + length, run_end, 0, due, kMs, 0});
  }
  return trace;
}

std::chrono::nanoseconds sleep_in(ProcessTrace trace)
{
  return callback(observed_system(trace_report({std::move(trace)}), {}).system, 0).sleep;
}

TEST(TraceReport, ARunThatLeftItsCoreByItselfSleptForWhatIsNeitherWorkNorAWaitForACore)
{
  EXPECT_EQ(sleep_in(runs_of(10 * kMs, 1, true)), milliseconds(7));
  EXPECT_EQ(sleep_in(runs_of(10 * kMs, 0, true)), milliseconds(0)) << "the host had its core";
  EXPECT_EQ(sleep_in(runs_of(3 * kMs, 1, true)), milliseconds(0)) << "it was preempted only";
  EXPECT_EQ(sleep_in(runs_of(10 * kMs, 1, false)), milliseconds(9)) << "with the waits for a core";
}

TEST(TraceReport, ARunWithMuchWorkDoesNotHideThatAllRunsSleep)
{
  ProcessTrace trace = runs_of(10 * kMs, 1, false);
  Record & end = trace.threads[0].records[1];
  ASSERT_EQ(end.kind, run_end);
  end.time += 20 * kMs;
  end.b += 20 * kMs;
  EXPECT_EQ(sleep_in(std::move(trace)), milliseconds(9));
  trace = runs_of(10 * kMs, 1, false);
  trace.threads[0].records[1].b = 10 * kMs;
  EXPECT_EQ(sleep_in(std::move(trace)), milliseconds(0)) << "one run did not sleep";
}

}  // namespace
}  // namespace takt_trace
