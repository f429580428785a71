// Activations that never ended, in the document of `takt_trace report`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/response_report.hpp"
#include "support/account_traces.hpp"

namespace takt_trace
{
namespace
{

using namespace test;  // NOLINT: its functions write the traces
using nlohmann::ordered_json;

ordered_json told(TwoProcesses two)
{
  add_chains_across_processes(two.traces);
  return response_report(two.traces)["chains"][0];
}

TEST(AccountReport, HasKindPlaceAndReason)
{
  TwoProcesses two;
  two.a(1100, 1);
  two.whole(1200, 2);
  two.a(1300, 3);
  two.run(TwoProcesses::kB, 1310, 3);
  two.a(1400, 4, 1);
  two.run(TwoProcesses::kB, 1410, 4);
  two.a(1600, 5);
  const ordered_json chain = told(two);
  EXPECT_EQ(chain["activations"], 1);
  EXPECT_EQ(chain["missed"], 4);
  EXPECT_EQ(chain["account_why"], nullptr);
  const ordered_json expected = ordered_json::parse(R"json({
      "released": 6, "completed": 1, "late": 0, "lost": 1, "superseded": 1, "unfinished": 2,
      "overdue": 2, "skipped": 1,
      "stops": [
        {"kind": "lost", "callback": "/b:sub(/x)", "count": 1},
        {"kind": "overdue", "callback": "/b:sub(/x)", "count": 2},
        {"kind": "skipped", "callback": "/a:timer(100ns)", "count": 1},
        {"kind": "superseded", "callback": "/b:sub(/x)", "count": 1}],
      "stopped": [
        {"release_ns": 100, "kind": "lost", "callback": "/b:sub(/x)",
         "reason": "/b:sub(/x) took a later message of the publisher and not this one"},
        {"release_ns": 300, "kind": "superseded", "callback": "/b:sub(/x)",
         "reason": "a newer run of /b:sub(/x) replaced its data before the node published it"},
        {"release_ns": 400, "kind": "overdue", "callback": "/b:sub(/x)",
         "reason": "the node /b had not published its data when the trace ended"},
        {"release_ns": 500, "kind": "skipped", "callback": "/a:timer(100ns)",
         "reason": "the timer skipped this period"},
        {"release_ns": 600, "kind": "overdue", "callback": "/b:sub(/x)",
         "reason": "/b:sub(/x) had not taken the message when the trace ended"}]})json");
  EXPECT_EQ(chain["account"], expected);
}

TEST(AccountReport, SaysThatARunHadNotEnded)
{
  TwoProcesses two;
  two.whole(1100, 1);
  two.a(1980, 2);
  two.run(TwoProcesses::kB, 1985, 2, 0, false);
  const ordered_json stopped = told(two)["account"]["stopped"];
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0]["kind"], "unfinished");
  EXPECT_EQ(stopped[0]["reason"], "/b:sub(/x) still ran when the trace ended");
}

TEST(AccountReport, OfManyActivationsTheMissesComeFirst)
{
  TwoProcesses two;
  for (std::int64_t i = 0; i < 25; ++i) {
    two.a(1100 + 10 * i, 1 + i);
    two.run(TwoProcesses::kB, 1105 + 10 * i, 1 + i);
  }
  two.run(TwoProcesses::kOther, 1400, 1, 1);  // publishes for the last of them
  two.run(TwoProcesses::kC, 1410, 1);
  two.a(1500, 50);
  two.whole(1600, 51);
  const ordered_json account = told(two)["account"];
  EXPECT_EQ(account["superseded"], 24);
  EXPECT_EQ(account["lost"], 1);
  ASSERT_EQ(account["stopped"].size(), 20U);
  EXPECT_EQ(account["stopped"][0]["release_ns"], 100);
  EXPECT_EQ(account["stopped"][19]["kind"], "lost");
}

TEST(AccountReport, WithoutAnAccountOnlyLateActivationsAreMissed)
{
  TwoProcesses two;
  two.a(1100, 1);
  two.a(1200, 2);
  two.run(TwoProcesses::kB, 1210, 2, 2);
  two.run(TwoProcesses::kC, 1270, 2);
  two.traces[1].threads[0].dropped = 3;
  const ordered_json chain = told(two);
  EXPECT_EQ(chain["account"], nullptr);
  EXPECT_EQ(chain["account_why"], "records of fusion (pid 101) are missing");
  EXPECT_EQ(chain["missed"], 1);
}

}  // namespace
}  // namespace takt_trace
