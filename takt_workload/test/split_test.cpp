// The barrier of a split run, as a part sees it, and signals.
#include "run/split.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run/held_signals.hpp"
#include "run/run_part.hpp"

namespace takt_workload
{

class Barrier : public ::testing::Test
{
protected:
  Barrier() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~Barrier() override
  {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2] = {-1, -1};
};

TEST_F(Barrier, GivesTheStartThatWasSent)
{
  const PartStart sent{takt_rt::from_ns(123'456'789), takt_rt::from_ns(987'654'321)};
  ASSERT_EQ(write(ends[0], &sent, sizeof sent), static_cast<ssize_t>(sizeof sent));
  const auto given = wait_at_barrier(ends[1]);
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(given->epoch, sent.epoch);
  EXPECT_EQ(given->begin, sent.begin);
  char word = 0;
  ASSERT_EQ(read(ends[0], &word, 1), 1);
  EXPECT_EQ(word, 'm');
}

TEST_F(Barrier, EndsWhenTheOtherSideIsGone)
{
  shutdown(ends[0], SHUT_WR);
  EXPECT_FALSE(wait_at_barrier(ends[1]).has_value());
}

// The whole process remembers a signal, so this test uses its own process.
TEST_F(Barrier, EndsWithASignal)
{
  EXPECT_EXIT(
    {
      hold_signals();
      raise(SIGINT);
      _exit(wait_at_barrier(ends[1]).has_value() ? 1 : 0);
    },
    ::testing::ExitedWithCode(0), "");
}

TEST(Signals, EndTheProgramAgainAfterTheyWereReleased)
{
  EXPECT_EXIT(
    {
      hold_signals();
      raise(SIGINT);
      release_signals();  // SIGINT was for the run, and is forgotten
      raise(SIGTERM);
      _exit(0);
    },
    ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace takt_workload
