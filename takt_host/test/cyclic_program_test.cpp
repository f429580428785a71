// Control loops without ROS: their ids, periods and threads, without a schedule and under one.
#include "takt_host/cyclic_program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace takt_host
{
namespace
{

using namespace std::chrono_literals;

takt_rt::CyclicOptions each(takt_rt::Duration period)
{
  takt_rt::CyclicOptions options;
  options.period = period;
  return options;
}

class CyclicPrograms : public ::testing::Test
{
protected:
  void SetUp() override
  {
    ::setenv("TAKT_CONTROL", "none", 1);
    ::unsetenv("TAKT_SCHEDULE");
    ::unsetenv("TAKT_EXECUTOR");
  }
  void TearDown() override
  {
    ::unsetenv("TAKT_SCHEDULE");
    std::remove(file_.c_str());
  }
  void schedule(const std::string & text)
  {
    std::ofstream(file_) << text;
    ::setenv("TAKT_SCHEDULE", file_.c_str(), 1);
  }
  static void wait_for(const std::atomic<int> & count, int least)
  {
    while (count < least) {
      std::this_thread::sleep_for(1ms);
    }
  }

  const std::string file_ = ::testing::TempDir() + "/loops" + std::to_string(::getpid()) + ".yaml";
};

TEST_F(CyclicPrograms, each_loop_runs_at_its_period_on_a_thread_of_its_own)
{
  CyclicProgram program("robot");
  std::atomic<int> fast{0};
  std::atomic<int> slow{0};
  std::atomic<int> wrong{0};
  std::thread::id fast_thread;
  std::thread::id slow_thread;
  takt_rt::Time last{};
  program.add("fast", each(2ms), [&](const takt_core::Run & run) {
    fast_thread = std::this_thread::get_id();
    // Releases are whole periods apart, however late a run begins.
    wrong += fast > 0 && (run.release - last) % 2ms != 0ms ? 1 : 0;
    last = run.release;
    ++fast;
  });
  program.add("slow", each(5ms), [&](const takt_core::Run &) {
    slow_thread = std::this_thread::get_id();
    ++slow;
  });
  const auto started = program.start();
  ASSERT_TRUE(started.ok()) << to_string(started.faults().front());
  wait_for(fast, 10);
  wait_for(slow, 4);
  program.stop();
  EXPECT_EQ(program.wait(), nullptr);
  EXPECT_EQ(wrong, 0);
  EXPECT_NE(fast_thread, slow_thread);
  const int at_end = fast;
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(fast, at_end);
}

TEST_F(CyclicPrograms, a_schedule_gives_threads_and_offsets_by_the_ids_of_the_loops)
{
  schedule(
    "version: 1\nexecutors:\n  robot:\n    threads: {shared: {}}\n    default: shared\n"
    "    epoch: host\n"
    "    callbacks:\n"
    "      - {match: \"/robot:timer(fast)\", offset: 1ms}\n"
    "      - {match: \"/robot:timer(slow)\", offset: 3ms}\n");
  CyclicProgram program("robot");
  std::atomic<int> fast{0};
  std::atomic<int> slow{0};
  std::atomic<int> wrong{0};
  const auto check = [&](
                       const takt_core::Run & run, takt_rt::Duration period, takt_rt::Duration at) {
    wrong += run.release.time_since_epoch() % period != at ? 1 : 0;
  };
  program.add("fast", each(4ms), [&](const takt_core::Run & run) {
    check(run, 4ms, 1ms);
    ++fast;
  });
  program.add("slow", each(8ms), [&](const takt_core::Run & run) {
    check(run, 8ms, 3ms);
    ++slow;
  });
  const auto started = program.start();
  ASSERT_TRUE(started.ok()) << to_string(started.faults().front());
  wait_for(fast, 5);
  wait_for(slow, 3);
  program.stop();
  EXPECT_EQ(program.wait(), nullptr);
  EXPECT_EQ(wrong, 0);
  ASSERT_EQ(program.executor()->threads().size(), 1u);
  EXPECT_EQ(program.executor()->threads().front().attributes.asked.name, "shared");
}

TEST_F(CyclicPrograms, a_schedule_for_another_program_starts_nothing)
{
  schedule(
    "version: 1\nexecutors:\n  a: {threads: {t: {}}, default: t}\n  b: {threads: {t: {}}, default: "
    "t}\n");
  CyclicProgram program("robot");
  std::atomic<int> runs{0};
  program.add("fast", each(1ms), [&](const takt_core::Run &) { ++runs; });
  const auto started = program.start();
  ASSERT_FALSE(started.ok());
  EXPECT_NE(
    to_string(started.faults().front()).find("has no rule for a callback of /robot"),
    std::string::npos)
    << to_string(started.faults().front());
  EXPECT_EQ(runs, 0);
}

TEST_F(CyclicPrograms, all_faults_of_the_options_come_at_once)
{
  CyclicProgram program("a robot");
  program.add("x", each(0ms), [](const takt_core::Run &) {});
  program.add("x", each(1ms), [](const takt_core::Run &) {});
  const auto started = program.start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.faults().size(), 3u);  // the name, the period, two loops of one name
  CyclicProgram empty("robot");
  EXPECT_FALSE(empty.start().ok());
}

TEST_F(CyclicPrograms, an_exception_ends_the_loops_and_comes_back)
{
  CyclicProgram program("robot");
  program.add(
    "fails", each(1ms), [](const takt_core::Run &) { throw std::runtime_error("no sensor"); });
  ASSERT_TRUE(program.start().ok());
  const std::exception_ptr failure = program.wait();
  ASSERT_NE(failure, nullptr);
  EXPECT_THROW(std::rethrow_exception(failure), std::runtime_error);
  EXPECT_EQ(program.wait(), failure);
}

TEST_F(CyclicPrograms, a_reported_exception_lets_the_loops_go_on_and_is_said)
{
  schedule(
    "version: 1\nexecutors: {robot: {threads: {t: {}}, default: t, on_exception: report}}\n");
  ::testing::internal::CaptureStderr();
  {
    CyclicProgram program("robot");
    std::atomic<int> runs{0};
    program.add("fails", each(1ms), [&](const takt_core::Run &) {
      ++runs;
      throw std::runtime_error("no sensor");
    });
    const auto started = program.start();
    ASSERT_TRUE(started.ok()) << to_string(started.faults().front());
    wait_for(runs, 3);
    program.stop();
    EXPECT_EQ(program.wait(), nullptr);
  }  // a thread of the program says it
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no sensor"), std::string::npos);
}

TEST_F(CyclicPrograms, a_loop_without_a_rule_is_noted)
{
  schedule("version: 1\nexecutors: {nodes: {threads: {t: {}}, default: t}}\n");
  CyclicProgram program("robot");
  std::atomic<int> runs{0};
  std::atomic<bool> sees{false};
  program.add("fast", each(1ms), [&](const takt_core::Run &) {
    sees = program.executor() != nullptr;
    ++runs;
  });
  const auto started = program.start();
  ASSERT_TRUE(started.ok()) << to_string(started.faults().front());
  bool noted = false;
  for (const auto & note : started->notes) {
    noted |= to_string(note).find("no rule of the schedule names /robot:timer(fast)") == 0;
  }
  EXPECT_TRUE(noted);
  wait_for(runs, 1);
  program.stop();
  EXPECT_EQ(program.wait(), nullptr);
  EXPECT_TRUE(sees);
}

TEST_F(CyclicPrograms, a_stop_before_the_start_ends_the_program)
{
  CyclicProgram program("robot");
  program.add("fast", each(1ms), [](const takt_core::Run &) {});
  program.stop();
  ASSERT_TRUE(program.start().ok());
  EXPECT_EQ(program.wait(), nullptr);
}

}  // namespace
}  // namespace takt_host
