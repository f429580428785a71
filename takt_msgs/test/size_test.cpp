// The messages are as large as the reference system's.
#include <gtest/gtest.h>

#include "takt_msgs/msg/message4kb.hpp"
#include "takt_msgs/msg/payload.hpp"

namespace
{

TEST(Size, IsThatOfTheReferenceSystem)
{
  EXPECT_EQ(sizeof(takt_msgs::msg::TransmissionStats), 64u);
  EXPECT_EQ(sizeof(takt_msgs::msg::Message4kb), 4096u);
}

TEST(Size, PayloadCarriesTheSameStats)
{
  takt_msgs::msg::Payload payload;
  takt_msgs::msg::Message4kb message;
  EXPECT_EQ(payload.stats.size(), message.stats.size());
  EXPECT_EQ(message.data.size(), 7u);
  EXPECT_EQ(message.stats[0].node_name.size(), 48u);
}

}  // namespace
