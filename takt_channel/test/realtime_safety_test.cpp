// A message's way allocates nothing once both sides know each other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "takt_channel/channel.hpp"
#include "takt_rt/allocation_guard.hpp"

namespace takt_channel
{
namespace
{

using takt_rt::AllocationGuard;

TEST(RealTimeSafety, AMessageAllocatesNothing)
{
  if (!takt_rt::kWatches) {
    GTEST_SKIP() << "sanitizers bring an allocator of their own";
  }
  Options options;
  options.name = "test/" + std::to_string(::getpid()) + "/safety";
  options.max_size = 4096;
  options.depth = 4;
  auto publisher = Publisher::open(options);
  auto subscriber = Subscriber::open(options);
  ASSERT_TRUE(publisher && subscriber);
  const auto once = [&] {
    Loan dropped = publisher->loan(64);
    publisher->drop(dropped);
    for (int i = 0; i < 6; ++i) {  // the queue of 4 overflows
      Loan loan = publisher->loan(4096);
      publisher->publish(loan);
    }
    while (Message message = subscriber->take()) {
      subscriber->release(message);
    }
    subscriber->wait(takt_rt::now());
    return subscriber->missed();
  };
  once();
  const AllocationGuard guard;
  std::uint64_t missed = 0;
  for (int i = 0; i < 100; ++i) {
    missed = once();
  }
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(missed, 202U);
}

}  // namespace
}  // namespace takt_channel
