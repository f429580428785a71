// The trace of a worst activation: the thread on each core over time.
#include "simulation/timeline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/from_text.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

SimulationModel example()
{
  return test::from_text(
    R"yaml(version: 1
hosts:
  car:
    cores: 2
    other_threads: {dds: {priority: 85, cores: [0], time: 1ms, period: 25ms}}
overheads: {context_switch: 1ms}
callbacks:
  - {id: "/a:timer(50ms)", time: 4ms, period: 50ms, offset: 20ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 2ms, triggers: /a}
chains: {both: {path: ["/a:timer(50ms)", "/b:sub(/a)"]}}
)yaml",
    R"yaml(version: 1
executors:
  main: {threads: {t: {policy: fifo, priority: 50, cores: [0]}}, default: t}
)yaml");
}

/// "PROCESS/TRACK NAME from-to" for each slice, in milliseconds.
std::vector<std::string> slices(const nlohmann::json & trace)
{
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> tracks;
  std::vector<std::string> result;
  for (const auto & event : trace.at("traceEvents")) {
    const int process = event.at("pid");
    if (event.at("name") == "process_name") {
      processes[process] = event.at("args").at("name");
    } else if (event.at("name") == "thread_name") {
      tracks[{process, event.at("tid")}] = event.at("args").at("name");
    }
  }
  for (const auto & event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      const double from = event.at("ts"), duration = event.at("dur");
      const auto ms = [](double us) { return std::to_string(std::lround(us / 1000)); };
      result.push_back(
        processes.at(event.at("pid")) + "/" + tracks.at({event.at("pid"), event.at("tid")}) + " " +
        event.at("name").get<std::string>() + " " + ms(from) + "-" + ms(from + duration));
    }
  }
  return result;
}

TEST(Timeline, ShowsCoresThreadsAndTheActivation)
{
  const SimulationModel model = example();
  SimulationOptions options;
  options.duration = 60 * kMs;
  const auto result = simulate(model, options);
  const Response worst = result->chains[0].responses.worst;
  ASSERT_EQ(worst.release, 20 * kMs);
  // A switch to the thread, 4 ms of work, dds between two switches, 2 ms of work.
  ASSERT_EQ(worst.end, 30 * kMs);
  Timeline timeline = Timeline::around(model, worst);
  ASSERT_TRUE(watch(model, options, worst.run, timeline).ok());
  const auto trace = nlohmann::json::parse(timeline.to_json("both", worst));
  EXPECT_EQ(
    slices(trace),
    (std::vector<std::string>{
      "worst activation/both both 20-30", "cores of car/core 0 switch 20-21",
      "cores of car/core 0 /a:timer(50ms) 21-25", "cores of car/core 0 switch 25-26",
      "cores of car/core 0 dds 26-27", "cores of car/core 0 switch 27-28",
      "cores of car/core 0 /b:sub(/a) 28-30", "threads of main/t /a:timer(50ms) 21-25",
      "threads of main/t /b:sub(/a) 28-30"}));
}

TEST(Timeline, LeavesOutWhatIsFarFromTheActivation)
{
  const SimulationModel model = example();
  SimulationOptions options;
  options.duration = 1000 * kMs;
  const Response response{0, 520 * kMs, 530 * kMs};
  Timeline timeline = Timeline::around(model, response);
  ASSERT_TRUE(watch(model, options, 0, timeline).ok());
  const auto trace = nlohmann::json::parse(timeline.to_json("both", response));
  for (const auto & event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      EXPECT_GE(event.at("ts").get<double>() + event.at("dur").get<double>(), 510'000);
      EXPECT_LE(event.at("ts").get<double>(), 532'500);
    }
  }
  EXPECT_GE(slices(trace).size(), 5U);
}

}  // namespace
}  // namespace takt_plan
