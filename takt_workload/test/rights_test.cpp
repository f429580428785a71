// What the programs do where the kernel grants no real-time priorities.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <map>

#include "program.hpp"

namespace takt_workload
{

TEST_F(Programs, WithoutRightsTheShippedScheduleTellsThreadsApartByNiceLevelsThatAreGranted)
{
  if (getpriority(PRIO_PROCESS, 0) != 0) {
    GTEST_SKIP() << "no process may go back to nice 0";
  }
  Program program(
    {TAKT_RUN, "autoware_reference", "--schedule", "autoware_takt", "--work-scale", "0.05",
     "--warmup", "100ms", "--duration", "300ms", "--quiet", "--output", file("results.json")},
    Rights::none);
  EXPECT_EQ(program.finish(), 0) << program.errors;
  const json all = results();
  EXPECT_FALSE(all.at("host").at("realtime_allowed").get<bool>());
  const std::map<std::string, std::string> expected{
    {"hot.0", "other"},
    {"hot.1", "other"},
    {"planner", "other nice 5"},
    {"rest.0", "other nice 15"},
    {"rest.1", "other nice 15"}};
  std::map<std::string, std::string> granted;
  for (const json & thread : all.at("threads")) {
    if (thread.at("executor").get<bool>()) {
      const auto words = thread.at("granted").get<std::string>();
      granted[thread.at("name")] = words.substr(0, words.find(", cores"));
    }
  }
  EXPECT_EQ(granted, expected);
  // Nice values mean little where autogroup is on, and that is said.
  EXPECT_EQ(
    all.at("warnings").dump().find("count only among the processes of this terminal session") !=
      std::string::npos,
    all.at("host").at("autogroup").get<bool>());
}

}  // namespace takt_workload
