// A build without the Rust library: all is refused with a sentence.
#include <gtest/gtest.h>

#include "takt_channel/channel.hpp"

namespace takt_channel
{
namespace
{

TEST(Absent, OpeningIsRefusedWithTheReason)
{
  EXPECT_FALSE(available());
  Options options;
  options.name = "x";
  options.max_size = 8;
  const auto publisher = Publisher::open(options);
  ASSERT_FALSE(publisher);
  EXPECT_EQ(publisher.refusal, Refusal::not_built);
  EXPECT_EQ(
    to_string(publisher.faults.at(0)),
    "channel 'x': this build of takt has no channels in shared memory: cargo 1.89 or newer was not "
    "found, or could not "
    "get its crates, when takt was built");
  EXPECT_EQ(Subscriber::open(options).refusal, Refusal::not_built);
  clean();
}

}  // namespace
}  // namespace takt_channel
