// The life of an adoption: the ways through its states, and that no other way exists.
#include "adopt/spin/adoption_state.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace takt_rclcpp
{
namespace
{

using State = AdoptionState;

const std::vector<State> kAll{
  State::made, State::ready, State::spinning, State::leaving, State::gone};

TEST(AdoptionState, goes_these_ways)
{
  const std::vector<std::vector<State>> lives{
    {State::made, State::gone},  // no spin began
    {State::made, State::ready, State::gone},
    {State::made, State::ready, State::spinning, State::ready, State::spinning, State::ready,
     State::gone},
    {State::made, State::ready, State::spinning, State::leaving, State::gone}};
  std::set<std::pair<State, State>> gone;
  for (const auto & life : lives) {
    CurrentState state;
    ASSERT_TRUE(state.is(life.front()));
    for (std::size_t i = 1; i < life.size(); ++i) {
      ASSERT_TRUE(may_follow(life[i - 1], life[i])) << i;
      state.go(life[i]);
      EXPECT_EQ(state.get(), life[i]);
      gone.emplace(life[i - 1], life[i]);
    }
  }
  for (const State from : kAll) {
    for (const State to : kAll) {
      EXPECT_EQ(may_follow(from, to), gone.count({from, to}) == 1)
        << static_cast<int>(from) << " to " << static_cast<int>(to);
    }
  }
}

#ifndef NDEBUG
TEST(AdoptionStateDeathTest, refuses_other_ways)
{
  CurrentState state;
  EXPECT_DEATH(state.go(State::spinning), "may_follow");
}
#endif

}  // namespace
}  // namespace takt_rclcpp
