// Traces that do not show how the activations of a chain went.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/account_traces.hpp"

namespace takt_trace
{
namespace
{

using namespace test;  // NOLINT: its functions write the traces
using Two = TwoProcesses;

/// The reason why the chain has no account.
std::string why(const Two & two)
{
  const ChainAccount chain = two.account();
  EXPECT_FALSE(chain.account);
  return chain.why;
}

TEST(NoAccount, MissingRecordsLeaveNoAccount)
{
  Two two = with_a_loss();
  two.traces[1].threads[1].dropped = 1;
  EXPECT_EQ(why(two), "records of fusion (pid 101) are missing");
  two = with_a_loss();
  two.traces.push_back({});
  two.traces.back().threads.resize(1);
  two.traces.back().threads[0].dropped = 1;
  EXPECT_EQ(counts(two), (Counts{.completed = 2, .lost = 1})) << "the chain is not in it";
}

TEST(NoAccount, ARunWithoutAMessageLeavesNoAccount)
{
  Two two = with_a_loss();
  two.run(Two::kB, 1400, 0, 4);
  EXPECT_EQ(why(two).find("the trace does not have all messages from /a to /b:sub(/x)"), 0U);
  two = with_a_loss();
  two.run(Two::kB, 990, 0, 0);  // it took its message before the trace began
  EXPECT_EQ(counts(two), (Counts{.completed = 2, .lost = 1}));
}

TEST(NoAccount, AMessageThatMayBeAnyPublishersLeavesNoAccount)
{
  Two two = with_a_loss();
  two.run(Two::kB, 1400, 9);
  two.traces[1].threads[0].records.end()[-3].a = 0;
  EXPECT_EQ(why(two).find("the trace does not have all messages from /a to /b:sub(/x)"), 0U);
}

TEST(NoAccount, MessagesWithinAnRclcppProcessLeaveNoAccount)
{
  Two two = with_a_loss();
  two.traces[1].callbacks.push_back({"/c:waitable(/y)", "waitable", "", "main"});
  EXPECT_EQ(why(two).find("the trace does not have all messages from /b to /c:sub(/y)"), 0U);
  two = with_a_loss();
  two.traces[1].callbacks.push_back({"/b:waitable(/x)", "waitable", "", "main"});
  EXPECT_EQ(counts(two), (Counts{.completed = 2, .lost = 1})) << "/a is in another process";
}

TEST(NoAccount, MessagesThatNoOneSawPublishedLeaveNoAccount)
{
  Two two;
  two.a(1100, 1);
  std::erase_if(two.traces[0].threads[0].records, [](const Record & record) {
    return record.kind == RecordKind::publish;
  });
  EXPECT_EQ(why(two), "the trace has no message from /a to /b:sub(/x)");
}

TEST(NoAccount, MessagesWithoutASequenceNumberAreToldApartByTheirSourceTimes)
{
  Two two = with_a_loss();
  const auto rename = [](Record & record) {
    if (record.kind == RecordKind::take || record.kind == RecordKind::publish) {
      record.c = 5000 + 10 * record.b + record.a;
      record.b = 0;
    }
  };
  for (ProcessTrace & trace : two.traces) {
    auto & records = trace.threads[0].records;
    std::for_each(records.begin(), records.end(), rename);
  }
  EXPECT_EQ(counts(two), (Counts{.completed = 2, .lost = 1}));
  two.traces[0].threads[0].records[4].c = 0;  // the lost message has no name
  EXPECT_EQ(why(two).find("the trace does not have all messages from /a to /b:sub(/x)"), 0U);
}

TEST(NoAccount, ATimerThatReadsOnLeavesNoAccount)
{
  Two two = with_a_loss();
  two.traces[1].callbacks[1].kind = "timer";
  EXPECT_EQ(why(two), "/c:sub(/y) is a timer: a trace does not tell which data it read");
}

TEST(NoAccount, CallbacksThatNoProcessOrSeveralHaveLeaveNoAccount)
{
  Two two = with_a_loss();
  two.traces.erase(two.traces.begin());
  EXPECT_EQ(why(two), "no process of the trace has /a:timer(100ns)");
  two = with_a_loss();
  two.traces.push_back(two.traces[0]);
  EXPECT_EQ(why(two), "several processes of the trace have /a:timer(100ns)");
}

TEST(NoAccount, ProcessesThatDidNotRecordAtTheSameTimeLeaveNoAccount)
{
  Two two = with_a_loss();
  two.traces[1].began = 2001;
  EXPECT_EQ(why(two), "its processes did not record at the same time");
}

}  // namespace
}  // namespace takt_trace
