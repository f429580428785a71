// A graph that loses, replaces and skips activations. The run's own records and its trace have the
// same runs, and give the same account.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "figures/figures.hpp"
#include "graph/graph_parse.hpp"
#include "run/run_graph.hpp"
#include "takt_trace/chain_accounts.hpp"
#include "takt_trace/chain_flow.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/trace_file.hpp"

namespace takt_workload
{
namespace
{

// Fast's messages overwrite each other while Slow works. Slow's newest message stays in the fusion
// until Rare's message comes. Busy works for longer than its period.
constexpr const char * kOverloaded = R"(
version: 1
name: overloaded
nodes:
  - {name: Fast, kind: sensor, period: 3ms}
  - {name: Rare, kind: sensor, period: 40ms}
  - {name: Busy, kind: sensor, period: 10ms, work: 12ms}
  - {name: Slow, kind: transform, input: Fast, work: 8ms}
  - {name: Fusion, kind: fusion, inputs: [Slow, Rare], work: 1ms}
  - {name: Plan, kind: cyclic, period: 30ms, inputs: [Fusion], work: 1ms}
  - {name: End, kind: command, input: Plan}
  - {name: Done, kind: command, input: Busy}
chains:
  - {name: fast, path: [Fast, Slow, Fusion, Plan], deadline: 60ms, priority: 1}
  - {name: rare, path: [Rare, Fusion, Plan], deadline: 30ms, priority: 2}
  - {name: cycle, path: [Plan, End], deadline: 5ms, priority: 3}
  - {name: busy, path: [Busy, Done], deadline: 10ms, priority: 4}
)";

/// A run of a callback, as both the records and the trace have it.
struct Seen
{
  std::int64_t start = 0;
  std::string id{};
  std::int64_t tid = 0;
  std::int64_t release = 0;
  std::int64_t end = 0;
  std::uint32_t skipped = 0;
  std::uint64_t taken = 0;
  std::uint64_t taken_from = 0;
  std::uint64_t published = 0;

  friend auto operator<=>(const Seen &, const Seen &) = default;
  friend std::ostream & operator<<(std::ostream & out, const Seen & run)
  {
    return out << fmt::format(
             "{} on {}: released {}, {} to {}, {} skipped, took {} of {}, published {}", run.id,
             run.tid, run.release, run.start, run.end, run.skipped, run.taken, run.taken_from,
             run.published);
  }
};

std::vector<Seen> recorded_runs(const CallbackTable & table, const ProcessRecord & process)
{
  std::map<std::uint32_t, std::int64_t> tids;
  for (const ThreadRecord & thread : process.threads) {
    if (thread.executor) {
      tids[thread.number] = thread.tid;
    }
  }
  std::vector<Seen> all;
  for (const RunRecord & run : process.runs) {
    all.push_back(
      {takt_rt::to_ns(run.start), table.callbacks()[run.callback].id, tids.at(run.thread),
       takt_rt::to_ns(run.release), takt_rt::to_ns(run.end), run.skipped, run.taken, run.taken_from,
       run.published});
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Seen> traced_runs(const takt_trace::ProcessTrace & trace)
{
  std::vector<Seen> all;
  for (const takt_trace::TracedThread & thread : trace.threads) {
    takt_trace::Record take, start;
    std::uint64_t published = 0;
    for (const takt_trace::Record & record : thread.records) {
      switch (record.kind) {
        case takt_trace::RecordKind::take:
          take = record;
          break;
        case takt_trace::RecordKind::run_start:
          start = record;
          published = 0;
          break;
        case takt_trace::RecordKind::publish:
          published = static_cast<std::uint64_t>(record.b);
          break;
        case takt_trace::RecordKind::run_end:
          all.push_back(
            {start.time, trace.callbacks.at(record.id).id, thread.tid, start.a, record.time,
             static_cast<std::uint32_t>(takt_trace::skipped_periods(start)),
             static_cast<std::uint64_t>(take.b), static_cast<std::uint64_t>(take.a), published});
          take = {};
          break;
        default:
          break;
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(TraceAccount, IsThatOfTheRunsOwnRecords)
{
  takt_trace::RecordingOptions recording;
  recording.folder = testing::TempDir();
  ASSERT_TRUE(takt_trace::start_recording(recording).ok());
  RunOptions options;
  options.order = takt_core::Order::fifo;
  options.threads = 3;
  options.witness = false;
  options.warmup = std::chrono::milliseconds(300);
  options.duration = std::chrono::milliseconds(1500);
  const auto parsed = parse_graph(kOverloaded, "overloaded");
  ASSERT_TRUE(parsed.ok());
  const Graph graph = prepared(*parsed, options);
  const std::vector<ProcessRecord> records = run_graph(graph, options, {}, nullptr);
  const auto file = takt_trace::stop_recording();
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(records.front().error, "");
  ASSERT_EQ(file->dropped, 0u);
  auto traces = takt_trace::read_traces(file->path);
  std::filesystem::remove(file->path);
  ASSERT_TRUE(traces.ok());
  const std::vector<Seen> runs = recorded_runs(CallbackTable(graph), records.front());
  EXPECT_GT(runs.size(), 500u);
  EXPECT_EQ(traced_runs(traces->front()), runs);

  takt_trace::add_chains_across_processes(*traces);

  const Analysis analysis = analyse(graph, records);
  const auto accounts = takt_trace::chain_accounts(
    *traces, takt_trace::AccountedTime{
               takt_rt::to_ns(analysis.measured_from), takt_rt::to_ns(analysis.measured_to),
               takt_rt::to_ns(analysis.observed_to)});
  std::uint64_t lost = 0, superseded = 0, skipped = 0;
  for (std::size_t i = 0; i < graph.chains.size(); ++i) {
    const std::string & name = graph.chains[i].name;
    SCOPED_TRACE(name);
    const auto found = std::find_if(
      accounts.begin(), accounts.end(), [&](const auto & one) { return one.chain.name == name; });
    ASSERT_NE(found, accounts.end());
    ASSERT_TRUE(found->account) << found->why;
    const ChainFigures & own = analysis.chains[i];
    EXPECT_EQ(found->account->released, own.released);
    EXPECT_EQ(found->account->completed, own.completed);
    EXPECT_EQ(found->account->late, own.late);
    EXPECT_EQ(found->account->lost, own.lost);
    EXPECT_EQ(found->account->superseded, own.superseded);
    EXPECT_EQ(found->account->unfinished, own.unfinished);
    EXPECT_EQ(found->account->overdue, own.overdue);
    EXPECT_EQ(found->account->skipped, own.skipped);
    EXPECT_EQ(found->account->missed, own.missed_deadlines);
    EXPECT_GT(own.completed, 0u);
    lost += own.lost;
    superseded += own.superseded;
    skipped += own.skipped;
  }
  EXPECT_GT(lost, 0u);
  EXPECT_GT(superseded, 0u);
  EXPECT_GT(skipped, 0u);
}

}  // namespace
}  // namespace takt_workload
