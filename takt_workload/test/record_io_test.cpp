// A part's record in a file.
#include "records/record_io.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace takt_workload
{
namespace
{

using std::chrono::nanoseconds;
using takt_rt::from_ns;

struct File
{
  const std::string path = testing::TempDir() + "/record_io";
  ~File() { std::filesystem::remove(path); }
};

TEST(RecordIo, AValueComesBackAsItWasAndAnAbsentOneIsAbsent)
{
  ProcessRecord record;
  record.process = 3;
  record.epoch = from_ns(10);
  record.measured_from = from_ns(11);
  record.measured_to = from_ns(12);
  record.observed_to = from_ns(13);
  RunRecord run;
  run.callback = 1;
  run.thread = 2;
  run.process = 3;
  run.skipped = 4;
  run.release = from_ns(20);
  run.start = from_ns(21);
  run.end = from_ns(22);
  run.work_asked = nanoseconds(23);
  run.work_cpu = nanoseconds(24);
  run.slept = nanoseconds(25);
  run.work_end = from_ns(26);
  run.taken = 27;
  run.published = 28;
  run.taken_from = UINT64_MAX;
  record.runs = {run, {}};
  record.unrecorded_runs = 5;
  record.publishers = {{6, UINT64_MAX - 1}};
  record.counters = {{7, 8, 9}};
  record.timers = {{14, from_ns(15)}};
  record.originals = {
    {30, from_ns(31), true, nanoseconds(32), 33, from_ns(34), 35, nanoseconds(36)}};
  record.order = "fifo";
  record.executor_name = "main";
  record.middleware_ceiling = 40;
  record.phases.emplace();
  record.phases->disturbances = 41;
  record.phases->started = true;
  record.phases->holds_from = takt_rt::kNever;
  record.phases->last = {takt_core::Disturbance::restarted_process, "/a:sub(/x)", from_ns(42)};
  record.defaulted_callbacks = {"/b:sub(/y)"};
  record.schedule_fits = false;
  record.error = "ended";
  record.bad_input = true;
  const File file;
  ASSERT_TRUE(write_record(file.path, record).ok());
  const auto read = read_record(file.path);
  ASSERT_TRUE(read.ok()) << read.faults().front();

  EXPECT_EQ(read->process, 3U);
  EXPECT_EQ(read->epoch, from_ns(10));
  EXPECT_EQ(read->measured_from, from_ns(11));
  EXPECT_EQ(read->measured_to, from_ns(12));
  EXPECT_EQ(read->observed_to, from_ns(13));
  ASSERT_EQ(read->runs.size(), 2U);
  const RunRecord & one = read->runs[0];
  EXPECT_EQ(one.callback, 1U);
  EXPECT_EQ(one.thread, 2U);
  EXPECT_EQ(one.process, 3U);
  EXPECT_EQ(one.skipped, 4U);
  EXPECT_EQ(one.release, from_ns(20));
  EXPECT_EQ(one.start, from_ns(21));
  EXPECT_EQ(one.end, from_ns(22));
  EXPECT_EQ(one.work_asked, nanoseconds(23));
  EXPECT_EQ(one.work_cpu, nanoseconds(24));
  EXPECT_EQ(one.slept, nanoseconds(25));
  EXPECT_EQ(one.work_end, from_ns(26));
  EXPECT_EQ(one.taken, 27U);
  EXPECT_EQ(one.published, 28U);
  EXPECT_EQ(one.taken_from, UINT64_MAX);
  EXPECT_EQ(read->runs[1].callback, kNone);
  EXPECT_EQ(read->unrecorded_runs, 5U);
  ASSERT_EQ(read->publishers.size(), 1U);
  EXPECT_EQ(read->publishers[0].topic, 6U);
  EXPECT_EQ(read->publishers[0].gid, UINT64_MAX - 1);
  ASSERT_EQ(read->counters.size(), 1U);
  EXPECT_EQ(read->counters[0].callback, 7U);
  EXPECT_EQ(read->counters[0].overwritten, 8U);
  EXPECT_EQ(read->counters[0].lost_messages, 9U);
  ASSERT_EQ(read->timers.size(), 1U);
  EXPECT_EQ(read->timers[0].callback, 14U);
  EXPECT_EQ(read->timers[0].next, from_ns(15));
  ASSERT_EQ(read->originals.size(), 1U);
  const OriginalSample & sample = read->originals[0];
  EXPECT_EQ(sample.callback, 30U);
  EXPECT_EQ(sample.at, from_ns(31));
  EXPECT_TRUE(sample.has_hot_path);
  EXPECT_EQ(sample.hot_path, nanoseconds(32));
  EXPECT_EQ(sample.hot_path_drops, 33U);
  EXPECT_EQ(sample.planner_start, from_ns(34));
  EXPECT_EQ(sample.planner_sequence, 35U);
  EXPECT_EQ(sample.oldest, nanoseconds(36));
  EXPECT_EQ(read->order, "fifo");
  EXPECT_EQ(read->executor_name, "main");
  EXPECT_EQ(read->middleware_ceiling, 40);
  ASSERT_TRUE(read->phases);
  EXPECT_EQ(read->phases->disturbances, 41U);
  EXPECT_TRUE(read->phases->started);
  EXPECT_EQ(read->phases->holds_from, takt_rt::kNever);
  ASSERT_TRUE(read->phases->last);
  EXPECT_EQ(read->phases->last->cause, takt_core::Disturbance::restarted_process);
  EXPECT_EQ(read->phases->last->callback, "/a:sub(/x)");
  EXPECT_EQ(read->phases->last->time, from_ns(42));
  EXPECT_FALSE(read->phases_before);
  EXPECT_EQ(read->defaulted_callbacks, record.defaulted_callbacks);
  EXPECT_FALSE(read->schedule_fits);
  EXPECT_EQ(read->error, "ended");
  EXPECT_TRUE(read->bad_input);
}

// Types of takt_rt list their members themselves.
TEST(RecordIo, ThreadsWithRefusedAttributesAndWarningsComeBack)
{
  takt_rt::ThreadAttributes attributes;
  attributes.policy = takt_rt::Policy::deadline;
  attributes.priority = 1;
  attributes.nice = -2;
  attributes.runtime = nanoseconds(3);
  attributes.deadline = nanoseconds(4);
  attributes.period = nanoseconds(5);
  attributes.cores = {6, 7};
  attributes.name = "drive";
  attributes.stack_size = 8;
  takt_rt::Refusal refusal;
  refusal.attribute = takt_rt::RefusedAttribute::nice;
  refusal.error = EPERM;
  refusal.right = takt_rt::MissingRight::rlimit_nice;
  refusal.tid = 9;
  refusal.thread = "thread";
  refusal.asked = attributes;
  refusal.granted.priority = 10;
  refusal.limit = -1;
  refusal.limit_of = 11;
  refusal.online = "0-1";
  refusal.program = "program";
  refusal.detail = "detail";
  takt_rt::Fault warning(takt_rt::FaultKind::unmatched, "matches no callback");
  warning.file = "schedule.yaml";
  warning.line = 12;
  warning.column = 13;
  warning.place = "main";

  ProcessRecord record;
  ThreadRecord thread;
  thread.process = 14;
  thread.name = "drive";
  thread.tid = 15;
  thread.executor = true;
  thread.number = 16;
  thread.asked = attributes;
  thread.granted.nice = 17;
  thread.faults = {refusal, "second"};
  thread.cpu = nanoseconds(18);
  thread.queue_wait = nanoseconds(19);
  thread.voluntary_switches = 20;
  thread.involuntary_switches = 21;
  record.threads = {thread, {}};
  record.warnings = {warning};
  const File file;
  ASSERT_TRUE(write_record(file.path, record).ok());
  const auto read = read_record(file.path);
  ASSERT_TRUE(read.ok()) << read.faults().front();

  ASSERT_EQ(read->threads.size(), 2U);
  const ThreadRecord & one = read->threads[0];
  EXPECT_EQ(one.process, 14U);
  EXPECT_EQ(one.name, "drive");
  EXPECT_EQ(one.tid, 15);
  EXPECT_TRUE(one.executor);
  EXPECT_EQ(one.number, 16U);
  ASSERT_TRUE(one.asked);
  EXPECT_EQ(*one.asked, attributes);
  EXPECT_EQ(one.granted, thread.granted);
  EXPECT_EQ(one.faults, thread.faults);
  EXPECT_EQ(one.cpu, nanoseconds(18));
  EXPECT_EQ(one.queue_wait, nanoseconds(19));
  EXPECT_EQ(one.voluntary_switches, 20U);
  EXPECT_EQ(one.involuntary_switches, 21U);
  EXPECT_FALSE(read->threads[1].asked) << "a thread outside of the executor";
  EXPECT_TRUE(read->threads[1].faults.empty());
  EXPECT_EQ(read->warnings, record.warnings);
}

TEST(RecordIo, AnotherFileIsNamedAsAFault)
{
  const File file;
  const auto fault = [&] {
    const auto read = read_record(file.path);
    return read.ok() ? std::string() : takt_rt::to_string(read.faults().front());
  };
  EXPECT_NE(fault().find("is not a record of a run"), std::string::npos) << "there is none";
  ASSERT_TRUE(write_record(file.path, {}).ok());
  const auto size = std::filesystem::file_size(file.path);
  std::filesystem::resize_file(file.path, size - 3);
  EXPECT_NE(fault().find("is not a record of a run"), std::string::npos) << "it is cut off";
  std::ofstream(file.path, std::ios::binary) << "\x83\x01\x02\x03";  // three numbers
  EXPECT_NE(fault().find("is not a record of a run"), std::string::npos) << "it is shorter";
}

}  // namespace
}  // namespace takt_workload
