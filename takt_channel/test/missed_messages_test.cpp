#include "missed_messages.hpp"

#include <gtest/gtest.h>

namespace takt_channel
{
namespace
{

TEST(MissedMessages, AreTheGapsOfEachPublisher)
{
  MissedMessages missed;
  EXPECT_EQ(missed.taken(7, 0), 0U);
  EXPECT_EQ(missed.taken(7, 3), 2U);
  EXPECT_EQ(missed.taken(8, 1), 1U);
  EXPECT_EQ(missed.taken(7, 4), 0U);
  EXPECT_EQ(missed.all(), 3U);
}

TEST(MissedMessages, OfAnOlderPublisherCountFromTheSubscribersBeginning)
{
  MissedMessages missed;
  missed.expect(7, 100);
  EXPECT_EQ(missed.taken(7, 98), 0U);
  EXPECT_EQ(missed.taken(7, 99), 0U);
  EXPECT_EQ(missed.taken(7, 101), 1U);
  EXPECT_EQ(missed.all(), 1U);
}

}  // namespace
}  // namespace takt_channel
