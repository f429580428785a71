// The warnings beside the figures: each warning once, and only warnings about this run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "figures/results.hpp"
#include "records/record_io.hpp"
#include "run/refusals.hpp"

namespace takt_workload
{

namespace
{

using Strings = std::vector<std::string>;

using takt_rt::Fault;
using takt_rt::FaultKind;
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::Refusal;
using takt_rt::RefusedAttribute;
using takt_rt::ThreadAttributes;

// The sentence that names the limit also says how to get rights for one priority.
std::string why()
{
  return "CAP_SYS_NICE is missing and RLIMIT_RTPRIO is 0; add '- rtprio 98' for this user in "
         "/etc/security/limits.d and log in again, or grant CAP_SYS_NICE "
         "(AmbientCapabilities=CAP_SYS_NICE in the systemd unit that starts the program; docker "
         "--cap-add=SYS_NICE)";
}

Refusal refused(ThreadAttributes asked, MissingRight right, const std::string & name = "")
{
  Refusal refusal;
  refusal.attribute =
    asked.policy == Policy::inherit ? RefusedAttribute::nice : RefusedAttribute::policy;
  refusal.error = EPERM;
  refusal.right = right;
  refusal.thread = name;
  refusal.asked = std::move(asked);
  refusal.limit = 0;
  return refusal;
}

Refusal refused(int priority, const std::string & name = "", pid_t tid = 0)
{
  Refusal refusal = refused(
    ThreadAttributes{.policy = Policy::fifo, .priority = priority}, MissingRight::rlimit_rtprio,
    name);
  refusal.tid = tid;
  return refusal;
}

// A fault as rules for threads of the process give it.
Fault of_process_thread(Fault fault, const std::string & name, pid_t tid)
{
  fault.kind = FaultKind::process_threads;
  fault.file = "/a b/s.yaml";
  fault.line = 7;
  fault.column = 3;
  fault.place = "thread '" + name + "' (" + std::to_string(tid) + ")";
  return fault;
}

Fault with_fallback(int priority)
{
  Fault fault = refused(priority);
  fault.text = "the schedule's fallback is x";
  return fault;
}

ThreadRecord thread(
  const std::string & name, const ThreadAttributes & granted, const takt_rt::Faults & faults = {})
{
  ThreadRecord record;
  record.name = name;
  record.executor = name.find("witness") == std::string::npos;
  record.granted = granted;
  record.faults = faults;
  return record;
}

Strings warnings(const std::vector<ProcessRecord> & processes)
{
  Host host;
  host.rt_runtime_us = 950'000;
  host.rt_period_us = 1'000'000;
  return warnings_of({}, host, processes, {});
}

TEST(Warnings, OneRightThatIsMissingIsOneSentenceForAllThreads)
{
  ProcessRecord process;
  process.threads = {
    thread("rest.0", {.policy = Policy::other, .nice = 9, .cores = {0}}, {with_fallback(30)}),
    thread("rest.1", {.policy = Policy::other, .nice = 9, .cores = {1}}, {with_fallback(30)}),
    thread("planner", {.policy = Policy::other}, {refused(60)})};
  process.warnings = {
    of_process_thread(refused(50, "dds.ev", 12), "dds.ev", 12),
    of_process_thread(refused(50, "dds.udp", 13), "dds.udp", 13)};
  EXPECT_EQ(
    warnings({process}),
    Strings{
      "rest.0, rest.1, planner, dds.ev, dds.udp: SCHED_FIFO priority 60, 50, 30 refused: " + why() +
      "; instead they run as other nice 9 (rest.0, rest.1), other (planner)"});
}

TEST(Warnings, ThreadsOfOneProcessOfSeveralAreNamedWithIt)
{
  ProcessRecord first;
  first.warnings = {of_process_thread(refused(50, "dds.ev", 12), "dds.ev", 12)};
  ProcessRecord second;
  second.process = 1;
  second.warnings = {of_process_thread(refused(50, "dds.ev", 13), "dds.ev", 13)};
  EXPECT_EQ(
    warnings({first, second}),
    Strings{"0/dds.ev, 1/dds.ev: SCHED_FIFO priority 50 refused: " + why()});
}

TEST(Warnings, TheMiddlewaresCeilingAndTheReferenceTimerAreNamedByTheirPlace)
{
  ProcessRecord process;
  process.warnings = {
    within("main: middleware ceiling", refused(7)), within("reference timer", refused(8))};
  EXPECT_EQ(
    warnings({process}),
    Strings{
      "main: middleware ceiling, reference timer: SCHED_FIFO priority 8, 7 refused: " + why()});
}

TEST(Warnings, ManyThreadsAreCounted)
{
  Refusals refusals;
  for (int i = 0; i < 12; ++i) {
    EXPECT_TRUE(refusals.take("t." + std::to_string(i), refused(7), "other"));
  }
  EXPECT_EQ(
    refusals.sentences(),
    Strings{
      "t.0, t.1, t.2, t.3, t.4, t.5, t.6, t.7 and 4 more: SCHED_FIFO priority 7 refused: " + why() +
      "; instead they run as other"});
}

TEST(Warnings, DifferentReasonsStayApart)
{
  Refusal cores = refused(7);
  cores.attribute = RefusedAttribute::cores;
  cores.right = MissingRight::invalid;
  cores.asked.cores = {0, 1, 2, 3};
  cores.online = "5";
  const auto nice = [](int value) {
    return refused(ThreadAttributes{.nice = value}, MissingRight::rlimit_nice);
  };
  Refusal in_force = refused(7);
  in_force.right = MissingRight::not_in_force;
  Refusals refusals;
  EXPECT_TRUE(refusals.take("a", refused(7)));
  EXPECT_TRUE(refusals.take("b", cores));
  EXPECT_TRUE(refusals.take("c", nice(-5)));
  EXPECT_TRUE(refusals.take("d", nice(-9)));
  EXPECT_FALSE(
    refusals.take("e", Fault("SCHED_FIFO priority 7 refused for this thread: by a sentence")));
  EXPECT_FALSE(refusals.take("f", in_force));
  EXPECT_FALSE(refusals.take(Fault("the schedule is odd")));
  const Strings said = refusals.sentences();
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(said[0], "a: SCHED_FIFO priority 7 refused: " + why());
  EXPECT_EQ(
    said[1],
    "b: cores 0-3 refused: none of them is online and in the process's cpuset; cores online: 5");
  EXPECT_TRUE(said[2].starts_with(
    "c, d: nice -9, -5 refused: CAP_SYS_NICE is missing and RLIMIT_NICE is 0; add '- nice -9'"))
    << said[2];
}

TEST(Warnings, RefusalsAreOfTheProgramThatRuns)
{
  takt_rt::Faults faults{refused(7), "no refusal"};
  name_program(faults, "'/a b/c'");
  EXPECT_NE(to_string(faults[0]).find("unit that starts '/a b/c';"), std::string::npos)
    << faults[0];
  EXPECT_EQ(faults[1], "no refusal");
  EXPECT_NE(own_program().find("warnings_test"), std::string::npos) << own_program();
}

// Names come from files, and may have any length.
TEST(Warnings, NoNameIsTooLong)
{
  const std::string name(1'000'000, 'x');
  ProcessRecord record;
  for (const pid_t tid : {7, 8}) {
    record.warnings.push_back(of_process_thread("late", name, tid));
  }
  record.warnings.push_back(of_process_thread("late", "a", 7));
  const auto said = warnings_of({}, {}, {record}, {});
  EXPECT_EQ(
    std::count(said.begin(), said.end(), to_string(record.warnings[0]) + " (and 2 more like this)"),
    1);
}

TEST(Warnings, RulesThatMatchNothingInOnePartOnlyAreNotTold)
{
  const Fault unmatched(FaultKind::unmatched, "'/a:w(0)' matches no callback");
  ProcessRecord first;
  first.warnings = {unmatched, Fault(FaultKind::session_nice, "not told here")};
  ProcessRecord second;
  second.process = 1;
  EXPECT_EQ(warnings({first, second}), Strings{});
  second.warnings = {unmatched, "of this part"};
  EXPECT_EQ(warnings({first, second}), (Strings{to_string(unmatched), "process 1: of this part"}));
}

TEST(Warnings, RefusalsInAnErrorArePutTogether)
{
  EXPECT_EQ(
    with_grouped_refusals("cannot spin", {refused(7, "a.0"), refused(7, "a.1")}),
    "cannot spin: a.0, a.1: SCHED_FIFO priority 7 refused: " + why());
  EXPECT_EQ(
    with_grouped_refusals("cannot spin", {refused(7, "a"), "main: no memory"}),
    "cannot spin:\n  main: no memory\n  a: SCHED_FIFO priority 7 refused: " + why());
  EXPECT_EQ(
    with_grouped_refusals("cannot spin", {within("main: thread a", refused(7, "a"))}),
    "cannot spin: main: thread a: SCHED_FIFO priority 7 refused for this thread: " + why());
}

// A part of a run writes values, not sentences. The whole run reads the values.
TEST(Warnings, SurviveTheRecordOfAPart)
{
  Refusal cores = refused(7, "x", 9);
  cores.attribute = RefusedAttribute::cores;
  cores.asked.cores = {1, 3};
  cores.granted = {.policy = Policy::deadline, .runtime = takt_rt::Duration(5), .name = "y"};
  cores.limit_of = -1;
  cores.online = "0-1";
  cores.program = "/p";
  ProcessRecord record;
  record.warnings = {of_process_thread(cores, "x", 9), Fault(FaultKind::unmatched, "u"), "plain"};
  record.threads = {
    thread("t", {.policy = Policy::other, .nice = 3, .cores = {1}}, {with_fallback(4)}),
    thread("witness.0", {.policy = Policy::fifo, .priority = 99})};
  record.threads[0].asked = ThreadAttributes{.policy = Policy::fifo, .priority = 4};
  const std::string file = testing::TempDir() + "/record_of_a_part";
  ASSERT_TRUE(write_record(file, record).ok());
  const auto read = read_record(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(read.ok()) << read.faults().front();
  EXPECT_EQ(read->warnings, record.warnings);
  ASSERT_EQ(read->threads.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->threads[i].asked, record.threads[i].asked);
    EXPECT_EQ(read->threads[i].granted, record.threads[i].granted);
    EXPECT_EQ(read->threads[i].faults, record.threads[i].faults);
  }
}

TEST(Warnings, ThrottlingConcernsOnlyRunsWithRealTimeThreads)
{
  const auto throttled = [](const Strings & all) {
    return std::any_of(all.begin(), all.end(), [](const std::string & one) {
      return one.find("are throttled after") != std::string::npos;
    });
  };
  ProcessRecord process;
  process.threads = {
    thread("a", {.policy = Policy::other}),
    thread("witness.0", {.policy = Policy::fifo, .priority = 99})};
  EXPECT_FALSE(throttled(warnings({process})));
  process.threads.push_back(thread("b", {.policy = Policy::fifo, .priority = 60, .cores = {1}}));
  EXPECT_TRUE(throttled(warnings({process})));
}

TEST(Warnings, ARunThatEndedInItsWarmUpHasNoFigures)
{
  const std::string text = results_table({}, {}, {}, {ProcessRecord{}}, {});
  EXPECT_NE(text.find("nothing was measured: it ended in its warm-up\n"), std::string::npos)
    << text;
  EXPECT_EQ(text.find("chains"), std::string::npos) << text;
}

}  // namespace

}  // namespace takt_workload
