// takt_latency for its users: output, refusals of the command line, an interrupt.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "takt_schedule/test/program_test.hpp"

namespace takt_bench::latency
{
namespace
{

class LatencyProgram : public takt_schedule::test::ProgramTest
{
protected:
  LatencyProgram() : ProgramTest(TAKT_LATENCY) {}
};

TEST_F(LatencyProgram, WritesItsDocument)
{
  const auto outcome = run("--duration 20ms --policy other --output told.json --progress");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const auto told = nlohmann::json::parse(content("told.json"));
  EXPECT_EQ(told.at("version"), 1);
  EXPECT_EQ(told.at("policy"), "other");
  EXPECT_EQ(told.at("interval_ns"), 1'000'000);
  EXPECT_FALSE(told.at("ended_early"));
  for (const auto & thread : told.at("threads")) {
    for (const char * kind : {"ordinary", "held_up"}) {
      const auto & cycles = thread.at(kind);
      std::uint64_t sum = 0;
      for (const auto & bucket : cycles.at("buckets")) {
        EXPECT_LE(bucket.at(0), bucket.at(1));
        EXPECT_LE(bucket.at(1), cycles.at("max_ns"));
        sum += bucket.at(2).get<std::uint64_t>();
      }
      EXPECT_EQ(sum, cycles.at("count"));
    }
  }
  const auto line = nlohmann::json::parse(outcome.err.substr(0, outcome.err.find('\n')));
  EXPECT_EQ(line.at("of_s"), 0.02);
}

TEST_F(LatencyProgram, TellsWhatWasMeasuredBeforeAnInterrupt)
{
  const std::string output = path("told.json").string();
  write("progress", "");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(path("progress").c_str(), O_WRONLY), STDERR_FILENO);
    ::execl(
      TAKT_LATENCY, TAKT_LATENCY, "--policy", "other", "--duration", "60min", "--progress",
      "--output", output.c_str(), nullptr);
    ::_exit(127);
  }
  int status = -1;
  // The program waits for signals from its first line of progress on.
  while (content("progress").empty() && ::waitpid(child, &status, WNOHANG) == 0) {
    ::usleep(1000);
  }
  ASSERT_EQ(::kill(child, SIGINT), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << content("progress");
  EXPECT_TRUE(nlohmann::json::parse(content("told.json")).at("ended_early"));
}

TEST_F(LatencyProgram, RefusesWhatCannotBeMeasuredInOneSentence)
{
  for (const char * arguments :
       {"--policy idle", "--priority 0", "--priority 100", "--policy other --priority 5",
        "--policy deadline --runtime 2ms", "--policy fifo --runtime 1ms", "--interval 1ns",
        "--interval 2s --duration 5s", "--duration 1us", "--duration soon", "--cores 4000",
        "--cores 0,0", "--frequency 5"}) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_TRUE(outcome.err.starts_with("takt_latency: ")) << arguments << ": " << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << arguments << ": " << outcome.err;
  }
}

TEST_F(LatencyProgram, SaysThatItsOutputCannotBeWritten)
{
  const auto outcome = run("--policy other --duration 5ms --output /nowhere/told.json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "takt_latency: /nowhere/told.json cannot be written\n");
}

}  // namespace
}  // namespace takt_bench::latency
