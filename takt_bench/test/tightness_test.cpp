// The tightness of bounds: no bound is below a simulated response, each omitted term is noticed,
// and the program gives the same result each time.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "programs/kind_tightness.hpp"
#include "programs/tightness.hpp"
#include "support/campaign.hpp"
#include "takt_schedule/test/program_test.hpp"

namespace takt_bench
{
namespace
{

using namespace takt_plan;  // NOLINT: all of it is about its models

struct Found
{
  int bounds = 0, none = 0, refuted = 0;
};

Found over_seeds(
  Bound kind, double utilization, std::uint64_t systems, const BoundsOptions & options = {})
{
  Found found;
  for (std::uint64_t i = 0; i < systems; ++i) {
    int most_important = 0;
    for (const auto & chain : tightness(kind, utilization, takt_plan::test::seed() + i, options)) {
      most_important += chain.most_important ? 1 : 0;
      EXPECT_GT(chain.worst, 0);
      found.none += chain.bound ? 0 : 1;
      found.bounds += chain.bound ? 1 : 0;
      found.refuted += chain.bound && chain.worst > *chain.bound ? 1 : 0;
    }
    EXPECT_EQ(most_important, 1);
  }
  return found;
}

TEST(Tightness, NoSimulatedResponseIsAboveItsBound)
{
  for (const Bound kind : kBounds) {
    const Found light = over_seeds(kind, 0.3, takt_plan::test::rounds(5));
    EXPECT_EQ(light.refuted, 0) << to_string(kind);
    EXPECT_GT(light.bounds, light.none) << to_string(kind);
    EXPECT_EQ(over_seeds(kind, 0.7, takt_plan::test::rounds(5)).refuted, 0) << to_string(kind);
  }
}

// Without `window`: its bounds for whole chains are so far above the responses that they hold even
// with a term omitted. window_soundness_test.cpp notices each omitted term, task by task.
TEST(Tightness, ATermLeftOutIsRefuted)
{
  BoundsOptions broken;
  broken.priority.blocking = false;
  EXPECT_GT(over_seeds(Bound::priority, 0.7, 10, broken).refuted, 0);
  broken = {};
  broken.pool.blocking = false;
  EXPECT_GT(over_seeds(Bound::pool, 0.7, 10, broken).refuted, 0);
  broken = {};
  broken.threads.blocking = false;
  EXPECT_GT(over_seeds(Bound::deadline, 0.7, 10, broken).refuted, 0);
}

TEST(Tightness, NoSimulatedResponseOfAKindOfSystemIsAboveItsBound)
{
  for (const Kind kind : kKinds) {
    for (const bool phases : {true, false}) {
      int bounds = 0;
      for (std::uint64_t i = 0; i < takt_plan::test::rounds(3); ++i) {
        for (const auto & chain : tightness(kind, phases, takt_plan::test::seed() + i, 50)) {
          EXPECT_GT(chain.worst, 0) << to_string(kind);
          bounds += chain.bound ? 1 : 0;
          EXPECT_TRUE(!chain.bound || chain.worst <= *chain.bound) << to_string(kind);
        }
      }
      EXPECT_GT(bounds, 0) << to_string(kind);
    }
  }
}

class TightnessProgram : public takt_schedule::test::ProgramTest
{
protected:
  TightnessProgram() : ProgramTest(TAKT_TIGHTNESS) {}
};

TEST_F(TightnessProgram, PrintsEverythingAsJsonAndTheSameEveryTime)
{
  const auto outcome = run("--sets 1 --seed 3");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run("--sets 1 --seed 3").out, outcome.out);
  EXPECT_NE(run("--sets 1 --seed 4").out, outcome.out);
  const auto all = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(all.size(), 20U);  // analyses and loads
  EXPECT_EQ(all.at(0).at("analysis"), "priority");
  EXPECT_EQ(all.at(0).at("utilization"), 0.3);
  for (const auto & point : all) {
    EXPECT_EQ(point.at("sets"), 1);
    for (const auto & [name, chains] : {std::pair{"most_important", 1}, {"all", 9}}) {
      const auto & ratios = point.at(name);
      EXPECT_EQ(ratios.at("ratios").get<int>() + ratios.at("without_bound").get<int>(), chains);
      EXPECT_EQ(ratios.at("refuted"), 0);
      EXPECT_TRUE(ratios.at("p90").is_null()) << "too few to tell";
      if (ratios.at("ratios") > 0) {
        ASSERT_EQ(ratios.at("percentiles").size(), 101U);
        EXPECT_GE(ratios.at("percentiles").at(0), 1.0);
        EXPECT_EQ(ratios.at("percentiles").at(50), ratios.at("median"));
        EXPECT_EQ(ratios.at("percentiles").at(100), ratios.at("max"));
      } else {
        EXPECT_TRUE(ratios.at("median").is_null());
      }
    }
  }
}

TEST_F(TightnessProgram, PrintsKindsOfSystemWithPhasesAndWithout)
{
  const auto outcome = run("--kinds --sets 1 --changes 20");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto all = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(all.size(), 2 * kKinds.size() + 2) << "all kinds together have two, too";
  EXPECT_EQ(all.at(0).at("kind"), to_string(kKinds.front()));
  EXPECT_EQ(all.at(0).at("phases"), true);
  EXPECT_EQ(all.back().at("phases"), false);
  EXPECT_EQ(all.back().at("kind"), "all kinds");
  EXPECT_EQ(all.back().at("windows"), 0) << "without phases";
  EXPECT_GT(all.at(kKinds.size()).at("windows"), 0);
  EXPECT_GE(all.at(0).at("all").at("median"), 1.0);
}

TEST_F(TightnessProgram, RefusesNoSystems)
{
  EXPECT_EQ(run("--sets 0").code, 2);
}

}  // namespace
}  // namespace takt_bench
