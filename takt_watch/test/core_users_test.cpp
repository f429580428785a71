// The users of cores. The readings are of a folder made by hand, and of the machine's own /proc.
#include "kernel/core_users.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace takt_watch
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;
using takt_rt::Time;

class MadeByHand : public testing::Test
{
protected:
  MadeByHand()
  {
    std::string pattern = testing::TempDir() + "takt_proc.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    set(1, 1, "init", milliseconds(0));
  }
  ~MadeByHand() override { std::filesystem::remove_all(folder_); }

  void set(
    pid_t pid, pid_t tid, const std::string & name, takt_rt::Duration on_cpu, int core = 0,
    unsigned long flags = 0)
  {
    const auto process = std::filesystem::path(folder_) / std::to_string(pid);
    const auto task = process / "task" / std::to_string(tid);
    std::filesystem::create_directories(task);
    std::ofstream(task / "schedstat") << on_cpu.count() << " 0 1\n";
    std::string stat =
      std::to_string(tid) + " (" + name + ") R 1 1 1 0 -1 " + std::to_string(flags);
    for (int field = 10; field < 39; ++field) {
      stat += " 7";
    }
    stat += " " + std::to_string(core) + " 0 0\n";
    std::ofstream(task / "stat") << stat;
    if (pid == tid) {
      std::ofstream(process / "stat") << stat;
    }
  }
  void end(pid_t pid)
  {
    std::filesystem::remove_all(std::filesystem::path(folder_) / std::to_string(pid));
  }

  std::string folder_;
};

constexpr pid_t kOwn = 42;

const CoreUser * find(const CoreUse & use, pid_t tid)
{
  const auto found = std::find_if(
    use.users.begin(), use.users.end(), [&](const CoreUser & user) { return user.tid == tid; });
  return found == use.users.end() ? nullptr : &*found;
}

TEST_F(MadeByHand, a_process_a_thread_of_ones_own_and_one_of_the_kernel_are_told_apart)
{
  CoreUsers users(folder_, kOwn);
  set(7, 7, "first (x) y", seconds(5), 1);
  set(7, 8, "helper", seconds(5), 2);
  set(9, 9, "kworker/1:2", seconds(0), 1, 0x00200000);
  set(kOwn, 43, "dds\n", seconds(1), 3);
  users.look(Time(seconds(100)), false);
  set(7, 8, "helper", seconds(5) + milliseconds(50), 2);
  set(9, 9, "kworker/1:2", milliseconds(20), 1, 0x00200000);
  set(kOwn, 43, "dds\n", seconds(1) + milliseconds(10), 3);
  const CoreUse & use = users.in_window(Time(seconds(100) + milliseconds(100)), milliseconds(100));
  ASSERT_EQ(use.users.size(), 3U);
  EXPECT_EQ(use.users[0].kind, CoreUser::Kind::process);
  EXPECT_EQ(use.users[0].name, "first (x) y") << "a process has its first thread's name";
  EXPECT_EQ(use.users[0].pid, 7);
  EXPECT_EQ(use.users[0].core, 2);
  EXPECT_NEAR(use.users[0].share, 0.5, 1e-6);
  EXPECT_EQ(use.users[1].kind, CoreUser::Kind::kernel);
  EXPECT_EQ(use.users[1].name, "kworker/1:2");
  EXPECT_EQ(use.users[2].kind, CoreUser::Kind::own);
  EXPECT_EQ(use.users[2].name, "dds?") << "a name of others may go to a terminal";
}

// The last reading before an alarm may be old. Then a burst counts as use in the window, and a
// steady use only in part.
TEST_F(MadeByHand, of_a_long_time_between_readings_what_is_unusual_is_of_the_window)
{
  CoreUsers users(folder_, kOwn);
  set(7, 7, "steady", seconds(0));
  set(8, 8, "burst", seconds(0));
  users.look(Time(seconds(100)), false);
  set(7, 7, "steady", milliseconds(400));
  users.look(Time(seconds(102)), false);
  set(7, 7, "steady", milliseconds(800));
  set(8, 8, "burst", milliseconds(60));
  set(9, 9, "young", milliseconds(30));
  const CoreUse & use = users.in_window(Time(seconds(104)), milliseconds(100));
  ASSERT_EQ(use.users.size(), 3U);
  EXPECT_NEAR(find(use, 7)->share, 0.2, 1e-6);
  EXPECT_NEAR(find(use, 8)->share, 0.6, 1e-6);
  EXPECT_NEAR(find(use, 9)->share, 0.3, 1e-6);
}

TEST_F(MadeByHand, a_number_that_another_thread_got_counts_anew_and_what_ended_is_forgotten)
{
  CoreUsers users(folder_, kOwn);
  set(7, 7, "long", seconds(50));
  set(8, 8, "ends", seconds(50));
  users.look(Time(seconds(100)), false);
  end(8);
  set(7, 7, "other", milliseconds(300));
  const CoreUse & use = users.in_window(Time(seconds(101)), seconds(1));
  ASSERT_EQ(use.users.size(), 1U);
  EXPECT_EQ(use.users[0].name, "other");
  EXPECT_NEAR(use.users[0].share, 0.3, 1e-6);
}

TEST_F(MadeByHand, readings_come_from_time_to_time_only)
{
  CoreUsers users(folder_, kOwn);
  set(7, 7, "one", seconds(0));
  users.look(Time(seconds(100)), false);
  set(7, 7, "one", seconds(1));
  users.look(Time(seconds(100) + milliseconds(1)), false);  // too early for a reading
  set(7, 7, "one", seconds(2));
  const CoreUse & use = users.in_window(Time(seconds(110)), seconds(10));
  ASSERT_EQ(use.users.size(), 1U);
  EXPECT_NEAR(use.users[0].share, 0.2, 1e-6);
}

TEST_F(MadeByHand, says_that_proc_hides_others)
{
  EXPECT_EQ(CoreUsers(folder_, kOwn).in_window(Time(seconds(1)), seconds(1)).unseen, "");
  end(1);
  EXPECT_EQ(
    CoreUsers(folder_, kOwn).in_window(Time(seconds(1)), seconds(1)).unseen,
    "/proc hides processes of other users from this one");
}

TEST(OfTheMachine, a_child_that_computes_is_named_with_its_core)
{
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, "takt-eats");
    for (;;) {
    }
  }
  CoreUsers users;
  const Time begin = takt_rt::now();
  users.look(begin, true);
  const CoreUser * found = nullptr;
  while (found == nullptr) {
    std::this_thread::sleep_for(milliseconds(20));
    const Time now = takt_rt::now();
    found = find(users.in_window(now, now - begin), child);
  }
  EXPECT_EQ(found->kind, CoreUser::Kind::process);
  EXPECT_EQ(found->name, "takt-eats");
  EXPECT_EQ(found->pid, child);
  cpu_set_t may{};
  ASSERT_EQ(::sched_getaffinity(child, sizeof may, &may), 0);
  EXPECT_TRUE(CPU_ISSET(found->core, &may));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace takt_watch
