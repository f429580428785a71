// Runs in several processes: chains that cross processes, and the events that end all processes.
#include <gtest/gtest.h>

#include <signal.h>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "program.hpp"

namespace takt_workload
{

TEST_F(Programs, SigintEndsAllProcessesOfASplitRun)
{
  Program program(
    {TAKT_RUN, "three_chains", "--work-scale", "0.1", "--warmup", "100ms", "--duration", "10min",
     "--split", "2", "--json-progress", "--output", file("results.json")});
  ASSERT_TRUE(program.wait_for("elapsed_s\": 2"));
  program.signal(SIGINT);
  EXPECT_EQ(program.finish(), 0) << program.errors;
  EXPECT_GT(results().at("chains")[0].at("completed").get<int>(), 0);
}

TEST_F(Programs, ChainsAreReconstructedAcrossThreeProcesses)
{
  Program program(
    {TAKT_RUN, "autoware_reference", "--schedule", "autoware_takt", "--work-scale", "0.05",
     "--split", "3", "--warmup", "500ms", "--duration", "2s", "--quiet", "--output",
     file("results.json")});
  ASSERT_EQ(program.finish(), 0) << program.errors;
  const json all = results();
  EXPECT_EQ(all.at("messages").at("unmatched"), 0);
  EXPECT_EQ(all.at("messages").at("foreign"), 0);
  EXPECT_EQ(all.at("messages").at("unrecorded_runs"), 0);
  std::size_t crossing = 0;
  for (const json & chain : all.at("chains")) {
    const auto count = [&](const char * key) { return chain.at(key).get<std::uint64_t>(); };
    EXPECT_GT(count("completed"), 0u) << chain.at("name");
    EXPECT_EQ(
      count("released"), count("completed") + count("superseded") + count("lost") +
                           count("unfinished") + count("skipped"))
      << chain.at("name");
    EXPECT_EQ(chain.at("responses_ns").size(), count("completed"));
    for (const json & response : chain.at("responses_ns")) {
      EXPECT_GT(response.get<std::int64_t>(), 0);
    }
    crossing += count("processes") > 1 ? 1 : 0;
  }
  EXPECT_EQ(crossing, 12u);  // planner_to_vehicle_directly stays within the last block
  EXPECT_GT(all.at("kpis").at("hot_path").at("latency_ns").size(), 0u);
  EXPECT_GT(all.at("kpis").at("planner").at("cycles").get<int>(), 0);
  std::size_t executor_threads = 0;
  for (const json & thread : all.at("threads")) {
    executor_threads += thread.at("executor").get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(executor_threads, 18u);
}

// Two timers are in the part that starts again. One timer is in another part.
TEST_F(Programs, APartThatStartsAgainFindsTheGridOfTheOthersAndTheyTellOfIt)
{
  std::ofstream(file("s.yaml")) << "version: 1\nepoch: host\nsettles: 300ms\nexecutors:\n  main:\n"
                                   "    threads: {only: {}}\n    default: only\n    callbacks:\n"
                                   "      - {match: '/callback_1:timer(**)', offset: 10ms}\n"
                                   "      - {match: '/callback_4:timer(**)', offset: 110ms}\n"
                                   "      - {match: '/callback_7:timer(**)', offset: 210ms}\n"
                                   "      - {match: '/callback_*:sub(**)'}\n";
  std::string errors;
  // A busy machine needs more time to restart the part.
  for (const char * warmup : {"6s", "100s"}) {
    Program program(
      {TAKT_RUN,
       "three_chains",
       "--schedule",
       file("s.yaml"),
       "--work-scale",
       "0.02",
       "--split",
       "3",
       "--split-map",
       "callback_1,callback_5,callback_8;callback_2,callback_4,callback_7;callback_3",
       "--restart",
       "2@1s",
       "--warmup",
       warmup,
       "--duration",
       "1s",
       "--quiet",
       "--records",
       file("records.json"),
       "--output",
       file("results.json")});
    const int code = program.finish();
    errors = program.errors;
    if (code == 0) {
      break;
    }
    ASSERT_NE(errors.find("choose a longer --warmup"), std::string::npos) << errors;
  }
  const json all = results();
  EXPECT_EQ(all.at("messages").at("unmatched"), 0) << errors;
  EXPECT_EQ(all.at("incomplete"), json::array());
  for (const json & chain : all.at("chains")) {
    EXPECT_GT(chain.at("completed").get<int>(), 0) << chain.at("name");
  }
  const json & states = all.at("phase_states");
  ASSERT_EQ(states.size(), 3u);
  // Two callbacks of the first part and one of the third part take messages of the second part.
  EXPECT_GE(states[0].at("before").at("disturbances"), 2);
  EXPECT_GE(states[2].at("before").at("disturbances"), 1);
  const json records = json::parse(std::ifstream(file("records.json")));
  constexpr std::int64_t kPeriod = 300'000'000;
  const std::map<std::string, std::int64_t> offsets{
    {"/callback_1:timer(300ms)", 10'000'000},
    {"/callback_4:timer(300ms)", 110'000'000},
    {"/callback_7:timer(300ms)", 210'000'000}};
  std::map<std::string, int> seen;
  for (const json & run : records.at("runs")) {
    const std::string id = records.at("callbacks")[run[0].get<std::size_t>()];
    if (const auto offset = offsets.find(id); offset != offsets.end()) {
      const std::int64_t release =
        records.at("epoch_ns").get<std::int64_t>() + run[4].get<std::int64_t>();
      EXPECT_EQ(release % kPeriod, offset->second) << id;
      ++seen[id];
    }
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(Programs, APartThatCannotStartEndsTheOthers)
{
  // Only the parts start ROS 2.
  const std::vector<const char *> names{
    "ROS_SECURITY_ENABLE", "ROS_SECURITY_STRATEGY", "ROS_SECURITY_KEYSTORE"};
  setenv(names[0], "true", 1);
  setenv(names[1], "Enforce", 1);
  setenv(names[2], "/nobody", 1);
  Program program({TAKT_RUN, "three_chains", "--split", "3", "--quiet"});
  for (const char * name : names) {
    unsetenv(name);
  }
  EXPECT_EQ(program.finish(), 1);
  EXPECT_NE(program.errors.find("of 3 (/callback_"), std::string::npos) << program.errors;
  EXPECT_NE(program.errors.find("/nobody"), std::string::npos) << program.errors;
}

// Three independent chains, each in its own process. If one part dies, no other part waits for its
// endpoints.
std::vector<std::string> three_parts()
{
  return {TAKT_RUN,     "three_chains", "--work-scale", "0.1", "--warmup",       "100ms",
          "--duration", "10min",        "--split",      "3",   "--json-progress"};
}

TEST_F(Programs, APartThatIsKilledAtStartEndsTheRunAndIsNamed)
{
  Program program(three_parts());
  const auto parts = program.wait_for_children(3);
  ASSERT_EQ(parts.size(), 3u);
  kill(parts[1], SIGKILL);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_NE(program.errors.find("ended by signal 9"), std::string::npos) << program.errors;
  EXPECT_NE(
    program.errors.find("part 2 of 3 (/callback_4, /callback_5, /callback_6)"), std::string::npos)
    << program.errors;
  for (const pid_t part : parts) {
    EXPECT_NE(kill(part, 0), 0);
  }
}

TEST_F(Programs, SigintWhileSomePartsWaitForAnotherEndsTheRun)
{
  Program program(three_parts());
  const auto parts = program.wait_for_children(3);
  ASSERT_EQ(parts.size(), 3u);
  kill(parts[0], SIGSTOP);  // a stopped part reports no match, and handles no signal
  program.signal(SIGINT);
  EXPECT_NE(program.finish(), 0);
  for (const pid_t part : parts) {
    EXPECT_NE(kill(part, 0), 0);
  }
}

// Three parts that measure now. One of them then gets a signal.
class RunningParts : public Programs
{
protected:
  void start()
  {
    std::vector<std::string> words = three_parts();
    words.insert(words.end(), {"--output", file("results.json")});
    program.emplace(words);
    ASSERT_TRUE(program->wait_for("elapsed_s\": 2"));
    parts = program->children();
    ASSERT_EQ(parts.size(), 3u);
  }

  /// The run's exit code.
  int finish_after(std::size_t part, int signal)
  {
    kill(parts.at(part), signal);
    return program->finish();
  }

  std::optional<Program> program;
  std::vector<pid_t> parts;
};

TEST_F(RunningParts, OneThatDiesEndsTheRunAndTheOthersRecordsAreKept)
{
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_EQ(finish_after(2, SIGABRT), 1);
  EXPECT_NE(program->errors.find("part 3 of 3 (/callback_7, "), std::string::npos)
    << program->errors;
  EXPECT_NE(program->errors.find("signal 6"), std::string::npos) << program->errors;
  const json all = results();
  EXPECT_GT(all.at("chains")[0].at("completed").get<int>(), 0);
  EXPECT_EQ(all.at("chains")[2].at("completed").get<int>(), 0);
  ASSERT_EQ(all.at("incomplete").size(), 1u);
  EXPECT_NE(
    all.at("warnings")[0].get<std::string>().find("incomplete: part 3 of 3"), std::string::npos);
}

TEST_F(RunningParts, OneThatIsToldToEndEndsTheRun)
{
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_EQ(finish_after(1, SIGINT), 0) << program->errors;
  EXPECT_EQ(results().at("warnings")[0], "ended early");
}

TEST_F(RunningParts, OneThatNeverEndsIsKilledAndNamed)
{
  ASSERT_NO_FATAL_FAILURE(start());
  ::kill(parts.at(1), SIGSTOP);
  program->signal(SIGINT);
  EXPECT_EQ(program->finish(), 1);
  EXPECT_NE(
    program->errors.find(
      "part 2 of 3 (/callback_4, /callback_5, /callback_6) did not end when it was told to"),
    std::string::npos)
    << program->errors;
  const json all = results();
  EXPECT_GT(all.at("chains")[0].at("completed").get<int>(), 0);
  ASSERT_EQ(all.at("incomplete").size(), 1u);
}

}  // namespace takt_workload
