// A side of a channel is killed (SIGKILL) or starts again: no published message is lost, and
// nothing is left.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "support/peer.hpp"
#include "takt_channel/channel.hpp"

namespace takt_channel
{
namespace
{

using takt_channel_test::fresh_name;
using takt_channel_test::Peer;
using takt_channel_test::Shape;
using takt_channel_test::Took;

constexpr unsigned kDepth = 20;

Shape shape(const std::string & name, std::size_t max_size = 256)
{
  Shape made;
  made.name = name;
  made.max_size = max_size;
  made.depth = kDepth;
  return made;
}

int rounds()
{
  const char * const times = std::getenv("TAKT_TEST_ROUNDS");
  return 50 * (times == nullptr ? 1 : std::atoi(times));
}

// Files and folders of the running test's channels in shared memory, which other programs use
// meanwhile. Counts only channels whose names begin as those of `fresh_name`.
std::size_t left_in_shared_memory()
{
  const auto * const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string bell = "takt_bell_test_" + std::to_string(::getpid()) + "_" + test->name();
  // The hashes at the ends of the bells' names; all other names of a channel contain its hash.
  static std::set<std::string> hashes;
  const auto each_name = [](const auto & function) {
    for (const auto & entry : std::filesystem::directory_iterator("/dev/shm")) {
      function(entry.path().filename().string());
    }
  };
  each_name([&](const std::string & name) {
    if (name.compare(0, bell.size(), bell) == 0) {
      hashes.insert(name.substr(name.size() - 16));
    }
  });
  std::size_t count = 0;
  each_name([&](const std::string & name) {
    count += std::any_of(hashes.begin(), hashes.end(), [&](const std::string & hash) {
      return name.find(hash) != std::string::npos;
    });
  });
  return count;
}

// As `left_in_shared_memory`, once a process that removes files of the channel at the same time has
// finished.
std::size_t left_for_good()
{
  std::size_t left = left_in_shared_memory();
  for (int i = 0; i < 5000 && left > 0; ++i) {
    ::usleep(1000);
    left = left_in_shared_memory();
  }
  return left;
}

// Kills a process that opens and closes the channel over and over, in each round in another place.
void kill_while_opening(const Shape & channel, int round, bool both)
{
  const pid_t child = ::fork();
  if (child == 0) {
    Options options;
    options.name = channel.name;
    options.max_size = channel.max_size;
    options.depth = channel.depth;
    options.type = channel.type;
    for (;;) {
      auto publisher = Publisher::open(options);
      if (both) {
        auto subscriber = Subscriber::open(options);
      }
    }
  }
  ::usleep(static_cast<useconds_t>(1000 + 700 * (round % 20)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// Both sides of the channel are killed after 20 messages. Any other process of this user may remove
// the remains from then on, so they are counted before.
void leave_a_killed_pair(const Shape & channel)
{
  Peer subscriber("subscriber", channel);
  Peer publisher("publisher", channel);
  publisher.ask("publish 20 256");
  EXPECT_GT(left_in_shared_memory(), 2U);
  publisher.kill();
  subscriber.kill();
}

class Killed : public ::testing::Test
{
protected:
  void SetUp() override { clean(); }
};

TEST_F(Killed, ASubscriberGetsAllThatAKilledPublisherPublished)
{
  const Shape channel = shape(fresh_name());
  Peer subscriber("subscriber", channel);
  Peer publisher("publisher", channel);
  publisher.ask("publish 20 256");
  publisher.kill();
  const Took took = subscriber.take();
  EXPECT_EQ(took.count, 20U);
  EXPECT_EQ(took.wrong, 0U);
  EXPECT_EQ(took.missed, 0U);
}

TEST_F(Killed, ARestartedPublisherTakesNoMessageOfTheKilledOneAway)
{
  for (const unsigned publishers : {1U, 4U}) {
    Shape channel = shape(fresh_name());
    channel.publishers = publishers;
    Peer subscriber("subscriber", channel);
    Peer publisher("publisher", channel);
    publisher.ask("publish 20 256");
    publisher.kill();
    Peer next("publisher", channel);
    ASSERT_TRUE(next.open()) << next.first();
    next.ask("publish 5 256");
    const Took took = subscriber.take();
    EXPECT_EQ(took.count, 25U) << publishers;
    EXPECT_EQ(took.wrong, 0U) << publishers;
    EXPECT_EQ(took.missed, 0U) << publishers;
  }
}

TEST_F(Killed, OneAfterAnotherWithoutATakeInBetweenTheyLoseNoMessage)
{
  Shape channel = shape(fresh_name());
  channel.publishers = 1;
  Peer subscriber("subscriber", channel);
  for (int i = 0; i < 4; ++i) {
    Peer publisher("publisher", channel);
    ASSERT_TRUE(publisher.open()) << i << ": " << publisher.first();
    publisher.ask("publish 20 256");
    publisher.kill();
  }
  Peer last("publisher", channel);
  ASSERT_TRUE(last.open()) << last.first();
  last.ask("publish 5 256");
  const Took took = subscriber.take();
  EXPECT_EQ(took.count, 85U);
  EXPECT_EQ(took.wrong, 0U);
  EXPECT_EQ(took.missed, 0U);
}

TEST_F(Killed, PublishersAreKilledAndRestartedManyTimes)
{
  const Shape channel = shape(fresh_name());
  Peer subscriber("subscriber", channel);
  const int times = rounds();
  for (int i = 0; i < times; ++i) {
    Peer publisher("publisher", channel);
    ASSERT_TRUE(publisher.open()) << i << ": " << publisher.first();
    publisher.ask("publish 7 256");
    // The publisher is killed while it publishes: the messages that it published before are whole.
    publisher.tell("publish 5 256");
    publisher.kill();
    const Took took = subscriber.take();
    ASSERT_GE(took.count, 7U) << i;
    ASSERT_LE(took.count, 12U) << i;
    ASSERT_EQ(took.wrong, 0U) << i;
    ASSERT_EQ(took.missed, 0U) << i;
  }
}

TEST_F(Killed, SubscribersAreKilledAndRestartedManyTimes)
{
  const Shape channel = shape(fresh_name());
  Peer publisher("publisher", channel);
  std::uint64_t next = 0;
  const int times = rounds();
  for (int i = 0; i < times; ++i) {
    Peer subscriber("subscriber", channel);
    ASSERT_TRUE(subscriber.open()) << i << ": " << subscriber.first();
    ASSERT_EQ(publisher.ask("publish 7 256"), std::to_string(next + 7)) << i;
    const Took took = subscriber.take();
    ASSERT_EQ(took.count, 7U) << i;
    ASSERT_EQ(took.first, next) << i;
    ASSERT_EQ(took.wrong, 0U) << i;
    next += 7;
    // The messages that the killed subscriber held, and those that waited for it, return to the
    // publisher, which would run out of memory otherwise.
    publisher.ask("publish 5 256");
    next += 5;
    subscriber.ask("hold");
    subscriber.kill();
  }
}

TEST_F(Killed, ASubscriberThatWaitsGoesOnWithARestartedPublisher)
{
  const Shape channel = shape(fresh_name());
  Peer subscriber("subscriber", channel);
  subscriber.tell("await 6");
  for (int i = 0; i < 2; ++i) {
    Peer publisher("publisher", channel);
    publisher.ask("publish 3 256");
    publisher.kill();
  }
  const Took took = subscriber.read_took();
  EXPECT_EQ(took.count, 6U);
  EXPECT_EQ(took.missed, 0U);
}

TEST_F(Killed, WhileBothSidesStartTheyAreKilledAndTheNextPairWorks)
{
  const Shape channel = shape(fresh_name());
  const int times = rounds();
  for (int i = 0; i < times; ++i) {
    kill_while_opening(channel, i, true);
    Peer subscriber("subscriber", channel);
    Peer publisher("publisher", channel);
    ASSERT_TRUE(subscriber.open()) << i << ": " << subscriber.first();
    ASSERT_TRUE(publisher.open()) << i << ": " << publisher.first();
    publisher.ask("publish 3 256");
    ASSERT_EQ(subscriber.take().count, 3U) << i;
  }
}

TEST_F(Killed, WhileAPublisherStartsItIsKilledAndTheSubscriberGoesOn)
{
  const Shape channel = shape(fresh_name());
  Peer subscriber("subscriber", channel);
  const int times = rounds();
  for (int i = 0; i < times; ++i) {
    kill_while_opening(channel, i, false);
    Peer publisher("publisher", channel);
    ASSERT_TRUE(publisher.open()) << i << ": " << publisher.first();
    publisher.ask("publish 3 256");
    ASSERT_EQ(subscriber.take().count, 3U) << i;
  }
}

TEST_F(Killed, NothingIsLeftInSharedMemory)
{
  const Shape channel = shape(fresh_name());
  {
    Peer subscriber("subscriber", channel);
    Peer publisher("publisher", channel);
    publisher.ask("publish 20 256");
    EXPECT_GT(left_in_shared_memory(), 2U);
  }
  EXPECT_EQ(left_for_good(), 0U) << "after both ended in order";
  leave_a_killed_pair(channel);
  clean();
  EXPECT_EQ(left_for_good(), 0U) << "after both were killed";
}

TEST_F(Killed, TheNextStartOfAnyChannelRemovesWhatKilledProcessesLeft)
{
  const Shape channel = shape(fresh_name());
  leave_a_killed_pair(channel);
  Shape another = shape(fresh_name());
  another.name = "other" + another.name;  // left_in_shared_memory does not count it
  ASSERT_TRUE(Peer("publisher", another).open());
  EXPECT_EQ(left_for_good(), 0U);
}

// A program was changed: its new build opens the channel with another type.
TEST_F(Killed, AfterAKillTheChannelMayHaveAnotherTypeOnceTheOtherSideHasEnded)
{
  const Shape channel = shape(fresh_name());
  Shape changed = channel;
  changed.type = "changed";
  changed.max_size = 2 * channel.max_size;
  changed.depth = 2 * channel.depth;
  for (int i = 0; i < 3; ++i) {
    Peer subscriber("subscriber", i % 2 == 0 ? channel : changed);
    {
      Peer publisher("publisher", i % 2 == 0 ? channel : changed);
      publisher.ask("publish 3 256");
      publisher.kill();
    }
    const std::string refused = Peer("publisher", i % 2 == 0 ? changed : channel).first();
    EXPECT_EQ(
      refused.substr(0, refused.find(' ')), std::to_string(static_cast<int>(Refusal::incompatible)))
      << refused;
    const Took took = subscriber.take();
    EXPECT_EQ(took.count, 3U) << i;
    EXPECT_EQ(took.wrong, 0U) << i;
    subscriber.kill();
  }
  Peer publisher("publisher", changed);
  EXPECT_TRUE(publisher.open()) << publisher.first();
}

// The subscriber is killed while its queue of 20 messages is full and the publisher overwrites
// messages in it.
TEST_F(Killed, AFullQueueOfAKilledSubscriberHoldsNoPublisherUp)
{
  const Shape channel = shape(fresh_name());
  Peer publisher("publisher", channel);
  Peer other("subscriber", channel);
  std::uint64_t next = 0;
  for (int i = 0; i < 5; ++i) {
    Peer subscriber("subscriber", channel);
    publisher.ask("publish 50 256");
    publisher.tell("publish 500 256");
    subscriber.kill();
    next += 550;
    ASSERT_EQ(publisher.read(), std::to_string(next)) << i;
    const Took took = other.take();
    EXPECT_EQ(took.count, kDepth) << i;
    EXPECT_EQ(took.last, next - 1) << i;
    EXPECT_EQ(took.wrong, 0U) << i;
    EXPECT_EQ(took.missed, next - kDepth * static_cast<unsigned>(i + 1)) << i;
  }
}

TEST_F(Killed, CleaningLeavesTheLivingAlone)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  auto publisher = Publisher::open(options);
  auto subscriber = Subscriber::open(options);
  ASSERT_TRUE(publisher && subscriber);
  for (int i = 0; i < 3; ++i) {
    clean();
    Loan loan = publisher->loan(8);
    ASSERT_TRUE(loan);
    ASSERT_EQ(publisher->publish(loan), Denial::none);
    Message message = subscriber->take();
    ASSERT_TRUE(message);
    subscriber->release(message);
    // Another process cleans, too, and finds both alive.
    Shape channel = shape(options.name, 64);
    channel.depth = options.depth;
    channel.type = options.type;
    ASSERT_TRUE(Peer("subscriber", channel).open());
  }
}

}  // namespace
}  // namespace takt_channel
