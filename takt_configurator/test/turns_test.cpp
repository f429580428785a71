// The turns: one request of each user, for any number of the user's clients.
#include "turns.hpp"

#include <gtest/gtest.h>

#include <string>

namespace takt_configurator
{
namespace
{

std::string taken(Turns & turns)
{
  std::string text;
  while (!turns.empty()) {
    text += std::to_string(turns.take()) + " ";
  }
  return text;
}

TEST(Turns, UsersAlternateAndSoDoTheClientsOfAUser)
{
  Turns turns;
  for (const int client : {1, 2, 3, 4}) {
    turns.add(1000, client);
  }
  turns.add(1001, 11);
  turns.add(1002, 21);
  turns.add(1001, 12);
  EXPECT_EQ(turns.users(), 3U);
  EXPECT_EQ(taken(turns), "1 11 21 2 12 3 4 ");
}

TEST(Turns, AClientThatComesAgainIsTheLastOfItsUser)
{
  Turns turns;
  turns.add(1000, 1);
  turns.add(1000, 2);
  turns.add(1001, 11);
  EXPECT_EQ(turns.take(), 1);
  turns.add(1000, 1);
  EXPECT_EQ(taken(turns), "11 2 1 ");
}

TEST(Turns, WhoLeavesHasNoTurn)
{
  Turns turns;
  turns.add(1000, 1);
  turns.add(1001, 11);
  turns.add(1000, 2);
  turns.remove(1000, 1);
  turns.remove(1001, 11);
  EXPECT_EQ(turns.users(), 1U);
  EXPECT_EQ(taken(turns), "2 ");
}

}  // namespace
}  // namespace takt_configurator
