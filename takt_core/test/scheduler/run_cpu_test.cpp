// The CPU time of runs, on clocks of the test: when the thread's CPU clock is looked at, and what
// comes out.
#include "scheduler/run_cpu.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace takt_core::detail
{
namespace
{

/// Looks take no time. The thread may lose its core: then only the monotonic clock goes on.
struct Clocks
{
  static inline std::int64_t cpu_now = 0;
  static inline std::int64_t now = 0;
  static inline int looks = 0;  ///< at the CPU clock

  static std::int64_t cpu() noexcept
  {
    ++looks;
    return cpu_now;
  }
  static std::int64_t monotonic() noexcept { return now; }

  static void work(std::int64_t ns)
  {
    cpu_now += ns;
    now += ns;
  }
  static void wait(std::int64_t ns) { now += ns; }
};

using Cpu = RunCpu<Clocks>;

class RunCpuTest : public testing::Test
{
protected:
  RunCpuTest()
  {
    Clocks::cpu_now = 5'000'000;
    Clocks::now = 70'000'000;
    Clocks::looks = 0;
  }

  struct Measured
  {
    std::int64_t take = 0, all = 0;
    int looks = 0;
  };
  /// A run whose take works for `take` ns and which then works for `body` ns.
  Measured run(std::int64_t take, std::int64_t body, std::int64_t waits_in_take = 0)
  {
    const int before = Clocks::looks;
    Cpu cpu;
    cpu.begin(last_);
    Clocks::work(take);
    Clocks::wait(waits_in_take);
    Measured measured;
    measured.take = cpu.of_take();
    Clocks::work(body);
    measured.all = cpu.end(last_);
    measured.looks = Clocks::looks - before;
    return measured;
  }

  Cpu::LastEnd last_;
};

TEST_F(RunCpuTest, of_the_first_run_needs_two_looks)
{
  const Measured first = run(300, 4'000);
  EXPECT_EQ(first.take, 300);
  EXPECT_EQ(first.all, 4'300);
  EXPECT_EQ(first.looks, 2);
}

TEST_F(RunCpuTest, of_runs_one_after_the_other_needs_one_look)
{
  run(300, 4'000);
  for (int i = 0; i < 1'000; ++i) {
    Clocks::work(150);  // the search for the next callback is not of the run
    const Measured next = run(200, 7'000);
    ASSERT_EQ(next.take, 200);
    ASSERT_EQ(next.all, 7'200) << "errors do not add up over " << i << " runs";
    ASSERT_EQ(next.looks, 1);
  }
}

TEST_F(RunCpuTest, after_a_wait_omits_the_wait)
{
  run(300, 4'000);
  Clocks::wait(Cpu::kShort);
  const Measured next = run(200, 7'000);
  EXPECT_EQ(next.all, 7'200);
  EXPECT_EQ(next.looks, 2);
}

TEST_F(RunCpuTest, of_a_long_take_is_looked_up)
{
  EXPECT_EQ(run(9'000, 100).take, 9'000);
  const Measured waited = run(500, 100, 50'000);
  EXPECT_EQ(waited.take, 500) << "the thread lost its core in the take";
  EXPECT_EQ(waited.all, 600);
}

TEST_F(RunCpuTest, is_wrong_by_less_than_the_limit_if_a_short_stretch_is_interrupted)
{
  const Measured in_take = run(500, 100, Cpu::kShort - 501);
  EXPECT_EQ(in_take.take, Cpu::kShort - 1);
  EXPECT_EQ(in_take.all, 600) << "the run's time is looked up";
  Clocks::wait(Cpu::kShort - 1);
  const Measured behind = run(500, 10'000);
  EXPECT_EQ(behind.all, 10'500 - (Cpu::kShort - 1));
}

TEST_F(RunCpuTest, leaves_out_other_work)
{
  Cpu cpu;
  EXPECT_FALSE(cpu.measured());
  cpu.begin(last_);
  EXPECT_TRUE(cpu.measured());
  Clocks::work(40'000);
  cpu.leave_out(40'000);
  Clocks::work(700);
  EXPECT_EQ(cpu.of_take(), 700);
  Clocks::work(1'300);
  EXPECT_EQ(cpu.end(last_), 2'000);
}

}  // namespace
}  // namespace takt_core::detail
