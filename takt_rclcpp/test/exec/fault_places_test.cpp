// What the guard's report says of threads for which the kernel did not give all places of page
// faults.
#include "exec/guard/fault_places.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace takt_exec::test
{
namespace
{

using takt_rt::GuardAccount;
using takt_rt::GuardedFaults;

void add(
  GuardAccount & account, const char * name, GuardedFaults::Has has, GuardedFaults::Limit limit)
{
  GuardedFaults & one = account.limited[account.limited_count++];
  one.thread = 7;
  std::strncpy(one.name.data(), name, one.name.size() - 1);
  one.has = has;
  one.limit = limit;
  one.state = takt_rt::GuardSite::ready;
}

TEST(FaultPlaces, names_the_threads_and_the_limit_to_raise)
{
  const auto account = std::make_unique<GuardAccount>();
  EXPECT_EQ(limited_faults_text(limited_faults(*account), 0), "");
  add(*account, "planner", GuardedFaults::number, GuardedFaults::locked_memory);
  add(*account, "control", GuardedFaults::number, GuardedFaults::locked_memory);
  add(*account, "control", GuardedFaults::number, GuardedFaults::locked_memory);
  add(*account, "camera", GuardedFaults::instructions, GuardedFaults::locked_memory);
  EXPECT_EQ(
    limited_faults_text(limited_faults(*account), 0),
    "  page faults of 1 thread (camera) have the instruction without its callers: the kernel's "
    "limit of memory for them is reached; raise it with `sudo sysctl "
    "kernel.perf_event_mlock_kb=4096`, or raise `ulimit -l`\n"
    "  page faults of 3 threads (planner and control) have no places: the kernel's limit of memory "
    "for them is reached; raise it with `sudo sysctl kernel.perf_event_mlock_kb=4096`, or raise "
    "`ulimit -l`\n");
}

TEST(FaultPlaces, names_some_of_many_threads)
{
  const auto account = std::make_unique<GuardAccount>();
  for (const char * const name : {"a", "b", "c", "d", "e", "f", "g"}) {
    add(*account, name, GuardedFaults::number, GuardedFaults::rights);
  }
  EXPECT_EQ(
    limited_faults_text(limited_faults(*account), 0),
    "  page faults of 7 threads (a, b, c, d, e and 2 more) have no places: this user may not see "
    "them; allow it with `sudo sysctl kernel.perf_event_paranoid=2`, and in a "
    "container with `--cap-add PERFMON` too\n");
}

TEST(FaultPlaces, counts_the_threads_for_which_the_account_has_no_room)
{
  const auto account = std::make_unique<GuardAccount>();
  for (std::size_t i = 0; i < GuardAccount::kThreads; ++i) {
    add(*account, "planner", GuardedFaults::number, GuardedFaults::rights);
  }
  EXPECT_EQ(limited_faults_more(*account), 0U);
  account->limited_count += 7;
  EXPECT_EQ(limited_faults_more(*account), 7U);
  const std::string text =
    limited_faults_text(limited_faults(*account), limited_faults_more(*account));
  EXPECT_TRUE(text.starts_with("  page faults of 256 threads (planner) have no places: ")) << text;
  EXPECT_TRUE(text.ends_with(
    "\n  page faults of 7 more threads lack places, too; the guard's account names 256 threads\n"))
    << text;
}

TEST(FaultPlaces, a_report_has_each_thread)
{
  const auto account = std::make_unique<GuardAccount>();
  add(*account, "planner", GuardedFaults::number, GuardedFaults::open_files);
  const auto list = limited_faults(*account);
  EXPECT_EQ(list.dump(), R"([{"thread":7,"name":"planner","has":"number","limit":"open_files"}])");
}

}  // namespace
}  // namespace takt_exec::test
