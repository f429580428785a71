// takt_isolation: which callbacks start each other, which activations are due, and a short
// measurement of a small model in one process and in two.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "isolation/cell.hpp"
#include "isolation/plan_of_messages.hpp"
#include "isolation/spin.hpp"
#include "isolation/wires.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/test/program_test.hpp"

namespace takt_bench::isolation
{
namespace
{

using namespace std::chrono_literals;

/// A timer, and a chain of three callbacks that forks at its second one. `second`: the executor of
/// the second callback.
std::string model(const std::string & second = "main")
{
  return R"yaml(version: 1
hosts: {here: {cores: 1}}
overheads: {}
groups:
  "/a:group(1)": mutually_exclusive
  "/b:group(2)": mutually_exclusive
  "/c:group(3)": mutually_exclusive
callbacks:
  - {id: "/a:timer(10ms)", group: "/a:group(1)", time: 10us, period: 10ms, offset: 2ms, publishes: /x}
  - {id: "/b:sub(/x)", group: "/b:group(2)", time: 10us, triggers: /x, publishes: /y, executor: )yaml" +
         second + R"yaml(}
  - {id: "/c:sub(/y)", group: "/c:group(3)", time: 10us, triggers: /y}
  - {id: "/d:sub(/y)", time: 10us, triggers: /y}
chains:
  all: {path: ["/a:timer(10ms)", "/b:sub(/x)", "/c:sub(/y)"], deadline: 10ms}
)yaml";
}

takt_schedule::System system_of(const std::string & text)
{
  auto read = takt_schedule::parse_system(text, "model.yaml");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.faults().front()));
  return std::move(*read);
}

Setting setting_of(const std::string & system, const std::string & schedule)
{
  Setting setting;
  setting.system = system_of(system);
  auto loaded = takt_schedule::parse_schedule(schedule, "schedule.yaml");
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : to_string(loaded.faults().front()));
  setting.schedule = std::move(*loaded);
  setting.warmup = 20ms;
  setting.duration = 200ms;
  setting.iterations_per_us = 1.0;  // the test does not measure the work
  return setting;
}

TEST(PlanOfMessages, KnowsWhoStartsWhomInWhichProcess)
{
  const PlanOfMessages plan = plan_of_messages(system_of(model("other")));
  EXPECT_EQ(plan.executors, (std::vector<std::string>{"main", "other"}));
  EXPECT_EQ(plan.process, (std::vector<std::uint32_t>{0, 1, 0, 0}));
  EXPECT_EQ(plan.subscribers[0], (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(plan.subscribers[1], (std::vector<std::uint32_t>{2, 3}));
  ASSERT_EQ(plan.chains.size(), 1u);
  EXPECT_EQ(plan.chains[0].root, 0u);
  EXPECT_EQ(plan.chains[0].last, 2u);
}

TEST(PlanOfMessages, TellsWhatTheProgramDoesNotRun)
{
  EXPECT_TRUE(unsupported(system_of(model())).empty());
  const takt_rt::Faults faults = unsupported(system_of(R"yaml(version: 1
hosts: {here: {cores: 1}}
overheads: {}
callbacks:
  - {id: "/b:sub(/outside)", time: 10us, period: 10ms}
chains:
  outside: {path: ["/b:sub(/outside)"], deadline: 10ms}
)yaml"));
  EXPECT_EQ(faults.size(), 2u);  // the source, and the chain that begins with it
}

TEST(PlanOfMessages, CountsTheReleasesThatAreDue)
{
  const ChainEnds chain{"x", 0, 0, 10ms, 2ms};
  EXPECT_EQ(releases_between(chain, 0ms, 2ms), 0u);
  EXPECT_EQ(releases_between(chain, 0ms, 3ms), 1u);
  EXPECT_EQ(releases_between(chain, 2ms, 12ms), 1u);  // one at the beginning, none at the end
  EXPECT_EQ(releases_between(chain, 3ms, 13ms), 1u);
  EXPECT_EQ(releases_between(chain, 20ms, 220ms), 20u);
  EXPECT_EQ(releases_between(chain, 30ms, 20ms), 0u);
}

TEST(Spin, TakesIterationsInProportion)
{
  EXPECT_EQ(spin_iterations(10us, 2.5), 25u);
  EXPECT_EQ(spin_iterations(0us, 2.5), 1u);
  EXPECT_GT(calibrate_spin(), 0.0);
}

TEST(Wires, CarryMessagesWholeUntilTheOtherEndIsGone)
{
  Wire wire = Wire::make();
  Message sent;
  sent.target = 7;
  sent.count = 1;
  sent.roots[0] = {3, 4, 5};
  ASSERT_TRUE(send(wire.write.get(), sent));
  wire.write.close();
  Message got;
  ASSERT_TRUE(receive(wire.read.get(), got));
  EXPECT_EQ(got.target, 7u);
  EXPECT_EQ(got.roots[0].release_ns, 5);
  EXPECT_FALSE(receive(wire.read.get(), got));
}

struct Arrangement
{
  std::string name, executor;
  std::size_t threads;  ///< of an executor with three callbacks, and of an executor with one
  std::size_t of_one;
};

class EveryArrangement : public testing::TestWithParam<Arrangement>
{
protected:
  static std::string schedule(bool two)
  {
    const std::string executor = "{" + GetParam().executor + "}";
    return "version: 1\nexecutors:\n  main: " + executor + (two ? "\n  other: " + executor : "") +
           "\n";
  }
  static std::size_t threads(const nlohmann::ordered_json & process, const char * role)
  {
    std::size_t count = 0;
    for (const auto & thread : process.at("threads")) {
      count += thread.at("role") == role ? 1 : 0;
    }
    return count;
  }
};

TEST_P(EveryArrangement, OfOneProcessEndsWhatIsDue)
{
  const auto found = measure(setting_of(model(), schedule(false)));
  ASSERT_TRUE(found.ok()) << to_string(found.faults().front());
  const auto & chain = found.value().at("chains").at(0);
  EXPECT_EQ(chain.at("due"), 20);
  // If a busy machine delays a timer for longer than a period, the timer skips the period.
  const auto & process = found.value().at("processes").at(0);
  EXPECT_LE(chain.at("responses_ns").size(), 20u);
  EXPECT_GE(
    chain.at("responses_ns").size() + process.at("skipped_periods").get<std::size_t>() +
      process.at("overwritten").get<std::size_t>(),
    20u);
  EXPECT_EQ(threads(process, "executor"), GetParam().threads);
  EXPECT_EQ(threads(process, "receiver"), 0u);
  EXPECT_GT(process.at("rss_kib"), 0);
}

TEST_P(EveryArrangement, OfTwoProcessesCarriesReleasesThereAndBack)
{
  const auto found = measure(setting_of(model("other"), schedule(true)));
  ASSERT_TRUE(found.ok()) << to_string(found.faults().front());
  const auto & responses = found.value().at("chains").at(0).at("responses_ns");
  std::size_t excused = 0;
  for (const auto & process : found.value().at("processes")) {
    excused += process.at("skipped_periods").get<std::size_t>() +
               process.at("overwritten").get<std::size_t>();
    EXPECT_EQ(threads(process, "receiver"), 1u);
  }
  EXPECT_GE(responses.size() + excused, 20u);
  for (const auto & response : responses) {
    EXPECT_GT(response, 0);
  }
  EXPECT_EQ(threads(found.value().at("processes").at(1), "executor"), GetParam().of_one);
}

INSTANTIATE_TEST_SUITE_P(
  Isolation, EveryArrangement,
  testing::Values(
    Arrangement{"one", "threads: {main: {}}, default: all", 1, 1},
    Arrangement{"stock", "order: stock, threads: {main: {count: 3}}, default: all", 3, 3},
    // A thread for each of four groups, or for one group, beside the thread of the default set.
    Arrangement{
      "isolated",
      R"yaml(threads: {idle: {}}, default: idle, groups: [{match: "**:group(**)", isolate: true}])yaml",
      4 + 1, 1 + 1}),
  [](const auto & given) { return given.param.name; });

TEST(Measure, TellsFaultsOfEveryProcess)
{
  const auto found = measure(
    setting_of(model("other"), "version: 1\nexecutors: {main: {threads: {a: {}}, default: a}}\n"));
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.faults().size(), 1u);  // `other` has no schedule
}

class IsolationProgram : public takt_schedule::test::ProgramTest
{
protected:
  IsolationProgram() : ProgramTest(TAKT_ISOLATION) {}
};

TEST_F(IsolationProgram, WritesItsDocumentAndRefusesNonsenseInOneSentence)
{
  write("system.yaml", model());
  write("schedule.yaml", "version: 1\nexecutors: {main: {threads: {a: {}}, default: a}}\n");
  const std::string good = "system.yaml --schedule schedule.yaml --warmup 10ms --duration 50ms";
  const auto told = run(good + " --output told.json");
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(nlohmann::json::parse(content("told.json")).at("version"), 1);
  for (const char * more :
       {" --speed fast", " --duration 1ms", " --warmup soon", " --frequency 5"}) {
    const auto outcome = run(good + more);
    EXPECT_EQ(outcome.code, 2) << more;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
}

}  // namespace
}  // namespace takt_bench::isolation
