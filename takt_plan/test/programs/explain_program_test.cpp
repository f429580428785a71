// takt_explain for its users: the examples of docs/explain.md, exit codes, faults, JSON.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "takt_schedule/test/docs_example.hpp"
#include "takt_schedule/test/program_test.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::test::Outcome;

std::string shown(const std::string & comment)
{
  return takt_schedule::test::docs_block(comment, "explain.md");
}

class ExplainProgram : public takt_schedule::test::ProgramTest
{
protected:
  ExplainProgram() : ProgramTest(TAKT_EXPLAIN)
  {
    for (const char * name :
         {"system.yaml", "one.yaml", "two.yaml", "three.yaml", "four.yaml", "five.yaml",
          "loop.yaml", "control.yaml", "store.yaml", "waiting.yaml", "drive.yaml", "borders.yaml",
          "stereo.yaml", "both.yaml"}) {
      write(name, shown(std::string("file: ") + name));
    }
    write("three_cores.yaml", changed("system.yaml", "cores: 2", "cores: 3"));
  }

  // The system of the page, with `from` replaced by `to`.
  std::string changed(const std::string & name, const std::string & from, const std::string & to)
  {
    std::string text = content(name);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
};

TEST_F(ExplainProgram, SaysWhatThePageShows)
{
  for (const auto & [words, code] :
       {std::pair{"one.yaml --system system.yaml", 1},
        {"one.yaml --system system.yaml --chain obstacles", 1},
        {"two.yaml --system system.yaml --callbacks", 0},
        {"three.yaml --system system.yaml --chain obstacles", 1},
        {"four.yaml --system system.yaml --chain obstacles", 1},
        {"five.yaml --system three_cores.yaml --chain camera", 0},
        {"waiting.yaml --system store.yaml --callbacks", 0},
        {"waiting.yaml --system store.yaml --chain lanes", 0},
        {"both.yaml --system stereo.yaml", 0},
        {"borders.yaml --system drive.yaml --chain torque", 0}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, code) << words;
    EXPECT_EQ(outcome.out, shown(std::string("says: ") + words));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(ExplainProgram, ReadsTheModelThatTheScheduleNames)
{
  const std::string text = content("one.yaml");
  std::filesystem::create_directory(path("made"));
  write("made/one.yaml", text + "\nsystem: ../system.yaml\n");
  const Outcome given = run("one.yaml --system system.yaml --chain obstacles");
  EXPECT_EQ(run("made/one.yaml --chain obstacles").out, given.out);
  write("made/bare.yaml", text + "\nsystem: system\n");
  EXPECT_EQ(run("made/bare.yaml --models made . --chain obstacles").out, given.out);
  const Outcome none = run("one.yaml --chain obstacles");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "one.yaml: it names no system model (system); name it with --system\n");
  const Outcome model = run("system.yaml --chain obstacles");
  EXPECT_EQ(model.code, 2);
  EXPECT_NE(model.err.find("this is a system model"), std::string::npos) << model.err;
  write("gone.yaml", text + "\nsystem: gone_model.yaml\n");
  const Outcome gone = run("gone.yaml --json");
  EXPECT_EQ(gone.code, 2);
  EXPECT_NE(
    gone.out.find("the model it was made for is not there: 'gone_model.yaml'"), std::string::npos)
    << gone.out;
}

TEST_F(ExplainProgram, SaysWhatThePageShowsOfChainsThatRead)
{
  for (const char * words :
       {"control.yaml --system loop.yaml --chain avoid",
        "control.yaml --system loop.yaml --ages --depths"}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << words;
    EXPECT_EQ(outcome.out, shown(std::string("says: ") + words));
    EXPECT_EQ(outcome.err, shown("test: warns"));
  }
  write("deep.yaml", changed("loop.yaml", ", depth: 1", ""));
  EXPECT_EQ(run("control.yaml --system deep.yaml").err, "");
}

TEST_F(ExplainProgram, SaysWhatThePageOfPhasesShows)
{
  const auto block = [](const std::string & comment) {
    return takt_schedule::test::docs_block(comment, "phases.md");
  };
  for (const char * name :
       {"phases.yaml", "together.yaml", "apart.yaml", "map.yaml", "early.yaml", "late.yaml"}) {
    write(name, block(std::string("file: ") + name));
  }
  for (const auto & [words, code] :
       {std::pair{"together.yaml", 1},
        {"apart.yaml", 0},
        {"apart.yaml --chain obstacles", 0},
        {"early.yaml", 0},
        {"late.yaml", 0}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, code) << words;
    EXPECT_EQ(outcome.out, block(std::string("says: ") + words));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(ExplainProgram, JobsOfAHyperperiodAreInJson)
{
  for (const char * name : {"phases.yaml", "apart.yaml"}) {
    write(name, takt_schedule::test::docs_block(std::string("file: ") + name, "phases.md"));
  }
  const auto all = nlohmann::json::parse(run("apart.yaml --json --jobs").out);
  const auto & hyperperiod = all.at("hyperperiod");
  EXPECT_EQ(hyperperiod.at("length_ns"), 100'000'000);
  EXPECT_TRUE(hyperperiod.at("without").empty());
  std::vector<std::pair<std::string, std::size_t>> jobs;
  for (const auto & row : hyperperiod.at("rows")) {
    jobs.emplace_back(row.at("id"), row.at("jobs").size());
    EXPECT_EQ(row.at("runs").size(), row.at("jobs").size());
  }
  const std::vector<std::pair<std::string, std::size_t>> expected{
    {"/imu:timer(10ms)", 10},
    {"/camera:timer(50ms)", 2},
    {"/lidar:timer(100ms)", 1},
    {"/detect:sub(/points)", 1},
    {"/plan:sub(/obstacles)", 1}};
  EXPECT_EQ(jobs, expected) << "by thread, the most urgent first";
  const auto & terms = all.at("chains").at(0).at("segments").at(0).at("terms");
  EXPECT_EQ(terms.back().at("callback"), "/imu:timer(10ms)");
  EXPECT_EQ(terms.back().at("jobs").at(0).at("latest_release_ns"), 0);
  EXPECT_FALSE(nlohmann::json::parse(run("apart.yaml --json").out).contains("hyperperiod"));

  std::string unknown = content("apart.yaml");
  unknown.replace(unknown.find(", offset: 30ms"), 14, "");
  const nlohmann::json partly = [&] {
    write("partly.yaml", unknown);
    return nlohmann::json::parse(run("partly.yaml --json --jobs").out);
  }();
  EXPECT_EQ(
    partly.at("hyperperiod").at("without").at(0), "'/camera:timer(50ms)' has no known phase");
  const std::string lidar = "\"/lidar:timer(*)\", offset: 0ms";
  unknown.replace(unknown.find(lidar), lidar.size(), "\"/lidar:timer(*)\"");
  write("unknown.yaml", unknown);
  const Outcome outcome = run("unknown.yaml --json --jobs");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(
    outcome.out.find("jobs have no known windows: '/camera:timer(50ms)' has no offset"),
    std::string::npos)
    << outcome.out;
}

TEST_F(ExplainProgram, PartsAndAgesAreInJson)
{
  const auto all = nlohmann::json::parse(run("control.yaml --system loop.yaml --json").out);
  const auto & chain = all.at("chains").at(0);
  std::int64_t sum = 0;
  for (const auto & part : chain.at("parts")) {
    for (const char * term : {"under_way_ns", "next_ns", "bound_ns"}) {
      sum += part.at(term).get<std::int64_t>();
    }
  }
  EXPECT_EQ(chain.at("parts").size(), 2u);
  EXPECT_EQ(sum, chain.at("bound_ns").get<std::int64_t>());
  EXPECT_EQ(chain.at("reaction_time_ns").get<std::int64_t>(), sum + 100'000'000)
    << "the lidar's period";
  EXPECT_EQ(chain.at("data_age_ns"), chain.at("reaction_time_ns"));
  EXPECT_LT(chain.at("age_at_output_ns"), chain.at("data_age_ns"));
  EXPECT_EQ(all.at("depths").size(), 2u);
  EXPECT_EQ(all.at("depths").at(1).at("topic"), "/steering");
  EXPECT_EQ(all.at("depths").at(1).at("depth"), 1);
  EXPECT_EQ(all.at("warnings").size(), 1u);
}

TEST_F(ExplainProgram, CallsASetWhatThePathCallsIt)
{
  write("fuse.yaml", takt_schedule::test::docs_block("test: set", "system.md"));
  write(
    "threads.yaml",
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    order: priority\n"
    "    threads: {one: {policy: fifo, priority: 90, cores: [0]}}\n"
    "    default: one\n");
  const std::string by_front = "/fuse:sub(/front/points)";
  const std::string by_rear = "/fuse:sub(/rear/points)";
  for (const auto & [chain, own, other] :
       {std::tuple{"front", by_front, by_rear}, {"rear", by_rear, by_front}}) {
    const std::string words = std::string("threads.yaml --system fuse.yaml --chain ") + chain;
    for (const std::string & said :
         {run(words).out, nlohmann::json::parse(run(words + " --json").out).at("chains").dump()}) {
      EXPECT_NE(said.find(own), std::string::npos) << said;
      EXPECT_EQ(said.find(other), std::string::npos) << said;
      EXPECT_EQ(said.find("9223372036"), std::string::npos) << "each part has an end: " << said;
    }
  }
  // Without --chain, each chain names callbacks by its own path, and tables have all names of a
  // callback.
  const auto all = nlohmann::json::parse(run("threads.yaml --system fuse.yaml --json").out);
  EXPECT_EQ(all.at("chains").at(0).dump().find(by_rear), std::string::npos);
  EXPECT_EQ(all.at("chains").at(1).dump().find(by_front), std::string::npos);
  EXPECT_EQ(all.at("callbacks").at(2).at("ids"), (std::vector<std::string>{by_front, by_rear}));
  // Each history belongs to another subscription.
  EXPECT_EQ(all.at("depths").at(0).at("callback"), by_front);
  EXPECT_EQ(all.at("depths").at(1).at("callback"), by_rear);
}

TEST_F(ExplainProgram, SaysWhyThereIsNoDataAge)
{
  // The lidar's messages come from outside.
  std::string text = content("loop.yaml");
  for (std::size_t at = text.find("/lidar:timer(100ms)"); at != std::string::npos;
       at = text.find("/lidar:timer(100ms)")) {
    text.replace(at, 19, "/lidar:sub(/raw)");
  }
  write("outside.yaml", text);
  const Outcome outcome = run("control.yaml --system outside.yaml --ages");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(
    outcome.out.find("avoid has no data age: no timer starts '/lidar:sub(/raw)', and of messages "
                     "from outside of the model it is known only that they come at most so often: "
                     "how long until the next is open"),
    std::string::npos)
    << outcome.out;
}

TEST_F(ExplainProgram, WarnsWhereNoActivationNeedEnd)
{
  write("two_ways.yaml", R"yaml(version: 1
hosts: {car: {cores: 1}}
overheads: {}
callbacks:
  - {id: "/a:timer(15ms)", time: 1ms, period: 15ms, offset: 15ms, publishes: /x}
  - {id: "/b:timer(15ms)", time: 1ms, period: 15ms, offset: 20ms, publishes: /y}
  - {id: "/m:sub(/x)", time: 1ms, triggers: [/x, /y], publishes: /z}
  - {id: "/r:timer(15ms)", time: 1ms, period: 15ms, offset: 25ms, reads: /z}
chains:
  one: {path: ["/a:timer(15ms)", "/m:sub(/x)", "/r:timer(15ms)"], deadline: 40ms}
)yaml");
  write(
    "threads.yaml",
    "version: 1\nexecutors: {main: {order: fifo, threads: {t: {policy: fifo, priority: 9, "
    "cores: [0]}}, default: t}}\n");
  const std::string why =
    "'/m:sub(/x)' is also started by '/b:timer(15ms)', and what '/m:sub(/x)' then publishes may "
    "always replace the chain's message before '/r:timer(15ms)' reads it";
  const std::string words = "threads.yaml --system two_ways.yaml";
  const Outcome outcome = run(words + " --ages");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("one has no data age: " + why + "\n"), std::string::npos)
    << outcome.out;
  EXPECT_EQ(
    outcome.err,
    "warning: chain 'one': " + why +
      "; the bound holds only for activations that end; possibly no activation ends\n");
  const auto all = nlohmann::json::parse(run(words + " --json").out);
  EXPECT_EQ(all.at("chains").at(0).at("why_no_data_age"), why);
  ASSERT_EQ(all.at("warnings").size(), 1u);
  EXPECT_EQ("warning: " + all.at("warnings").at(0).get<std::string>() + "\n", outcome.err);
}

TEST_F(ExplainProgram, JudgesOnlyTheChainAskedFor)
{
  EXPECT_EQ(run("one.yaml --system system.yaml --chain camera").code, 0);
  const Outcome nobody = run("one.yaml --system system.yaml --chain nobody");
  EXPECT_EQ(nobody.code, 2);
  EXPECT_EQ(nobody.err, "--chain: there is no chain 'nobody'; chains are obstacles and camera\n");
  const Outcome typo = run("two.yaml --system system.yaml --chain obstacle");
  EXPECT_EQ(typo.code, 2);
  EXPECT_EQ(typo.err, "--chain: there is no chain 'obstacle'; did you mean 'obstacles'?\n");
}

TEST_F(ExplainProgram, TheTermsAddUpInJson)
{
  for (const char * schedule : {"one.yaml", "three.yaml", "four.yaml", "five.yaml"}) {
    const Outcome outcome = run(std::string(schedule) + " --system three_cores.yaml --json");
    const auto all = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(all.at("met").get<bool>(), outcome.code == 0) << schedule;
    ASSERT_EQ(all.at("chains").size(), 2u);
    for (const auto & chain : all.at("chains")) {
      std::int64_t reached = 0;
      for (const auto & segment : chain.at("segments")) {
        std::int64_t sum = 0;
        for (const auto & term : segment.at("terms")) {
          sum += term.at("ns").get<std::int64_t>();
        }
        EXPECT_EQ(sum, segment.at("response_ns").get<std::int64_t>()) << schedule;
        reached = segment.at("released_ns").get<std::int64_t>() + sum;
      }
      EXPECT_EQ(reached, chain.at("bound_ns").get<std::int64_t>()) << schedule;
    }
    EXPECT_EQ(all.at("callbacks").size(), 6u);
  }
}

// Timers of another process have messages under way for so long that busy intervals of main's
// thread do not end.
TEST_F(ExplainProgram, ExplainsAnEndThatOnlyAnalysesWithoutPhasesKnow)
{
  write("ends.yaml", R"yaml(version: 1
hosts: {h: {cores: 1}}
overheads: {}
callbacks:
  - {id: "/a:timer(20ms)", time: 1ms, period: 20ms, publishes: /x0}
  - {id: "/b:timer(10ms)", time: 2ms, period: 10ms, publishes: /x1}
  - {id: "/c:timer(40ms)", executor: other, time: 9ms, period: 40ms}
  - {id: ["/f:sub(/x0)", "/f:sub(/x1)"], time: 9ms, triggers: [/x0, /x1], trigger: newest}
chains:
  a: {path: ["/a:timer(20ms)", "/f:sub(/x0)"], priority: 1, deadline: 1s}
  b: {path: ["/b:timer(10ms)", "/f:sub(/x1)"], priority: 1, deadline: 1s}
  c: {path: ["/c:timer(40ms)"], priority: 1, deadline: 1s}
)yaml");
  write("host.yaml", R"yaml(version: 1
system: ends.yaml
epoch: host
executors:
  main:
    order: priority
    threads: {t0: {policy: fifo, priority: 54, cores: [0]}}
    default: t0
    callbacks:
      - {match: "/a:timer(*)", priority: 3, offset: 8ms}
      - {match: "/b:timer(*)", priority: 0, offset: 0ms}
      - {match: "/f:**", priority: 4}
  other:
    order: priority
    threads: {t0: {policy: fifo, priority: 47, cores: [0]}}
    default: t0
)yaml");
  for (const std::string chain : {"a", "b", "c"}) {
    EXPECT_EQ(run("host.yaml --chain " + chain).code, 0) << chain;
  }
  const auto json = nlohmann::json::parse(run("host.yaml --json").out);
  EXPECT_EQ(json.at("chains").size(), 3u);
  for (const auto & chain : json.at("chains")) {
    for (const auto & segment : chain.value("segments", nlohmann::json::array())) {
      std::int64_t sum = 0;
      for (const auto & term : segment.at("terms")) {
        sum += term.at("ns").get<std::int64_t>();
      }
      EXPECT_EQ(sum, segment.at("response_ns").get<std::int64_t>()) << chain.at("name");
    }
  }
}

TEST_F(ExplainProgram, JsonSaysByWhichAnalysisEachPartIs)
{
  const auto all = nlohmann::json::parse(run("three.yaml --system system.yaml --json").out);
  const auto & chain = all.at("chains").at(0);
  EXPECT_EQ(chain.at("analysis"), "several");
  ASSERT_EQ(chain.at("segments").size(), 2u);
  const auto & first = chain.at("segments").at(0);
  EXPECT_EQ(first.at("analysis"), "priority");
  const auto & terms = first.at("terms");
  ASSERT_EQ(terms.size(), 4u);
  EXPECT_EQ(terms.at(0), nlohmann::json({{"term", "work"}, {"ns", 30'000'000}}));
  EXPECT_EQ(terms.at(1).at("term"), "overhead");
  EXPECT_EQ(terms.at(2).at("thread"), "planner");
  EXPECT_EQ(terms.at(3).at("callback"), "/camera:timer(50ms)");
  const auto & last = chain.at("segments").at(1);
  EXPECT_EQ(last.at("analysis"), "deadline");
  EXPECT_EQ(last.at("cores"), nlohmann::json({0, 1}));
  EXPECT_EQ(last.at("terms").at(3).at("term"), "reservation");
  const auto end =
    last.at("released_ns").get<std::int64_t>() + last.at("response_ns").get<std::int64_t>();
  EXPECT_EQ(chain.at("bound_ns"), end);
}

TEST_F(ExplainProgram, SaysWhereOnlyAnotherThreadOfEqualPriorityLetsSomethingGoBefore)
{
  write(
    "small.yaml",
    "version: 1\nhosts: {car: {cores: 1}}\ncallbacks:\n"
    "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: /a}\n"
    "  - {id: \"/b:sub(/a)\", time: 1ms, triggers: /a}\n"
    "  - {id: \"/t:timer(20ms)\", time: 2ms, period: 20ms}\n"
    "chains: {main: {path: [\"/a:timer(10ms)\", \"/b:sub(/a)\"], deadline: 10ms}}\n");
  const auto explained = [&](const std::string & rest, const std::string & of_b) {
    write(
      "threads.yaml",
      "version: 1\nexecutors:\n  main:\n    order: priority\n    threads:\n"
      "      hot: {policy: fifo, priority: 80, cores: [0]}\n"
      "      rest: {policy: fifo, priority: " +
        rest +
        ", cores: [0]}\n"
        "    default: hot\n    callbacks:\n"
        "      - {match: \"/a:timer(10ms)\", threads: hot, priority: 9}\n"
        "      - {match: \"/b:sub(/a)\", threads: " +
        of_b +
        ", priority: 5}\n"
        "      - {match: \"/t:timer(20ms)\", threads: hot, priority: 0}\n");
    return run("threads.yaml --system small.yaml --chain main").out;
  };
  const std::string interference = "interference by /t:timer(20ms) on hot (OS priority 80)";
  const std::string why = ", less urgent: another thread there has the same OS priority\n";
  // The segment's other thread, which is less urgent, causes this.
  EXPECT_NE(explained("50", "rest").find(interference + "\n"), std::string::npos);
  EXPECT_NE(explained("80", "rest").find(interference + why), std::string::npos);
}

// Two pairs of more urgent callbacks fill the pool, one after the other, so that the run of 20 ms
// waits for the run of 10 ms, and then again.
TEST_F(ExplainProgram, ACallbackOfAPoolThatWaitsForItselfIsNotParked)
{
  std::string model =
    "version: 1\noverheads: {context_switch: 10us}\nhosts: {car: {cores: 2}}\n"
    "chains: {main: {path: [\"/a:timer(10ms)\"], deadline: 100ms}}\ncallbacks:\n"
    "  - {id: \"/a:timer(10ms)\", time: 4ms, period: 10ms}\n";
  std::string schedule =
    "version: 1\nexecutors:\n  main:\n    order: priority\n    threads:\n"
    "      w0: {policy: fifo, priority: 50, cores: [0]}\n"
    "      w1: {policy: fifo, priority: 50, cores: [1]}\n"
    "    default: w0\n    callbacks:\n"
    "      - {match: \"/a:timer(*)\", threads: [w0, w1], offset: 0ms}\n";
  for (const auto & [name, offset] :
       {std::pair{"b", "8ms"}, {"c", "8ms"}, {"d", "25ms"}, {"e", "25ms"}}) {
    model += std::string("  - {id: \"/") + name + ":timer(100ms)\", time: 15ms, period: 100ms}\n";
    schedule += std::string("      - {match: \"/") + name +
                ":timer(*)\", threads: [w0, w1], priority: 9, offset: " + offset + "}\n";
  }
  write("small.yaml", model);
  write("threads.yaml", schedule);
  const std::string said = run("threads.yaml --system small.yaml --chain main").out;
  EXPECT_NE(
    said.find("waiting for other runs of /a:timer(10ms), released at 10ms\n"), std::string::npos)
    << said;
  EXPECT_EQ(said.find("parked"), std::string::npos) << said;
  EXPECT_NE(said.find("switches to its threads, each time that another"), std::string::npos)
    << said;
}

TEST_F(ExplainProgram, AChainWithoutABoundSaysWhyAndIsNotMet)
{
  write("pool.yaml", changed("two.yaml", "default: planner", "default: all"));
  const Outcome outcome = run("pool.yaml --system system.yaml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
    outcome.out.find("obstacles has no bound: '/plan:sub(/obstacles)' may run on thread 'planner': "
                     "thread 'log' may take core 1 of car from it"),
    std::string::npos)
    << outcome.out;
}

TEST_F(ExplainProgram, SaysOfALateChainWhatAGroupCostsAndWhatNoScheduleMends)
{
  const auto says = [&](const std::string & deadline) {
    write(
      "shared.yaml",
      "version: 1\noverheads: {}\nhosts: {car: {cores: 2}}\n"
      "groups: {\"/n:group(0)\": mutually_exclusive}\n"
      "callbacks:\n"
      "  - {id: \"/n:timer(20ms)\", group: \"/n:group(0)\", time: 2ms, period: 20ms}\n"
      "  - {id: \"/n:timer(40ms)\", group: \"/n:group(0)\", time: 8ms, period: 40ms}\n"
      "chains:\n"
      "  fast: {path: [\"/n:timer(20ms)\"], deadline: " +
        deadline + "}\n");
    write(
      "shared_plan.yaml",
      "version: 1\nexecutors: {main: {order: priority, default: t, threads: {t: {policy: fifo, "
      "priority: 9, cores: [0]}}}}\n");
    return run("shared_plan.yaml --system shared.yaml --chain fast").out;
  };
  const std::string late = says("3ms");
  EXPECT_TRUE(late.ends_with(
    "/n:timer(40ms) delays it by 8ms, and shares a mutually exclusive callback group with "
    "/n:timer(20ms): if the code needs no mutual exclusion, callback groups of their own let them "
    "have threads of their own\n"))
    << late;
  const std::string impossible = says("1ms");
  EXPECT_TRUE(impossible.ends_with(
    "\nfast: No schedule can meet its deadline of 1ms: its callbacks alone take 2ms.\n"))
    << impossible;
  const std::string met = says("12ms");
  EXPECT_EQ(met.find("group"), std::string::npos) << met;
  EXPECT_EQ(met.find("No schedule"), std::string::npos) << met;
}

TEST_F(ExplainProgram, NamesWhatIsWrongInEitherFile)
{
  write("bad.yaml", changed("system.yaml", "time: 8ms", "time: 8"));
  const Outcome bad = run("nowhere.yaml --system bad.yaml");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.yaml:8:"), std::string::npos) << bad.err;
  EXPECT_NE(bad.err.find("nowhere.yaml: cannot be read"), std::string::npos) << bad.err;
  // Cores are those of the model, not of this machine.
  write("more.yaml", changed("two.yaml", "cores: [1]", "cores: [7]"));
  const Outcome core = run("more.yaml --system system.yaml");
  EXPECT_EQ(core.code, 2);
  EXPECT_NE(core.err.find("core 7 cannot be used; usable cores are 0-1"), std::string::npos)
    << core.err;
  write("big.yaml", changed("system.yaml", "cores: 2", "cores: 64"));
  EXPECT_EQ(run("more.yaml --system big.yaml").code, 0) << run("more.yaml --system big.yaml").err;
}

TEST_F(ExplainProgram, WarnsOfARuleThatMatchesNothing)
{
  write("odd.yaml", changed("one.yaml", "/plan:sub(/*)", "/plan:sub(*)"));
  const Outcome outcome = run("odd.yaml --system system.yaml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
    outcome.err.find("warning: odd.yaml:17:9: pattern '/plan:sub(*)' matches no callback"),
    std::string::npos)
    << outcome.err;
}

TEST_F(ExplainProgram, RefusesWhatItDoesNotKnowOfTriggers)
{
  const std::string when =
    content("waiting.yaml") + "    groups: [{match: \"/steer:group(*)\", when: all}]\n";
  write("when.yaml", when);
  const Outcome condition = run("when.yaml --system store.yaml");
  EXPECT_EQ(condition.code, 2);
  EXPECT_NE(
    condition.err.find(
      "the condition (when) of group '/steer:group(0)' has '/steer:sub(/lanes)', which does not "
      "trigger"),
    std::string::npos)
    << condition.err;
  const Outcome borders = run("borders.yaml --system drive.yaml --json --jobs");
  EXPECT_EQ(borders.code, 2);
  EXPECT_NE(borders.out.find("has let"), std::string::npos) << borders.out;
  const Outcome jobs = run("waiting.yaml --system store.yaml --json --jobs");
  EXPECT_EQ(jobs.code, 2);
  EXPECT_NE(jobs.out.find("runs within those of its takers"), std::string::npos) << jobs.out;
}

TEST_F(ExplainProgram, SaysWhereADepthIsAssumed)
{
  write("assumed.yaml", changed("store.yaml", ", depth: 10", ""));
  const Outcome assumed = run("waiting.yaml --system assumed.yaml");
  EXPECT_NE(
    assumed.err.find(
      "/steer:sub(/lanes) does not trigger, and the model does not say the depth of its "
      "history: takt assumes 10 messages"),
    std::string::npos)
    << assumed.err;
  EXPECT_EQ(run("waiting.yaml --system store.yaml").err, "");
}

TEST_F(ExplainProgram, SaysThatARunDoesNotFitItsPeriod)
{
  write(
    "slow.yaml", changed(
                   "drive.yaml", "  - {id: \"/wheel",
                   "  - {id: \"/log:timer(1s)\", time: 10ms, period: 1s}\n  - {id: \"/wheel"));
  const Outcome outcome = run("borders.yaml --system slow.yaml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
    outcome.out.find(
      "group '/observe:group(0)' has let, and its timer '/observe:timer(20ms)' may end "
      "its runs"),
    std::string::npos)
    << outcome.out;
}

// The schedule's deadline is for the running system. Bounds are compared with the model's deadline.
TEST_F(ExplainProgram, WarnsOfAnotherDeadlineInTheSchedule)
{
  const std::string chains = "chains:\n  camera: {path: [\"/camera:timer(40ms)\"], deadline: ";
  write("system2.yaml", R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/camera:timer(40ms)", time: 3ms, period: 40ms}
)yaml" + chains + "40ms}\n");
  const std::string schedule =
    "version: 1\nexecutors: {main: {order: priority, threads: {t: {policy: fifo, priority: 9, "
    "cores: [0]}}, default: t}}\n";
  write("late.yaml", schedule + chains + "10ms}\n");
  write("same.yaml", schedule + chains + "40ms}\n");
  const Outcome outcome = run("late.yaml --system system2.yaml");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(
    outcome.err.find("warning: late.yaml:4:3: chain 'camera' has another deadline in the system "
                     "model; that one counts here"),
    std::string::npos)
    << outcome.err;
  EXPECT_EQ(run("same.yaml --system system2.yaml").err, "");
}

TEST_F(ExplainProgram, SaysThatTheOutputCannotBeWritten)
{
  const Outcome outcome = run("two.yaml --system system.yaml", "/dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("cannot be written: No space left"), std::string::npos) << outcome.err;
}

TEST_F(ExplainProgram, ACommandLineThatIsWrongIsOneSentence)
{
  for (const char * words : {"", "one.yaml", "one.yaml --system system.yaml --nonsense"}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

// No process writes to the pipe: a program that opened it would wait for ever.
TEST_F(ExplainProgram, RefusesAPipeThatAScheduleNamesAsItsSystem)
{
  ASSERT_EQ(::mkfifo(path("pipe.yaml").c_str(), 0600), 0);
  write(
    "named.yaml", "version: 1\nsystem: pipe.yaml\n" +
                    content("one.yaml").substr(content("one.yaml").find("executors:")));
  for (const auto & [words, fault] :
       {std::pair{"named.yaml", "named.yaml:2:9: the model it was made for is not a regular file"},
        {"one.yaml --system pipe.yaml", "pipe.yaml: is a pipe without a writer"},
        {"pipe.yaml --system system.yaml", "pipe.yaml: is a pipe without a writer"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_NE(outcome.err.find(fault), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace takt_plan
