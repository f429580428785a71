// The suite of sources on a middleware within the test. The suite must reject each broken twin.
#include <gtest/gtest.h>

#include "source/stand_in.hpp"
#include "source/suite.hpp"

namespace takt_host::test
{
namespace
{

class Sources : public testing::TestWithParam<Promise>
{
};

TEST_P(Sources, keep_the_promise)
{
  StandIn back_end;
  EXPECT_EQ(GetParam().check(back_end), "");
}

INSTANTIATE_TEST_SUITE_P(StandIn, Sources, testing::ValuesIn(promises()), [](const auto & test) {
  return std::string(test.param.name);
});

struct Broken
{
  Twin twin;
  Promise promise;
};

class Twins : public testing::TestWithParam<Broken>
{
};

TEST_P(Twins, are_rejected)
{
  StandIn back_end(GetParam().twin);
  back_end.patience = 100;  // every message is there at once, so a short wait is enough
  EXPECT_NE(GetParam().promise.check(back_end), "");
}

INSTANTIATE_TEST_SUITE_P(
  StandIn, Twins,
  testing::Values(
    Broken{Twin::takes_the_newest, {"order", takes_in_order_and_counts}},
    Broken{Twin::takes_the_newest, {"names", keeps_the_last<2>}},
    Broken{Twin::names_the_released, {"names", names_the_message_that_was_found}},
    Broken{Twin::hides_losses, {"lost", counts_what_was_lost}},
    Broken{Twin::doubles_losses, {"lost", counts_what_was_lost}},
    Broken{Twin::overwrites_in_silence, {"history", keeps_the_last<2>}},
    Broken{Twin::keeps_one_more, {"history", keeps_the_last<2>}},
    Broken{Twin::forgets_what_came_before, {"before", keeps_what_came_before}},
    Broken{Twin::is_deaf_to_newcomers, {"late", welcomes_who_comes_late}},
    Broken{Twin::announces_twice, {"counts", takes_in_order_and_counts}}),
  [](const auto & test) {
    return "twin_" + std::to_string(static_cast<int>(test.param.twin)) + "_" +
           test.param.promise.name;
  });

}  // namespace
}  // namespace takt_host::test
