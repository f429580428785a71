// The suite's own test: for each promise the suite must reject a broken variant and accept the
// correct one.
#include <gtest/gtest.h>

#include "support/suite.hpp"
#include "support/twins.hpp"

namespace takt_core::test
{
namespace
{

struct Case
{
  std::string name;
  SeamMaker twin;
  Check check;
  Setting setting;
};

template <typename Twin>
SeamMaker maker()
{
  return [] { return std::make_unique<Twin>(); };
}

class BrokenTwin : public testing::TestWithParam<Case>
{
};

TEST_P(BrokenTwin, is_rejected_and_the_sound_one_is_not)
{
  const Case & c = GetParam();
  const Verdict sound = c.check(*make_virtual_engine(c.setting), c.setting);
  EXPECT_TRUE(sound.good()) << sound;
  const Verdict verdict = c.check(*make_virtual_engine(c.setting, c.twin), c.setting);
  EXPECT_FALSE(verdict.good()) << "the suite does not notice: " << c.name;
}

const Setting kPool{Order::fifo, Shape::pool, false};
const Setting kSingle{Order::fifo, Shape::single, false};
const Setting kParts{Order::fifo, Shape::partitioned, false};

INSTANTIATE_TEST_SUITE_P(
  all, BrokenTwin,
  testing::Values(
    Case{
      "group_unlocked_early", maker<UnlocksGroupEarly>(),
      consumes_everything_once_in_exclusive_groups, kPool},
    Case{"group_kept", maker<KeepsGroup>(), consumes_everything_once_in_exclusive_groups, kPool},
    Case{"run_twice", maker<RunsTwice>(), consumes_everything_once_in_exclusive_groups, kSingle},
    Case{
      "message_lost", maker<LosesMessages>(), consumes_everything_once_in_exclusive_groups, kPool},
    Case{"rebinding_loses_an_entry", maker<LosesOnRebinding>(), survives_rebinding, kParts},
    Case{
      "priority_change_loses_an_entry", maker<LosesOnPriorityChange>(), survives_priority_changes,
      kPool},
    Case{
      "rebinding_loses_an_entry_in_a_pool", maker<LosesOnRebinding>(), survives_rebinding, kPool},
    Case{
      "message_lost_by_windows",
      maker<LosesMessages>(),
      consumes_everything_once_in_exclusive_groups,
      {Order::window, Shape::partitioned, false}},
    Case{
      "wake_up_lost_by_deadline",
      maker<LosesWakeUps>(),
      wakes_for_every_message,
      {Order::edf, Shape::partitioned, false}},
    Case{"adding_and_losing", maker<LosesMessages>(), survives_adding_and_removing, kPool},
    Case{"order_reversed", maker<ReversesOrder>(), keeps_the_order_of_releases, kSingle},
    Case{
      "order_reversed_by_level",
      maker<ReversesOrder>(),
      keeps_the_order_of_releases,
      {Order::priority, Shape::single, false}},
    Case{"gate_left_off", maker<LeavesGateOff>(), runs_nothing_before_the_gate, kPool},
    Case{"wake_up_lost", maker<LosesWakeUps>(), wakes_for_every_message, kPool},
    Case{"sleeps_without_looking", maker<SleepsWithoutLooking>(), wakes_for_every_message, kSingle},
    Case{"removes_nothing", maker<RemovesNothing>(), removes_for_good, kPool}),
  [](const auto & test) { return test.param.name; });

}  // namespace
}  // namespace takt_core::test
