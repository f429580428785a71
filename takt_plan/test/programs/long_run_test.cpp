// Messages of programs that work for long: the present activity, and the sentence after an
// interrupt.
#include "programs/long_run.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "planners/simulated_plan.hpp"
#include "programs/plan_sequences.hpp"
#include "programs/plan_trials.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/test/program_test.hpp"

namespace takt_plan
{
namespace
{

TEST(Progress, IsToldOfWorkThatTakesLongInFewLines)
{
  testing::internal::CaptureStderr();
  {
    program::Progress progress("takt_plan", "planning");
    const std::clock_t until = std::clock() + 7 * CLOCKS_PER_SEC / 2;
    while (std::clock() < until) {
    }
  }
  const std::string said = testing::internal::GetCapturedStderr();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back(), '\n');
  // The error output is not a terminal here: one line from 1, from 2, from 4 ... s on.
  std::istringstream lines(said);
  long long before = 0;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string start = "takt_plan: planning, ";
    ASSERT_EQ(line.rfind(start, 0), 0U) << said;
    const long long seconds = std::stoll(line.substr(start.size()));
    EXPECT_GE(std::bit_width(std::size_t(seconds)), std::bit_width(std::size_t(before)) + 1)
      << said;
    before = seconds;
  }
  EXPECT_GE(count, 1U) << said;
}

class Interrupted : public takt_schedule::test::ProgramTest
{
protected:
  Interrupted() : ProgramTest("") {}

  /// Starts the program in the test's directory, waits until it handles SIGINT, until `file` exists
  /// and until the program has written `said` to its error output, and sends SIGINT. Returns the
  /// exit code. `err` gets the error output.
  int interrupt(
    const char * program, const std::vector<std::string> & words, const std::string & file = {},
    const std::string & said = {})
  {
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGINT, SIG_DFL);
      const int out = ::open(path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int err = ::open(path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(err, STDERR_FILENO);
      std::vector<char *> arguments{const_cast<char *>(program)};
      for (const std::string & word : words) {
        arguments.push_back(const_cast<char *>(word.c_str()));
      }
      arguments.push_back(nullptr);
      if (::chdir(path("").c_str()) == 0) {
        ::execv(program, arguments.data());
      }
      ::_exit(99);
    }
    int status = 0;
    while (!handles_interrupts(child) || (!file.empty() && !exists(file)) ||
           content("err").find(said) == std::string::npos) {
      if (::waitpid(child, &status, WNOHANG) == child) {
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      ::usleep(1000);
    }
    ::kill(child, SIGINT);
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  static bool handles_interrupts(pid_t process)
  {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigCgt:", 0) == 0) {
        return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
      }
    }
    return false;
  }
};

/// Some thousand callbacks, so that the program works for a while.
std::string many()
{
  std::string text = "version: 1\noverheads: {}\nhosts: {car: {cores: 16}}\ncallbacks:\n";
  for (int i = 0; i < 4000; ++i) {
    const std::string id = "/n" + std::to_string(i) + ":timer(100ms)";
    text += "  - {id: \"" + id + "\", time: 300us, period: 100ms}\n";
  }
  return text;
}

TEST_F(Interrupted, PlanSaysSoAndWritesNothing)
{
  write("many.yaml", many());
  EXPECT_EQ(interrupt(TAKT_PLAN, {"many.yaml", "-o", "schedule.yaml"}), 130);
  EXPECT_EQ(content("err"), "takt_plan: interrupted: nothing was written\n");
  EXPECT_FALSE(exists("schedule.yaml"));
}

TEST_F(Interrupted, PlanWithTimeLeavesTheBestPlanSoFar)
{
  // Both want all of the core in the same 10 ms, so the search never ends.
  write(
    "never.yaml",
    "version: 1\noverheads: {}\nhosts: {car: {cores: 1}}\ncallbacks:\n"
    "  - {id: \"/a:timer(20ms)\", time: 9ms, period: 20ms}\n"
    "  - {id: \"/b:timer(10ms)\", time: 2ms, period: 10ms}\n"
    "chains:\n"
    "  a: {path: [\"/a:timer(20ms)\"], priority: 20, deadline: 9ms}\n"
    "  b: {path: [\"/b:timer(10ms)\"], priority: 10, deadline: 2ms}\n");
  EXPECT_EQ(
    interrupt(TAKT_PLAN, {"never.yaml", "-o", "schedule.yaml", "--time", "60min"}, "schedule.yaml"),
    130);
  const std::string words = "takt_plan: interrupted: schedule.yaml has the best plan until then\n";
  EXPECT_TRUE(content("err").ends_with(words)) << content("err");
  const std::string schedule = content("schedule.yaml");
  EXPECT_NE(
    schedule.find("takt plan has not ended; the best plan so far, 1 chain not proven"),
    std::string::npos)
    << schedule;
  EXPECT_TRUE(parse_plan(content("never.yaml"), schedule).ok());
}

/// A system whose first plan is there at once, and whose search goes on for tens of seconds.
std::string long_search()
{
  std::string text = "version: 1\noverheads: {}\nhosts: {car: {cores: 4}}\ncallbacks:\n";
  std::string chains = "chains:\n";
  for (int i = 0; i < 80; ++i) {
    const std::string n = std::to_string(i);
    const std::string timer = "/a" + n + ":timer(50ms)";
    text += "  - {id: \"" + timer + "\", time: 200us, period: 50ms, publishes: /x" + n + "}\n" +
            "  - {id: \"/b:sub(/x" + n + ")\", time: 200us, triggers: /x" + n + "}\n";
    chains += "  c" + n + ": {path: [\"" + timer + "\", \"/b:sub(/x" + n +
              ")\"], deadline: 25ms, priority: " + n + "}\n";
  }
  return text + chains;
}

TEST_F(Interrupted, PlanWithoutTimeLeavesTheBestPlanSoFarToo)
{
  write("long.yaml", long_search());
  EXPECT_EQ(interrupt(TAKT_PLAN, {"long.yaml", "-o", "schedule.yaml"}, "schedule.yaml"), 130);
  const std::string words = "takt_plan: interrupted: schedule.yaml has the best plan until then\n";
  EXPECT_TRUE(content("err").ends_with(words)) << content("err");
  EXPECT_TRUE(parse_plan(content("long.yaml"), content("schedule.yaml")).ok());
}

TEST(Trials, EndAfterTheirNumberAndSayWhatIsLeft)
{
  std::string text = "version: 1\noverheads: {}\nhosts: {car: {cores: 1}}\ncallbacks:\n";
  for (const std::string n : {"1", "2", "3"}) {
    text += "  - {id: \"/a" + n + ":timer(50ms)\", time: 1ms, period: 50ms, publishes: /x" + n +
            "}\n  - {id: \"/b:sub(/x" + n + ")\", time: 1ms, triggers: /x" + n + "}\n";
  }
  const auto system = takt_schedule::parse_system(text, "system.yaml");
  ASSERT_TRUE(system.ok());
  for (const std::size_t most : {std::size_t{1}, program::kMostTrials}) {
    auto planned = plan_schedule(*system);
    ASSERT_TRUE(planned.ok());
    auto simulated = simulate_plan(*system, planned->schedule);
    ASSERT_TRUE(simulated.ok());
    std::vector<std::size_t> told;
    program::Trials trials(
      [] { return true; },
      [&](std::size_t tried, std::size_t of) {
        told.push_back(tried);
        EXPECT_EQ(of, 3U);
      },
      most);
    program::use_sequences(*system, *planned, *simulated, trials);
    ASSERT_FALSE(planned->notes.empty());
    if (most == 1) {
      EXPECT_EQ(told, (std::vector<std::size_t>{0, 1}));
      EXPECT_EQ(
        planned->notes.back(),
        "2 of 3 sequences were not tried: takt tries at most 1 changes, which take a simulation "
        "each");
    } else {
      EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2}));
      EXPECT_EQ(planned->notes.back().find("sequence of 2 callbacks"), 0U);
    }
  }
}

TEST_F(Interrupted, SimulateSaysSo)
{
  write("many.yaml", many());
  write(
    "threads.yaml",
    "version: 1\nexecutors: {main: {threads: {t: {policy: fifo, priority: 9, cores: [0]}}, "
    "default: t}}\n");
  EXPECT_EQ(interrupt(TAKT_SIMULATE, {"many.yaml", "threads.yaml", "--duration", "10min"}), 130);
  EXPECT_EQ(content("err"), "takt_simulate: interrupted: nothing was written\n");
  EXPECT_EQ(content("out"), "");
}

TEST_F(Interrupted, SimulateTellsItsProgressUntilThen)
{
  write(
    "small.yaml",
    "version: 1\noverheads: {}\nhosts: {car: {cores: 1}}\ncallbacks:\n"
    "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms}\n");
  write(
    "threads.yaml",
    "version: 1\nexecutors: {main: {threads: {t: {policy: fifo, priority: 9, cores: [0]}}, "
    "default: t}}\n");
  const std::vector<std::string> words{"small.yaml", "threads.yaml", "--duration",
                                       "60min",      "--runs",       "1000000"};
  EXPECT_EQ(interrupt(TAKT_SIMULATE, words, {}, " s\n"), 130);
  const std::string said = content("err");
  EXPECT_EQ(said.find("takt_simulate: simulating: "), 0U) << said;
  EXPECT_NE(said.find("s of 3600s, run "), std::string::npos) << said;
}

}  // namespace
}  // namespace takt_plan
