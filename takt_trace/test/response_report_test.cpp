// The document of `takt_trace report`.
#include "report/response_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "flow/clocks.hpp"
#include "report/distribution.hpp"
#include "support/chain_traces.hpp"
#include "support/random_traces.hpp"

namespace takt_trace
{
namespace
{

using namespace test;  // NOLINT: its functions write the traces
using nlohmann::ordered_json;

/// The activation of support/chain_traces.hpp, `count` times, 1000 ns apart. Activation `late` is
/// 50 ns longer.
ProcessTrace repeated(std::size_t count, std::size_t late)
{
  std::vector<Record> root, last;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(i) * 1000;
    const auto number = static_cast<std::int64_t>(i) + 1;
    auto one = root_run(0);
    auto other = last_run(i == late ? 200 : 150, 1, {kernel_wait(180, kLast, 0, 0)}, 30);
    for (auto * records : {&one, &other}) {
      for (Record & record : *records) {
        record.time += at;
        if (record.kind == RecordKind::publish || record.kind == RecordKind::take) {
          record.b = number;
        } else if (record.kind != RecordKind::kernel_wait) {
          record.a += at;
        }
      }
    }
    root = root + one;
    last = last + other;
  }
  ProcessTrace trace = chain_process({root, last});
  trace.began = 50;
  trace.ended = static_cast<std::int64_t>(count) * 1000;
  return trace;
}

std::int64_t sum_of(const ordered_json & split)
{
  std::int64_t sum = 0;
  for (const auto & [name, part] : split.items()) {
    sum += part.get<std::int64_t>();
  }
  return sum;
}

TEST(ResponseReport, ToldOfAChainAreItsResponsesTheirSplitAndTheWorst)
{
  const ordered_json report = response_report({repeated(40, 7)});
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["began_ns"], 50);
  EXPECT_EQ(report["ended_ns"], 40'000);
  ASSERT_EQ(report["chains"].size(), 1U);
  const ordered_json & chain = report["chains"][0];
  EXPECT_EQ(chain["name"], "hot");
  EXPECT_EQ(chain["path"].size(), 2U);
  EXPECT_EQ(chain["deadline_ns"], 90);
  EXPECT_EQ(chain["activations"], 40);
  EXPECT_EQ(chain["missed"], 1);
  EXPECT_EQ(chain["unsplit"], 0);
  EXPECT_EQ(chain["response"]["min_ns"], 80);
  EXPECT_EQ(chain["response"]["max_ns"], 130);
  EXPECT_EQ(chain["response"]["p50_ns"], 80);
  EXPECT_EQ(chain["response"]["p99_ns"], nullptr);
  EXPECT_EQ(chain["responses"].size(), 40U);
  EXPECT_EQ(chain["responses"][7], ordered_json({7100 - 50, 130}));
  EXPECT_EQ(sum_of(chain["split"]), (40 * 80 + 50) / 40);
  ASSERT_EQ(chain["worst"].size(), 5U);
  const ordered_json & worst = chain["worst"][0];
  EXPECT_EQ(worst["response_ns"], 130);
  EXPECT_EQ(worst["release_ns"], 7050);
  EXPECT_EQ(sum_of(worst["split"]), 130);
  EXPECT_EQ(worst["split"]["core_ns"], 10 + 50);
  ASSERT_EQ(worst["steps"].size(), 2U);
  const ordered_json & step = worst["steps"][1];
  EXPECT_EQ(step["callback"], "/b:sub(/points)");
  EXPECT_EQ(step["pid"], 100);
  EXPECT_EQ(step["tid"], 101);
  EXPECT_EQ(step["thread"], "worker1");
  EXPECT_EQ(step["core"], 1);
  EXPECT_EQ(step["from_ns"], 7000 + 130 - 50);
  EXPECT_EQ(step["release_ns"], 7000 + 150 - 50);
  EXPECT_EQ(step["picked_ns"], 7000 + 200 - 50);
  EXPECT_EQ(step["start_ns"], 7000 + 205 - 50);
  EXPECT_EQ(step["end_ns"], 7000 + 230 - 50);
  EXPECT_EQ(
    step["blocked_by"],
    ordered_json::parse(R"([{"what": "the wake-up of the thread", "why": "core", "ns": 50}])"));
  ASSERT_EQ(worst["timeline"].size(), 2U);
  EXPECT_EQ(worst["timeline"][0]["callback"], "/a:timer(1s)");
  EXPECT_EQ(worst["timeline"][0]["start_ns"], 7000 + 110 - 50);
  EXPECT_TRUE(worst["timeline"][0]["own"]);
}

TEST(ResponseReport, AnActivationWhoseStepsAreNotInTheTraceCountsInTheResponsesOnly)
{
  ProcessTrace trace = repeated(3, 1);
  std::erase_if(trace.threads[1].records, [](const Record & record) {
    return record.kind == RecordKind::take && record.b == 2;
  });
  const ordered_json report = response_report({trace});
  const ordered_json & chain = report["chains"][0];
  EXPECT_EQ(chain["activations"], 3);
  EXPECT_EQ(chain["unsplit"], 1);
  EXPECT_EQ(chain["response"]["max_ns"], 130);
  EXPECT_EQ(sum_of(chain["split"]), 80);
  EXPECT_EQ(chain["worst"].size(), 2U);
}

TEST(ResponseReport, AChainThatNeverEndedIsThereAndSoIsOneThatEndsInTwoProcesses)
{
  ProcessTrace idle = chain_process({{}});
  const ordered_json none = response_report({idle});
  ASSERT_EQ(none["chains"].size(), 1U);
  EXPECT_EQ(none["chains"][0]["activations"], 0);
  EXPECT_EQ(none["chains"][0]["response"]["mean_ns"], nullptr);
  EXPECT_EQ(sum_of(none["chains"][0]["split"]), 0);
  const ordered_json two = response_report({repeated(3, 9), repeated(2, 9), idle});
  ASSERT_EQ(two["chains"].size(), 1U);
  EXPECT_EQ(two["chains"][0]["activations"], 5);
}

TEST(ResponseReport, LongTracesAreThinnedAndTheWorstStays)
{
  constexpr std::size_t kMany = 6001, kLate = 4444;
  ProcessTrace trace = repeated(kMany, kLate);
  // Add more runs beside the worst activation than a time line can show.
  const std::int64_t at = 1000 * static_cast<std::int64_t>(kLate);
  trace.threads.push_back({500, "busy", "main", 0, {}});
  for (std::int64_t i = 0; i < 400; ++i) {
    const std::int64_t time = at + 100 + i % 100;
    trace.threads.back().records.push_back(run_start(time, kNoise));
    trace.threads.back().records.push_back(run_end(time + (i == 99 ? 5 : 1), kNoise, time));
  }
  const ordered_json report = response_report({trace});
  const ordered_json & chain = report["chains"][0];
  ASSERT_EQ(chain["responses"].size(), 2000U);
  std::int64_t longest = 0, before = -1;
  for (const ordered_json & one : chain["responses"]) {
    longest = std::max(longest, one[1].get<std::int64_t>());
    EXPECT_GT(one[0].get<std::int64_t>(), before);
    before = one[0];
  }
  EXPECT_EQ(longest, 130);
  EXPECT_EQ(chain["response"]["p99_ns"], 80);
  const ordered_json & timeline = chain["worst"][0]["timeline"];
  ASSERT_EQ(timeline.size(), 300U);
  std::size_t own = 0, longer = 0;
  before = 0;
  for (const ordered_json & run : timeline) {
    own += run["own"].get<bool>() ? 1 : 0;
    longer += run["end_ns"].get<std::int64_t>() - run["start_ns"].get<std::int64_t>() == 5 ? 1 : 0;
    EXPECT_GE(run["start_ns"].get<std::int64_t>(), before);
    before = run["start_ns"];
  }
  EXPECT_EQ(own, 2U);
  EXPECT_EQ(longer, 1U);
}

TEST(ResponseReport, SaysWhatWasMeasured)
{
  ProcessTrace trace = repeated(3, 9);
  const auto measured = [&] { return response_report({trace})["measured"]; };
  EXPECT_EQ(measured(), ordered_json::parse(R"({"cpu": false, "kernel": false})"))
    << "the root has none";
  trace.threads[0].records.clear();
  EXPECT_EQ(measured(), ordered_json::parse(R"({"cpu": true, "kernel": true})"));
  // For chains that cross processes, the end is added right before the end of the run.
  auto & last = trace.threads[1].records;
  std::rotate(last.begin() + 2, last.begin() + 3, last.begin() + 4);
  ASSERT_EQ(last[3].kind, RecordKind::chain_end);
  EXPECT_EQ(measured()["kernel"], true);
  std::swap(last[2], last[3]);
  // Runs that were picked before the recording began have no measurements.
  trace.threads[1].records[4].b = 0;
  trace.threads[1].records.erase(trace.threads[1].records.begin() + 3);
  EXPECT_EQ(measured()["cpu"], false);
  EXPECT_EQ(measured()["kernel"], false);
  trace.began = 151;
  EXPECT_EQ(measured()["cpu"], true);
  EXPECT_EQ(measured()["kernel"], true);
}

TEST(ResponseReport, TellsOfCallbacksThreadsSpansAndProcesses)
{
  ProcessTrace trace = repeated(3, 9);
  trace.threads[0].dropped = 2;
  trace.threads[0].records =
    trace.threads[0].records + std::vector{
                                 span_begin(5000, 0), span_begin(5010, 1), span_end(5020),
                                 span_end(5030), span_begin(5040, 0)};
  const ordered_json report = response_report({trace});
  ASSERT_EQ(report["callbacks"].size(), 2U);
  const ordered_json & last = report["callbacks"][1];
  EXPECT_EQ(last["id"], "/b:sub(/points)");
  EXPECT_EQ(last["executor"], "main");
  EXPECT_EQ(last["count"], 3);
  EXPECT_EQ(last["execution"]["mean_ns"], 30);
  EXPECT_EQ(last["start_delay"]["max_ns"], 0);
  EXPECT_EQ(last["response"]["max_ns"], 30);
  EXPECT_EQ(last["cpu"]["min_ns"], 30);
  EXPECT_EQ(report["callbacks"][0]["cpu"], nullptr);
  ASSERT_EQ(report["threads"].size(), 2U);
  EXPECT_EQ(report["threads"][0]["runs"], 3);
  EXPECT_EQ(report["threads"][0]["busy_ns"], 90);
  ASSERT_EQ(report["slices"].size(), 2U) << report["slices"];
  std::set<std::string> spans;
  for (const ordered_json & slice : report["slices"]) {
    spans.insert(slice["name"]);
    EXPECT_EQ(slice["duration"]["count"], 1) << "one has no end";
  }
  EXPECT_EQ(spans, (std::set<std::string>{"load", "sort"}));
  EXPECT_EQ(report["processes"][0]["dropped"], 2);
  EXPECT_EQ(report["processes"][0]["threads"], 2);
  EXPECT_EQ(report["processes"][0]["records"], 9 + 15 + 5);
}

TEST(ResponseReport, TellsHowWellTheClocksOfHostsAgree)
{
  ProcessTrace here = repeated(1, 9), there = repeated(1, 9), again = there;
  there.host = again.host = "there";
  here.realtime_clock = {true, 500, 100};
  there.realtime_clock = {true, 700, 100};
  again.realtime_clock = {true, 900, 100};
  const auto hosts = [&] { return detail::host_clocks(borrowed({here, there, again})); };
  EXPECT_EQ(detail::join_uncertainty(hosts()), 500 + 900);
  EXPECT_EQ(detail::join_uncertainty(detail::host_clocks(borrowed({there, again}))), 0)
    << "one host";
  const ordered_json told = response_report({here, there, again})["hosts"];
  EXPECT_EQ(
    told[1],
    ordered_json::parse(R"({"name": "there", "clock_uncertainty_ns": 900, "synchronised": true})"));
  again.realtime_clock->synchronised = false;
  EXPECT_EQ(detail::join_uncertainty(hosts()), std::nullopt);
  EXPECT_EQ(hosts()[1].synchronised, false);
  EXPECT_EQ(hosts()[1].uncertainty, std::nullopt);
  again.realtime_clock.reset();
  EXPECT_EQ(hosts()[1].synchronised, std::nullopt) << "an old file tells nothing";
}

TEST(ResponseReport, TimesOfHostsAreJoinedByTheirRealtimeClocks)
{
  constexpr std::int64_t kApart = 5'000'000'000;
  ProcessTrace first = chain_process({root_run()});
  ProcessTrace second = chain_process({last_run(150)});
  second.host = "there";
  second.to_realtime = kApart;  // its monotonic clock began later
  second.began = -kApart;
  for (Record & record : second.threads[0].records) {
    record.time -= kApart;
    record.a -= record.kind == RecordKind::take ? 0 : kApart;
  }
  const ordered_json report = response_report({first, second});
  EXPECT_EQ(report["began_ns"], 0);
  const ordered_json & worst = report["chains"][0]["worst"];
  ASSERT_EQ(worst.size(), 1U);
  EXPECT_EQ(worst[0]["end_ns"], 180);
  EXPECT_EQ(worst[0]["steps"][1]["split"]["middleware_ns"], 25);
}

TEST(ResponseReport, APercentileNeedsTenValuesBeyondIt)
{
  const auto of = [](std::size_t count) {
    LongVector<std::int64_t> times;
    for (std::size_t i = 0; i < count; ++i) {
      times.push_back(static_cast<std::int64_t>(count - i));
    }
    return detail::distribution_json(times);
  };
  EXPECT_EQ(of(0)["count"], 0);
  EXPECT_EQ(of(0)["max_ns"], nullptr);
  EXPECT_EQ(of(19)["p50_ns"], nullptr);
  EXPECT_EQ(of(20)["p50_ns"], 10);
  EXPECT_EQ(of(999)["p99_ns"], nullptr);
  EXPECT_EQ(of(1000)["p99_ns"], 990);
  EXPECT_EQ(of(1000)["mean_ns"], 501) << "500.5, rounded";
  EXPECT_EQ(of(3)["stddev_ns"], 1);
}

}  // namespace
}  // namespace takt_trace
