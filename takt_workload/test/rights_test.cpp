// The programs' behaviour if the kernel grants no real-time priorities.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <fstream>
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
    {"hot.0", "other"},           {"hot.1", "other"},          {"planner", "other nice 5"},
    {"settings", "other nice 5"}, {"rest.0", "other nice 15"}, {"rest.1", "other nice 15"}};
  const std::map<std::string, std::string> wished{{"hot.0", "fifo 60"},   {"hot.1", "fifo 60"},
                                                  {"planner", "fifo 50"}, {"settings", "fifo 45"},
                                                  {"rest.0", "fifo 30"},  {"rest.1", "fifo 30"}};
  std::map<std::string, std::string> granted;
  std::map<std::string, std::string> asked;
  for (const json & thread : all.at("threads")) {
    if (thread.at("executor").get<bool>()) {
      const std::string name = thread.at("name");
      const auto without_cores = [&](const char * key) {
        const auto words = thread.at(key).get<std::string>();
        return words.substr(0, words.find(", core"));
      };
      granted[name] = without_cores("granted");
      asked[name] = without_cores("asked");
      const std::string faults = thread.at("faults").dump();
      EXPECT_NE(faults.find("CAP_SYS_NICE is missing"), std::string::npos) << faults;
      EXPECT_NE(faults.find("fallback is in force: " + expected.at(name)), std::string::npos)
        << faults;
    }
  }
  EXPECT_EQ(granted, expected);
  EXPECT_EQ(asked, wished) << "what the schedule wants, not what its fallback asked for";
  const std::string warnings = all.at("warnings").dump();
  const auto missing = warnings.find("CAP_SYS_NICE is missing");
  EXPECT_NE(warnings.find("hot.0, hot.1, planner, settings, rest.0, rest.1"), std::string::npos)
    << warnings;
  EXPECT_NE(
    warnings.find("refused: CAP_SYS_NICE is missing and RLIMIT_RTPRIO is 0; add '- rtprio 98'"),
    std::string::npos)
    << warnings;
  EXPECT_NE(
    warnings.find(
      "instead they run as other (hot.0, hot.1), other nice 5 (planner, settings), other nice "
      "15 (rest.0, rest.1)"),
    std::string::npos)
    << warnings;
  // One right is missing. The program says once how to get it.
  EXPECT_EQ(warnings.find("CAP_SYS_NICE is missing", missing + 1), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("unit that starts " TAKT_RUN ";"), std::string::npos) << warnings;
  EXPECT_EQ(warnings.find("fallback"), std::string::npos) << "said twice: " << warnings;
  EXPECT_EQ(warnings.find("nice levels only count"), std::string::npos) << "said twice";
  // No thread has a real-time priority that the kernel could throttle.
  EXPECT_EQ(warnings.find("are throttled after"), std::string::npos) << warnings;
  // Nice values have little effect if autogroup is on. The program says so.
  EXPECT_EQ(
    all.at("warnings").dump().find("count only among the processes of this terminal session") !=
      std::string::npos,
    all.at("host").at("autogroup").get<bool>());
}

// A right to set a nice value may be missing too. The report gives the attributes that the kernel
// really set.
TEST_F(Programs, AFallbackThatIsRefusedIsNotClaimed)
{
  Program program(
    {"/usr/bin/nice", "-n", "19", TAKT_RUN, "autoware_reference", "--schedule", "autoware_takt",
     "--work-scale", "0.05", "--warmup", "100ms", "--duration", "300ms", "--quiet", "--output",
     file("results.json")},
    Rights::none);
  EXPECT_EQ(program.finish(), 0) << program.errors;
  const json all = results();
  for (const json & thread : all.at("threads")) {
    if (thread.at("executor").get<bool>()) {
      const std::string faults = thread.at("faults").dump();
      EXPECT_EQ(thread.at("faults").size(), 1u) << faults;
      EXPECT_NE(faults.find("was refused too: other nice 19"), std::string::npos) << faults;
    }
  }
  const std::string warnings = all.at("warnings").dump();
  EXPECT_NE(warnings.find("; instead they run as other nice 19"), std::string::npos) << warnings;
  for (const char * other : {"nice 0", "nice 5", "nice 15"}) {
    EXPECT_EQ(warnings.find(other), std::string::npos) << warnings;
  }
}

TEST_F(Programs, MissingRightsThatAScheduleInsistsOnAreBadInput)
{
  const std::string begin = "version: 1\nexecutors:\n  main:\n    missing_rights: fail\n";
  const std::map<std::string, std::string> cases{
    {"    threads: {hot: {policy: fifo, priority: 7}}\n    default: hot\n",
     "SCHED_FIFO priority 7"},
    {"    threads: {hot: {policy: fifo, priority: 7, count: 3}}\n    default: hot\n",
     "cannot spin: hot.0, hot.1, hot.2: SCHED_FIFO priority 7"},
    {"    threads: {hot: {}}\n    default: hot\n    middleware_ceiling: 9\n",
     "SCHED_FIFO priority 9"},
    {"    threads: {hot: {}}\n    default: hot\n    process_threads:\n"
     "      - {match: \"*\", policy: fifo, priority: 5}\n",
     "SCHED_FIFO priority 5"}};
  for (const auto & [rest, said] : cases) {
    std::ofstream(file("s.yaml")) << begin << rest;
    for (const char * split : {"1", "2"}) {
      Program program(
        {TAKT_RUN, "three_chains", "--schedule", file("s.yaml"), "--split", split, "--warmup",
         "100ms", "--duration", "300ms", "--quiet"},
        Rights::none);
      EXPECT_EQ(program.finish(), 2) << program.errors;
      EXPECT_NE(program.errors.find(said + " refused"), std::string::npos) << program.errors;
      EXPECT_NE(program.errors.find("unit that starts " TAKT_RUN ";"), std::string::npos)
        << program.errors;
    }
  }
}

}  // namespace takt_workload
