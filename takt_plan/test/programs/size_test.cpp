// Very many entries in the files of plan, explain and simulate: an answer, or a sentence that names
// the excess, within seconds and some gigabytes.
//
// A loop whose time grows with the square of the entries runs into the runner's time-out. Too much
// memory becomes a refused allocation. The tests themselves read no clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "takt_plan/end_to_end.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/test/program_test.hpp"
#include "takt_schedule/test/repeated.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_schedule::parse_system;
using takt_schedule::test::kMany;
using takt_schedule::test::repeated;

const std::string kHead = "version: 1\nhosts: {h: {cores: 4, overheads: {}}}\ncallbacks:\n";
const std::string kSchedule =
  "version: 1\nexecutors: {main: {order: priority, threads: {t: {policy: fifo, priority: 50, "
  "cores: [0]}}, default: t}}\n";

std::string timers(int count)
{
  return repeated(count, [](const std::string & n) {
    return "- {id: \"/n" + n + ":timer(9s)\", time: 1ns, period: 9s, depth: 1}\n";
  });
}

std::string publishers(int count)
{
  return repeated(count, [](const std::string & n) {
    return "- {id: \"/p" + n + ":timer(9s)\", time: 1ns, period: 9s, publishes: /t}\n";
  });
}

std::string readers(int count)
{
  return repeated(count, [](const std::string & n) {
    return "- {id: \"/s" + n + ":sub(/t)\", time: 1ns, triggers: /t, depth: 1}\n";
  });
}

/// The only fault of both files together. If there is not exactly one: their number.
std::string fault_of(const std::string & system, const std::string & schedule = kSchedule)
{
  const Faults faults = parse_plan(system, schedule).faults();
  return faults.size() == 1 ? to_string(faults.front()) : std::to_string(faults.size()) + " faults";
}

bool has(const std::string & text, const std::string & part)
{
  return text.find(part) != std::string::npos;
}

TEST(Size, PublishersTimesReadersAreNotTakenApart)
{
  EXPECT_EQ(
    fault_of(kHead + publishers(9'000) + readers(9'000)),
    "system.yaml:10115:3: with '/s1111:sub(/t)' readers of topics have more than 10000000 "
    "publishers, each counted for each; describe fewer of them");
  EXPECT_EQ(
    fault_of(kHead + publishers(kMany) + readers(kMany)),
    "system.yaml:100004:3: '/s0:sub(/t)' gets messages of 100000 publishers, and a callback has at "
    "most 10000; describe fewer of them");
}

TEST(Size, ATopicOfManyReadersIsSimulated)
{
  const auto plan = parse_plan(kHead + publishers(1) + readers(kMany), kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const auto seen = simulate(simulation_model(*plan), {});
  ASSERT_TRUE(seen.ok()) << seen.faults().front();
  EXPECT_EQ(seen->jobs, 1U + kMany);
}

TEST(Size, ManyCallbacksAreSimulatedAndRefusedByTheAnalysis)
{
  const auto plan = parse_plan(kHead + timers(kMany), kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  EXPECT_EQ(
    end_to_end(plan->model).faults(),
    Faults{"the system is too large for an analysis, which compares what may delay each other: "
           "10000100000 pairs, and at most 20000000; core 0 of h alone has callbacks that are "
           "started in 100000 ways, and 1 threads: split the system, or simulate it"});
  const auto seen = simulate(simulation_model(*plan), {});
  ASSERT_TRUE(seen.ok()) << seen.faults().front();
  EXPECT_EQ(seen->jobs, static_cast<std::uint64_t>(kMany));
}

TEST(Size, AsManyCallbacksAsTheAnalysisTakesHaveBounds)
{
  const auto plan = parse_plan(kHead + timers(2'000), kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const auto found = bounds(plan->model);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  for (const auto & bound : found->tasks) {
    ASSERT_TRUE(bound.ok()) << bound.faults().front();
    EXPECT_EQ(*bound, 2'000);  // each of the others may precede it
  }
}

TEST(Size, ManyWaysOfFewCallbacksCountAsWell)
{
  const auto plan = parse_plan(kHead + publishers(60) + readers(2'000), kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const Faults faults = bounds(plan->model).faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_TRUE(has(to_string(faults.front()), "started in 120060 ways")) << faults.front();
}

TEST(Size, MoreThanCanBePlannedIsToldBeforeTheSearch)
{
  for (const auto & [count, fault] :
       {std::pair{
          kMany,
          "system.yaml:4:3: 100000 callbacks are too many for one schedule, which has a rule for "
          "each; "
          "plan for at most 20000"},
        {10'000,
         "system.yaml:4:3: 10000 callbacks are too many for so few cores: takt would compare "
         "25000000 pairs of callbacks that may share a core, and compares at most 20000000; split "
         "the system, or use more cores"}}) {
    const auto system = parse_system(kHead + timers(count), "system.yaml");
    ASSERT_TRUE(system.ok());
    for (const Planner planner : kPlanners) {
      PlanOptions options;
      options.planner = planner;
      EXPECT_EQ(
        sentences(plan_schedule(*system, options).faults()), std::vector<std::string>{fault});
    }
  }
}

TEST(Size, MoreThanCanBePlannedForTheirCoresIsToldBeforeTheSearch)
{
  const auto system = parse_system(
    "version: 1\nhosts: {h: {cores: 20}}\ncallbacks:\n" +
      repeated(
        10'000,
        [](const std::string & n) {
          return "- {id: \"/n" + n + ":timer(9s)\", time: 1ns, period: 9s, cores: [" +
                 (n.size() < 4 || n < "7000" ? "3" : "4, 7") + "]}\n";
        }),
    "system.yaml");
  ASSERT_TRUE(system.ok());
  std::uint64_t on_3 = 0;
  for (const auto & callback : system->callbacks) {
    on_3 += callback.cores.size() == 1 ? 1 : 0;
  }
  const std::uint64_t elsewhere = system->callbacks.size() - on_3;
  const std::uint64_t pairs = on_3 * on_3 + elsewhere * elsewhere / 2;
  ASSERT_GT(pairs, 20'000'000U);
  const Faults faults = plan_schedule(*system, {}).faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_TRUE(has(to_string(faults.front()), "compare " + std::to_string(pairs) + " pairs"))
    << faults.front();
}

TEST(Size, ManyHostsWithACallbackEachArePlannedFor)
{
  constexpr int kHosts = 2'000;
  const auto system = parse_system(
    "version: 1\nhosts:\n" +
      repeated(kHosts, [](const std::string & n) { return "  h" + n + ": {cores: 2}\n"; }) +
      "callbacks:\n" +
      repeated(
        kHosts,
        [](const std::string & n) {
          return "- {id: \"/n" + n + ":timer(1s)\", host: h" + n + ", executor: e" + n +
                 ", time: 1ms, period: 1s}\n";
        }),
    "system.yaml");
  ASSERT_TRUE(system.ok()) << system.faults().front();
  PlanOptions options;
  options.planner = Planner::rate_monotonic;
  const auto planned = plan_schedule(*system, options);
  ASSERT_TRUE(planned.ok()) << planned.faults().front();
  EXPECT_EQ(planned->schedule.executors.size(), static_cast<std::size_t>(kHosts));
}

TEST(Size, ExecutorsThatTheScheduleDoesNotHaveAreOneFault)
{
  EXPECT_EQ(
    fault_of(
      kHead + repeated(
                kMany,
                [](const std::string & n) {
                  return "- {id: \"/n" + n + ":timer(9s)\", executor: e" + n +
                         ", time: 1ns, period: 9s}\n";
                })),
    "schedule.yaml: 100000 executors of the system are missing, among them 'e0'; is this the "
    "schedule of another system?");
}

TEST(Size, ManyChainsThroughOneCallbackHaveBounds)
{
  const auto plan = parse_plan(
    kHead + timers(1) + "chains:\n" +
      repeated(
        kMany, [](const std::string & n) { return "  c" + n + ": {path: [\"/n0:timer(9s)\"]}\n"; }),
    kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const auto found = end_to_end(plan->model);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  ASSERT_EQ(found->bounds.chains.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(found->bounds.chains.back()->bound, 1);
  const auto seen = simulate(simulation_model(*plan), {});
  ASSERT_TRUE(seen.ok()) << seen.faults().front();
  EXPECT_EQ(seen->chains.back().responses.count, 1U);
}

TEST(Size, ReleasesWithoutEndAreNotSimulated)
{
  const auto plan =
    parse_plan(kHead + "- {id: \"/a:timer(1ns)\", time: 0ns, period: 1ns}\n", kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const Faults faults = simulate(simulation_model(*plan), {}).faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(
    faults.front(),
    "in 10s there would be 10000000001 releases in one run (threads: 1, hosts: 1), too many to "
    "simulate; take several shorter runs, or simulate less of the system");
}

// Later callbacks are more urgent, so that no history overflows.
TEST(Size, MessagesThatMultiplyFromCallbackToCallbackEndTheSimulation)
{
  constexpr int kSteps = 40;
  std::string schedule = kSchedule;
  schedule.erase(schedule.rfind("}}"));
  schedule += ", callbacks: [";
  std::string text =
    kHead + "- {id: \"/n0:timer(9s)\", time: 1ns, period: 9s, publishes: [/a0, /b0]}\n";
  for (int i = 1; i < kSteps; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "- {id: \"/n" + n + ":sub(/x)\", time: 1ns, triggers: [/a" + before + ", /b" + before +
            "], publishes: [/a" + n + ", /b" + n + "]}\n";
    schedule += "{match: \"/n" + n + ":**\", priority: " + n + "}, ";
  }
  schedule += "]}}\n";
  const auto plan = parse_plan(text, schedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const Faults faults = simulate(simulation_model(*plan), {}).faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_TRUE(has(to_string(faults.front()), "messages multiply from callback to callback"))
    << faults.front();
}

/// On core 0, or in a pool on cores 0 and 1.
class SizeOfTerms : public testing::TestWithParam<std::string>
{
};

TEST_P(SizeOfTerms, ThoseOfTheMostImportantChainsAreMade)
{
  constexpr int kChains = 1'200;
  std::string text = kHead + timers(kChains) + "chains:\n";
  text += repeated(kChains, [](const std::string & n) {
    return "  c" + n + ": {path: [\"/n" + n +
           ":timer(9s)\"], priority: " + (n.size() == 4 ? "7" : "5") + "}\n";
  });
  const auto plan = parse_plan(text, GetParam());
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const auto found = end_to_end(plan->model, {}, true);
  ASSERT_TRUE(found.ok());
  std::size_t terms = 0;
  bool ended = false;
  for (Index i = 0; i < kChains; ++i) {
    const Index chain = (i + 1'000) % kChains;  // chains from the thousandth on come first
    ASSERT_EQ(plan->model.chains[chain].priority, chain >= 1'000 ? 7 : 5);
    const SegmentBound & segment = found->chains[chain]->parts.front().answer.segments.front();
    ended = ended || segment.terms.empty();
    ASSERT_EQ(sum_of(segment.terms), ended ? 0 : segment.response) << chain;
    terms += size_of(segment.terms);
  }
  EXPECT_TRUE(ended);
  EXPECT_GE(terms, kMostTerms);
  EXPECT_LT(terms, kMostTerms + 2 * kChains + 10);
}

const std::string kPool =
  "version: 1\nexecutors: {main: {order: priority, threads: {t: {policy: fifo, priority: 50, "
  "cores: [0]}, u: {policy: fifo, priority: 50, cores: [1]}}, default: [t, u]}}\n";

INSTANTIATE_TEST_SUITE_P(Schedules, SizeOfTerms, testing::Values(kSchedule, kPool));

// The chain that reads is the most important. The analysis asks for its parts separately.
TEST(Size, TermsOfChainsThatReadAreMadeInTheirTurn)
{
  constexpr int kChains = 900;
  std::string text = kHead + timers(kChains) +
                     "- {id: \"/a:timer(9s)\", time: 1ns, period: 9s, publishes: /a}\n"
                     "- {id: \"/r:timer(9s)\", time: 1ns, period: 9s, reads: /a}\nchains:\n"
                     "  reads: {path: [\"/a:timer(9s)\", \"/r:timer(9s)\"], priority: 9}\n";
  const std::string others = repeated(kChains, [](const std::string & n) {
    return "  c" + n + ": {path: [\"/n" + n + ":timer(9s)\"], priority: 5}\n";
  });
  const auto plan = parse_plan(text + others, kSchedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const auto found = end_to_end(plan->model, {}, true);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->chains.front()->parts.size(), 2U);
  for (const PathPart & part : found->chains.front()->parts) {
    const SegmentBound & segment = part.answer.segments.front();
    EXPECT_EQ(sum_of(segment.terms), segment.response);
  }
  EXPECT_TRUE(found->chains.back()->parts.front().answer.segments.front().terms.empty());
}

class ManyPublishers : public takt_schedule::test::ProgramTest,
                       public testing::WithParamInterface<const char *>
{
protected:
  ManyPublishers() : ProgramTest(GetParam()) {}
};

TEST_P(ManyPublishers, AreToldOnceWithFileLineAndRemedy)
{
  const bool plans = GetParam() == std::string(TAKT_PLAN);
  constexpr int kReaders = 300;
  std::string chains = "chains:\n";
  for (int i = 0; i < kReaders; ++i) {
    const std::string n = std::to_string(i);
    chains +=
      "  c" + n + ": {path: [\"/p" + n + ":timer(9s)\", \"/s" + n + ":sub(/t)\"], deadline: 1s}\n";
  }
  write("schedule.yaml", kSchedule);
  write("system.yaml", kHead + publishers(2'000) + readers(kReaders) + chains);
  const auto outcome =
    run(plans ? "system.yaml -o new.yaml" : "schedule.yaml --system system.yaml");
  EXPECT_EQ(outcome.code, plans ? 2 : 1);
  EXPECT_EQ(
    outcome.err,
    (plans ? "" : std::string("warning: ")) +
      "system.yaml:2004:3: '/s0:sub(/t)' and 299 other callbacks are each started in more than 64 "
      "ways, the most that the analysis tells apart; '/t' has 2000 publishers: divide the topic, "
      "or "
      "leave publishers that no chain needs out of the model\n");
  EXPECT_LT(std::count(outcome.out.begin(), outcome.out.end(), '\n'), kReaders + 25);
}

INSTANTIATE_TEST_SUITE_P(
  Programs, ManyPublishers, testing::Values(TAKT_PLAN, TAKT_EXPLAIN), [](const auto & program) {
    const std::string path = program.param;
    return path.substr(path.rfind('/') + 1);
  });

// The memory limit is for programs without sanitizers.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Lines of progress come on a slow machine only.
std::string without_progress(const std::string & text)
{
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    kept += has(line, ": simulating") ? "" : line + "\n";
  }
  return kept;
}

class Limited : public takt_schedule::test::ProgramTest,
                public testing::WithParamInterface<const char *>
{
protected:
  Limited() : ProgramTest(GetParam()) { limit_memory(2U << 10U); }
};

TEST_P(Limited, ReadsAndRefusesWithinTwoGibibytes)
{
  const bool plans = GetParam() == std::string(TAKT_PLAN);
  const bool explains = GetParam() == std::string(TAKT_EXPLAIN);
  const std::string words = plans      ? "system.yaml -o new.yaml"
                            : explains ? "schedule.yaml --system system.yaml"
                                       : "system.yaml schedule.yaml";
  write("schedule.yaml", kSchedule);
  write("system.yaml", kHead + timers(kMany));
  const auto many = run(words);
  EXPECT_EQ(many.code, plans || explains ? 2 : 0) << many.err;
  EXPECT_EQ(without_progress(many.err).empty(), !plans && !explains) << many.err;

  write("system.yaml", kHead + publishers(kMany) + readers(kMany));
  const auto links = run(words);
  EXPECT_EQ(links.code, 2);
  EXPECT_TRUE(has(links.err, plans ? "too many for one schedule" : "gets messages of 100000"))
    << links.err;

  write("system.yaml", kHead + repeated(kMany, [](const std::string &) { return "- x\n"; }));
  const auto faulty = run(words);
  EXPECT_EQ(faulty.code, 2);
  EXPECT_TRUE(has(faulty.err, " more faults; fix these first\n"));
  EXPECT_LT(faulty.err.size(), 100'000U);

  write("system.yaml", kHead + "- {id: \"/" + std::string(10'000'000, 'a') + "\"}\n");
  const auto long_word = run(words);
  EXPECT_EQ(long_word.code, 2);
  EXPECT_LT(long_word.err.size(), 1'000U);
}

INSTANTIATE_TEST_SUITE_P(
  Programs, Limited, testing::Values(TAKT_PLAN, TAKT_EXPLAIN, TAKT_SIMULATE),
  [](const auto & program) {
    const std::string path = program.param;
    return path.substr(path.rfind('/') + 1);
  });

#endif

}  // namespace
}  // namespace takt_plan
