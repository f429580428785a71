#include "takt_schedule/process_threads.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using test::Strings;
using test::with_main;

/// A thread with an OS name that does nothing until the end of the test.
class NamedThread
{
public:
  explicit NamedThread(const char * name)
  : thread_([this, name] {
      ::pthread_setname_np(::pthread_self(), name);
      tid_ = ::gettid();
      named_.count_down();
      end_.wait();
    })
  {
    named_.wait();
  }
  ~NamedThread()
  {
    end_.count_down();
    thread_.join();
    // The kernel lists a joined thread for a moment.
    const std::string listed = "/proc/self/task/" + std::to_string(tid_);
    while (::access(listed.c_str(), F_OK) == 0) {
      std::this_thread::yield();
    }
  }
  NamedThread(const NamedThread &) = delete;
  NamedThread & operator=(const NamedThread &) = delete;
  pid_t tid() const { return tid_; }

private:
  std::latch named_{1};
  std::latch end_{1};
  pid_t tid_ = 0;
  std::thread thread_;
};

ProcessThreads process_threads(const std::string & rules)
{
  auto result = ProcessThreads::create(
    test::parse(with_main("threads: {t: }\ndefault: t\nprocess_threads:\n" + rules)), "main");
  EXPECT_TRUE(result.ok());
  return std::move(result.value());
}

TEST(ProcessThreads, GetTheAttributesOfTheRuleThatMatchesTheirName)
{
  const NamedThread udp("dds.udp.7412");
  const NamedThread event("dds.ev.0");
  const NamedThread other("worker");
  auto threads = process_threads("  - {match: \"dds.*\", nice: 7}\n  - {match: dds.ev.0, nice: 9}");
  const ProcessThreadsReport report = threads.apply();
  EXPECT_EQ(sentences(report.faults), Strings{});
  ASSERT_EQ(report.threads.size(), 2U);
  // The kernel lists threads by number, and numbers restart from the smallest.
  const std::size_t first = udp.tid() < event.tid() ? 0 : 1;
  const MatchedThread & matched = report.threads[first];
  EXPECT_EQ(matched.tid, udp.tid());
  EXPECT_EQ(matched.name, "dds.udp.7412");
  EXPECT_EQ(matched.line, 7);
  EXPECT_TRUE(matched.changed);
  EXPECT_EQ(report.threads[1 - first].line, 8) << "an exact name beats a pattern";
  EXPECT_EQ(takt_rt::read_attributes(udp.tid()).nice, 7);
  EXPECT_EQ(takt_rt::read_attributes(event.tid()).nice, 9);
  EXPECT_EQ(takt_rt::read_attributes(other.tid()).nice, takt_rt::read_attributes().nice);
}

TEST(ProcessThreads, KeepWhatTheRuleDoesNotName)
{
  const NamedThread thread("dds.x");
  ASSERT_TRUE(
    takt_rt::apply({.policy = takt_rt::Policy::batch, .nice = 8}, thread.tid()).granted_all());
  const int core = takt_rt::usable_cores().front();
  auto threads = process_threads("  - {match: dds.x, cores: [" + std::to_string(core) + "]}");
  EXPECT_EQ(sentences(threads.apply().faults), Strings{});
  const takt_rt::ThreadAttributes has = takt_rt::read_attributes(thread.tid());
  EXPECT_EQ(has.policy, takt_rt::Policy::batch);
  EXPECT_EQ(has.nice, 8);
  EXPECT_EQ(has.cores, std::vector<int>{core});
  const ProcessThreadsReport again = threads.apply();
  ASSERT_EQ(again.threads.size(), 1U);
  EXPECT_FALSE(again.threads[0].changed);
}

TEST(ProcessThreads, AreLeftAloneWhenTheyHaveEverythingAlready)
{
  const NamedThread thread("dds.x");
  auto threads = process_threads("  - {match: \"dds.*\", nice: 7}");
  EXPECT_TRUE(threads.apply().threads.at(0).changed);
  const ProcessThreadsReport again = threads.apply();
  ASSERT_EQ(again.threads.size(), 1U);
  EXPECT_FALSE(again.threads[0].changed);
  EXPECT_EQ(again.threads[0].report.granted.nice, 7);
}

TEST(ProcessThreads, ThatCameLaterAreFoundByTheNextCall)
{
  auto threads = process_threads("  - {match: \"dds.*\", nice: 7}");
  EXPECT_EQ(
    sentences(threads.apply().unmatched_rules),
    Strings{"s.yaml:7:9: pattern 'dds.*' matches no thread of this process"});
  {
    const NamedThread thread("dds.x");
    EXPECT_EQ(threads.apply().threads.size(), 1U);
  }
  EXPECT_EQ(sentences(threads.apply().unmatched_rules), Strings{}) << "it has matched once";
}

TEST(ProcessThreads, OfTheExecutorAreNeverTouched)
{
  const NamedThread own("dds.x");
  auto threads = process_threads("  - {match: \"dds.*\", nice: 7}");
  const pid_t exclude[] = {own.tid()};
  EXPECT_TRUE(threads.apply(exclude).threads.empty());
  EXPECT_NE(takt_rt::read_attributes(own.tid()).nice, 7);
}

TEST(ProcessThreads, ForWhichTwoRulesTieAreAFaultAndLeftAlone)
{
  const NamedThread thread("ab");
  auto threads = process_threads("  - {match: \"a*\", nice: 7}\n  - {match: \"*b\", nice: 8}");
  const ProcessThreadsReport report = threads.apply();
  EXPECT_EQ(
    sentences(report.faults),
    Strings{
      "s.yaml:8:9: thread 'ab' is matched equally well by 'a*' (line 7) and '*b' (line 8); make "
      "one of them more specific"});
  EXPECT_TRUE(report.threads.empty());
}

TEST(ProcessThreads, RefusalsAreFaultsWithTheThreadAndTheLine)
{
  const NamedThread thread("dds.x");
  // The schedule was parsed for this core, which the machine does not have.
  auto threads = ProcessThreads::create(
    test::parse(
      with_main("threads: {t: }\ndefault: t\nprocess_threads:\n  - {match: dds.x, cores: [4000]}"),
      test::machine(4001)),
    "main");
  const ProcessThreadsReport report = threads->apply();
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_TRUE(to_string(report.faults[0])
                .starts_with("s.yaml:7:9: thread 'dds.x' (" + std::to_string(thread.tid()) + "): "))
    << report.faults[0];
  EXPECT_EQ(report.faults[0].kind, takt_rt::FaultKind::process_threads);
  EXPECT_EQ(report.faults[0].line, 7);
  ASSERT_TRUE(report.faults[0].refusal.has_value());
  EXPECT_EQ(report.faults[0].refusal->thread, "dds.x");
  EXPECT_EQ(report.faults[0].refusal->tid, thread.tid());
  EXPECT_EQ(report.faults[0].refusal->attribute, takt_rt::RefusedAttribute::cores);
  EXPECT_EQ(report.faults[0].refusal->right, takt_rt::MissingRight::invalid);
}

TEST(ProcessThreads, WithoutRulesDoNothing)
{
  auto threads =
    ProcessThreads::create(test::parse(with_main("threads: {t: }\ndefault: t")), "main");
  EXPECT_TRUE(threads->apply().threads.empty());
}

}  // namespace
}  // namespace takt_schedule
