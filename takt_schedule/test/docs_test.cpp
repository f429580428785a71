#include "docs_example.hpp"

#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

TEST(Docs, TheCompleteExampleIsValidAndWarnsOfNothing)
{
  const Schedule schedule = test::parse(test::docs_example("valid"));
  EXPECT_EQ(sentences(schedule.warnings), test::Strings{});
  EXPECT_EQ(schedule.executors.size(), 2U);
  EXPECT_EQ(schedule.chains.size(), 1U);
}

TEST(Docs, TheFaultyExampleHasExactlyTheFaultsShown)
{
  std::string shown;
  const auto schedule =
    parse_schedule(test::docs_example("faulty"), "schedule.yaml", test::machine());
  for (const std::string & fault : sentences(schedule.faults())) {
    shown += fault + "\n";
  }
  EXPECT_EQ(shown, test::docs_example("its faults"));
}

}  // namespace
}  // namespace takt_schedule
