// A process is killed at each of its system calls while it opens, uses and closes a channel: the
// next one does not hang, and the living side goes on.
#include <gtest/gtest.h>

#include "support/content.hpp"
#include "support/killed_at.hpp"
#include "support/peer.hpp"
#include "takt_channel/channel.hpp"

namespace takt_channel
{
namespace
{

using takt_channel_test::Ended;
using takt_channel_test::fresh_name;
using takt_channel_test::killed_at;
using takt_channel_test::Peer;
using takt_channel_test::Shape;
using takt_channel_test::Took;

Options options_of(const Shape & channel)
{
  Options options;
  options.name = channel.name;
  options.max_size = channel.max_size;
  options.depth = channel.depth;
  options.type = channel.type;
  return options;
}

void publish_one(const Options & options)
{
  auto publisher = Publisher::open(options);
  if (publisher) {
    Loan loan = publisher->loan(options.max_size);
    if (loan) {
      takt_channel_test::write_content(loan.data, options.max_size, 0);
      publisher->publish(loan);
    }
  }
}

void take_one(const Options & options)
{
  auto subscriber = Subscriber::open(options);
  if (subscriber) {
    Message message = subscriber->take();
    subscriber->release(message);
  }
}

// Calls `check` after two processes were killed at the same call, for each call: the second process
// finds the remains of the first, and is killed while it removes them.
template <typename Run, typename Check>
void at_each_call(const Run & run, const Check & check)
{
  // The first opening in a process removes channels that others left, and the children are this
  // process.
  Shape another;
  another.name = fresh_name();
  ASSERT_TRUE(Publisher::open(options_of(another)));
  for (unsigned call = 0;; ++call) {
    const Ended first = killed_at(call, run);
    const Ended second = killed_at(call, run);
    if (first == Ended::not_traced) {
      GTEST_SKIP() << "a process may not trace its child here";
    }
    ASSERT_NO_FATAL_FAILURE(check()) << "killed at call " << call;
    if (::testing::Test::HasFailure()) {
      return;
    }
    if (first == Ended::itself && second == Ended::itself) {
      EXPECT_GT(call, 30U) << "the calls of the process were not seen";
      return;
    }
  }
}

TEST(KilledAtCall, APublisherAndItsSubscriberGoesOn)
{
  Shape channel;
  channel.name = fresh_name();
  channel.max_size = 256;
  Peer subscriber("subscriber", channel);
  at_each_call(
    [&] { publish_one(options_of(channel)); },
    [&] {
      Peer publisher("publisher", channel);
      ASSERT_TRUE(publisher.open()) << publisher.first();
      publisher.ask("publish 3 256");
      const Took took = subscriber.take();
      // Each of the two may have published one.
      EXPECT_GE(took.count, 3U);
      EXPECT_LE(took.count, 5U);
      EXPECT_EQ(took.wrong, 0U);
      EXPECT_EQ(took.missed, 0U);
    });
}

TEST(KilledAtCall, ASubscriberAndItsPublisherGoesOn)
{
  Shape channel;
  channel.name = fresh_name();
  channel.max_size = 256;
  Peer publisher("publisher", channel);
  at_each_call(
    [&] { take_one(options_of(channel)); },
    [&] {
      Peer subscriber("subscriber", channel);
      ASSERT_TRUE(subscriber.open()) << subscriber.first();
      publisher.ask("publish 3 256");
      const Took took = subscriber.take();
      EXPECT_EQ(took.count, 3U);
      EXPECT_EQ(took.wrong, 0U);
    });
}

TEST(KilledAtCall, BothSidesAndTheNextPairWorks)
{
  Shape channel;
  channel.name = fresh_name();
  channel.max_size = 256;
  at_each_call(
    [&] {
      auto subscriber = Subscriber::open(options_of(channel));
      publish_one(options_of(channel));
    },
    [&] {
      Peer subscriber("subscriber", channel);
      Peer publisher("publisher", channel);
      ASSERT_TRUE(subscriber.open()) << subscriber.first();
      ASSERT_TRUE(publisher.open()) << publisher.first();
      publisher.ask("publish 3 256");
      EXPECT_EQ(subscriber.take().count, 3U);
    });
}

}  // namespace
}  // namespace takt_channel
