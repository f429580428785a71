// Two processes and a channel: content, zero copy, order, overflow, late joiners, refusals, and
// waiting threads.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

#include "support/peer.hpp"
#include "takt_channel/channel.hpp"
#include "takt_rt/futex.hpp"

namespace takt_channel
{
namespace
{

using takt_channel_test::fresh_name;
using takt_channel_test::Peer;
using takt_channel_test::Shape;
using takt_channel_test::Took;

Shape shape(std::size_t max_size = 1024, unsigned depth = 10)
{
  Shape made;
  made.name = fresh_name();
  made.max_size = max_size;
  made.depth = depth;
  return made;
}

std::string refusal(Refusal which)
{
  return std::to_string(static_cast<int>(which));
}

std::string first_word(const Peer & peer)
{
  return peer.first().substr(0, peer.first().find(' '));
}

TEST(Channel, MessagesArriveWholeAndInOrder)
{
  for (const std::size_t size : {8U, 64U, 1000U, 65536U, 1048576U}) {
    const Shape channel = shape(size);
    Peer subscriber("subscriber", channel);
    Peer publisher("publisher", channel);
    ASSERT_TRUE(subscriber.open() && publisher.open()) << subscriber.first() << publisher.first();
    EXPECT_EQ(publisher.ask("publish 10 " + std::to_string(size)), "10");
    const Took took = subscriber.take();
    EXPECT_EQ(took.count, 10U) << size;
    EXPECT_EQ(took.first, 0U);
    EXPECT_EQ(took.last, 9U);
    EXPECT_EQ(took.missed, 0U);
    EXPECT_EQ(took.wrong, 0U) << size;
  }
}

TEST(Channel, ASubscriberReadsTheMemoryThatThePublisherWrote)
{
  const Shape channel = shape(8 << 20, 2);
  Peer subscriber("subscriber", channel);
  Peer publisher("publisher", channel);
  const std::string written = publisher.ask("place");
  const std::string read = subscriber.ask("place");
  EXPECT_EQ(written, read);
  EXPECT_NE(written, "nowhere");
  EXPECT_EQ(subscriber.ask("check"), "0");
}

TEST(Channel, AFullQueueLosesTheOldestAndCountsThem)
{
  const Shape channel = shape(64, 4);
  Peer subscriber("subscriber", channel);
  Peer publisher("publisher", channel);
  publisher.ask("publish 10 64");
  Took took = subscriber.take();
  EXPECT_EQ(took.count, 4U);
  EXPECT_EQ(took.first, 6U);
  EXPECT_EQ(took.last, 9U);
  EXPECT_EQ(took.missed, 6U);
  publisher.ask("publish 5 64");
  took = subscriber.take();
  EXPECT_EQ(took.first, 11U);
  EXPECT_EQ(took.missed, 7U);
}

TEST(Channel, ASlowSubscriberCostsAnotherOneNoMessage)
{
  const Shape channel = shape(64, 4);
  Peer slow("subscriber", channel);
  Peer quick("subscriber", channel);
  Peer publisher("publisher", channel);
  for (int i = 0; i < 5; ++i) {
    publisher.ask("publish 4 64");
    EXPECT_EQ(quick.take().count, 4U);
  }
  EXPECT_EQ(quick.take().missed, 0U);
  EXPECT_EQ(slow.take().missed, 16U);
}

TEST(Channel, ALateSubscriberGetsTheHistoryOfAPublisherThatServes)
{
  Shape channel = shape(64, 8);
  channel.history = 3;
  Peer publisher("publisher", channel);
  publisher.ask("publish 10 64");
  Peer subscriber("subscriber", channel);
  EXPECT_EQ(subscriber.take().count, 0U);
  // The subscriber waits for the ring of `serve`: the publisher publishes no further message.
  subscriber.tell("await 3");
  EXPECT_EQ(publisher.ask("serve"), "served");
  const Took took = subscriber.read_took();
  EXPECT_EQ(took.first, 7U);
  EXPECT_EQ(took.last, 9U);
  EXPECT_EQ(took.missed, 0U);
}

TEST(Channel, ServingRingsOnlyForASubscriberThatCame)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  options.history = 1;
  auto publisher = Publisher::open(options);
  auto first = Subscriber::open(options);
  ASSERT_TRUE(publisher && first);
  EXPECT_EQ(publisher->serve(), Denial::none);
  const std::uint32_t before = first->bell();
  EXPECT_EQ(publisher->serve(), Denial::none);
  EXPECT_EQ(first->bell(), before);
  auto second = Subscriber::open(options);
  EXPECT_EQ(publisher->serve(), Denial::none);
  EXPECT_NE(first->bell(), before);
}

TEST(Channel, KnowsHowManyMessagesWait)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  options.depth = 4;
  auto subscriber = Subscriber::open(options);
  auto first = Publisher::open(options);
  auto second = Publisher::open(options);
  ASSERT_TRUE(subscriber && first && second);
  const auto publish = [](Publisher & publisher, int messages) {
    for (int i = 0; i < messages; ++i) {
      Loan loan = publisher.loan(8);
      publisher.publish(loan);
    }
  };
  const auto take = [&] {
    Message message = subscriber->take();
    subscriber->release(message);
    return message.denial;
  };
  publish(*first.value, 2);
  publish(*second.value, 10);  // six of them are lost
  EXPECT_EQ(subscriber->waiting(), 0U) << "not yet counted";
  EXPECT_EQ(subscriber->arrived(), 12U);
  for (std::uint64_t left = 6; left > 0; --left) {
    EXPECT_EQ(subscriber->waiting(), left);
    EXPECT_EQ(take(), Denial::none);
  }
  EXPECT_EQ(subscriber->waiting(), 0U);
  const takt_rt::Time before = takt_rt::now();
  publish(*first.value, 1);
  EXPECT_EQ(subscriber->arrived(), 1U);
  EXPECT_EQ(subscriber->waiting(), 1U);
  EXPECT_GE(subscriber->newest(), before);
  EXPECT_LE(subscriber->newest(), takt_rt::now());
  // A publisher that ends in peace may take its messages along.
  first.value.reset();
  while (take() == Denial::none) {
  }
  EXPECT_EQ(subscriber->waiting(), 0U);
}

void publish_some(Publisher & publisher, int messages)
{
  for (int i = 0; i < messages; ++i) {
    Loan loan = publisher.loan(8);
    ASSERT_TRUE(loan);
    ASSERT_EQ(publisher.publish(loan), Denial::none);
  }
}

TEST(Channel, CountsTheMessagesThatArrived)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 8;
  options.depth = 4;
  auto first = Publisher::open(options);
  ASSERT_TRUE(first);
  publish_some(*first.value, 3);
  auto subscriber = Subscriber::open(options);
  ASSERT_TRUE(subscriber);
  EXPECT_EQ(subscriber->arrived(), 0U) << "those before it do not count";
  EXPECT_FALSE(subscriber->has_message());
  publish_some(*first.value, 6);
  EXPECT_TRUE(subscriber->has_message());
  EXPECT_EQ(subscriber->arrived(), 6U) << "it missed two of them";
  EXPECT_EQ(subscriber->arrived(), 0U);
  for (int i = 0; i < 4; ++i) {
    Message message = subscriber->take();
    EXPECT_TRUE(message);
    subscriber->release(message);
  }
  EXPECT_FALSE(subscriber->has_message());
  EXPECT_EQ(subscriber->missed(), 2U);
  // A publisher that takes the place of another one counts from its first message.
  auto second = Publisher::open(options);
  ASSERT_TRUE(second);
  publish_some(*second.value, 2);
  first.value.reset();
  auto third = Publisher::open(options);
  ASSERT_TRUE(third);
  publish_some(*third.value, 5);
  EXPECT_EQ(subscriber->arrived(), 7U);
  EXPECT_EQ(subscriber->publishers(), 2U);
  EXPECT_EQ(second->subscribers(), 1U);
}

TEST(Channel, EachSubscriberHasAWordOfWhichOneSleeperWakes)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 8;
  auto publisher = Publisher::open(options);
  auto first = Subscriber::open(options);
  auto second = Subscriber::open(options);
  ASSERT_TRUE(publisher && first && second);
  EXPECT_NE(&first->bell(), &second->bell());
  const std::atomic<std::uint32_t> & bell = first->bell();
  // Repeats until both threads sleep when the message comes. Then one of them sleeps on, although
  // the word has changed.
  for (int left = 0; left != 1;) {
    const std::uint32_t before = bell;
    const std::uint32_t other = second->bell();
    std::atomic<int> awake{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        takt_rt::futex_wait_shared(bell, before);
        ++awake;
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    publish_some(*publisher.value, 1);
    EXPECT_NE(bell.load(), before);
    EXPECT_NE(second->bell().load(), other);
    while (awake == 0) {
      std::this_thread::yield();
    }
    left = takt_rt::futex_wake_shared(bell, 2);
    for (std::thread & thread : threads) {
      thread.join();
    }
  }
  second.value.reset();
  EXPECT_EQ(publisher->subscribers(), 1U);
}

TEST(Channel, ALateSubscriberGetsTheHistoryWithTheNextMessage)
{
  Shape channel = shape(64, 8);
  channel.history = 3;
  Peer publisher("publisher", channel);
  publisher.ask("publish 10 64");
  Peer subscriber("subscriber", channel);
  publisher.ask("publish 1 64");
  const Took took = subscriber.take();
  EXPECT_EQ(took.count, 4U);
  EXPECT_EQ(took.first, 7U);
  EXPECT_EQ(took.missed, 0U) << "messages from before a subscriber's beginning are not missed";
}

TEST(Channel, ALateSubscriberWithoutHistoryGetsTheNextMessage)
{
  const Shape channel = shape(64, 4);
  Peer publisher("publisher", channel);
  publisher.ask("publish 10 64");
  Peer subscriber("subscriber", channel);
  EXPECT_EQ(subscriber.take().count, 0U);
  publisher.ask("publish 7 64");
  const Took took = subscriber.take();
  EXPECT_EQ(took.first, 13U);
  EXPECT_EQ(took.missed, 3U) << "its queue of 4 got 7 messages";
}

TEST(Channel, AHeldMessageStaysWhileThePublisherGoesRound)
{
  const Shape channel = shape(4096, 3);
  Peer subscriber("subscriber", channel);
  Peer publisher("publisher", channel);
  publisher.ask("publish 2 4096");
  EXPECT_EQ(subscriber.ask("hold"), "0");
  EXPECT_EQ(subscriber.ask("hold"), "1");
  EXPECT_EQ(
    subscriber.ask("hold"), "denied " + std::to_string(static_cast<int>(Denial::all_in_use)));
  publisher.ask("publish 500 4096");
  EXPECT_EQ(subscriber.ask("check"), "0");
  publisher.kill();
  EXPECT_EQ(subscriber.ask("check"), "0") << "the memory of a killed publisher stays mapped";
  EXPECT_EQ(subscriber.ask("release"), "released");
  const Took took = subscriber.take();
  EXPECT_EQ(took.count, 3U);
  EXPECT_EQ(took.last, 501U);
  EXPECT_EQ(took.wrong, 0U);
}

TEST(Channel, BothSidesMustGiveTheSameType)
{
  Shape channel = shape();
  Peer publisher("publisher", channel);
  Shape other = channel;
  other.type = "other";
  EXPECT_EQ(first_word(Peer("subscriber", other)), refusal(Refusal::incompatible));
  other = channel;
  other.max_size = 2 * channel.max_size;
  EXPECT_EQ(first_word(Peer("subscriber", other)), refusal(Refusal::incompatible));
  EXPECT_TRUE(Peer("subscriber", channel).open());
}

TEST(Channel, ARefusalNamesTheValueThatDiffers)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  const auto publisher = Publisher::open(options);
  ASSERT_TRUE(publisher);
  const auto expect = [&](const char * words, const auto & change) {
    Options other = options;
    change(other);
    const auto refused = Subscriber::open(other);
    EXPECT_EQ(refused.refusal, Refusal::incompatible);
    ASSERT_EQ(refused.faults.size(), 1U);
    EXPECT_NE(takt_rt::to_string(refused.faults[0]).find(words), std::string::npos)
      << refused.faults[0];
  };
  expect("type bytes, and this side asks for other", [](Options & one) { one.type = "other"; });
  expect("max_size 64, and this side asks for 65", [](Options & one) { one.max_size = 65; });
  expect("history 0, and this side asks for 1", [](Options & one) { one.history = 1; });
  expect("held 2, and this side asks for 3", [](Options & one) { one.held = 3; });
  expect("publishers 4, and this side asks for 5", [](Options & one) { one.publishers = 5; });
  expect("subscribers 4, and this side asks for 5", [](Options & one) { one.subscribers = 5; });
}

TEST(Channel, ASubscriberGetsTheDepthThatTheChannelHas)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  options.depth = 1;
  const auto publisher = Publisher::open(options);
  options.depth = 10;
  const auto subscriber = Subscriber::open(options);
  const auto deep = Publisher::open(options);
  ASSERT_TRUE(publisher && subscriber && deep);
  EXPECT_EQ(subscriber->depth(), 1U);
}

TEST(Channel, ASubscriberTooManyIsRefused)
{
  Shape channel = shape();
  channel.subscribers = 1;
  Peer first("subscriber", channel);
  EXPECT_EQ(first_word(Peer("subscriber", channel)), refusal(Refusal::full));
  first.end();
  EXPECT_TRUE(Peer("subscriber", channel).open());
}

TEST(Channel, APublisherTooManyIsRefused)
{
  Shape channel = shape();
  channel.publishers = 1;
  Peer subscriber("subscriber", channel);
  Peer first("publisher", channel);
  ASSERT_TRUE(subscriber.open() && first.open()) << subscriber.first() << first.first();
  EXPECT_EQ(first_word(Peer("publisher", channel)), refusal(Refusal::full));
  first.end();
  EXPECT_TRUE(Peer("publisher", channel).open());
}

TEST(Channel, NamesMayHave200Characters)
{
  Shape channel = shape();
  channel.name.resize(200, 'x');
  channel.type = std::string(200, 't');
  Peer subscriber("subscriber", channel);
  Peer publisher("publisher", channel);
  ASSERT_TRUE(subscriber.open() && publisher.open()) << subscriber.first() << publisher.first();
  publisher.ask("publish 2 64");
  EXPECT_EQ(subscriber.take().count, 2U);
  channel.name += 'x';
  EXPECT_EQ(
    Peer("publisher", channel).first(), refusal(Refusal::bad_options) + " channel '" +
                                          channel.name +
                                          "': the name has 201 characters; use 1 to 200");
}

TEST(Channel, MessagesThatDoNotFitIntoSharedMemoryAreRefused)
{
  const Shape channel = shape(std::size_t{4} << 30, 4096);
  EXPECT_EQ(first_word(Peer("publisher", channel)), refusal(Refusal::no_memory));
}

TEST(Channel, OptionsOutOfRangeAreRefusedWithTheRange)
{
  Options options;
  options.name = fresh_name();
  const auto publisher = Publisher::open(options);
  ASSERT_FALSE(publisher);
  EXPECT_EQ(publisher.refusal, Refusal::bad_options);
  EXPECT_EQ(
    to_string(publisher.faults.at(0)),
    "channel '" + options.name + "': max_size is 0; use 1 to 4294967296");
}

TEST(Channel, AnotherUserIsRefused)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can start a process of another user";
  }
  constexpr uid_t kNobody = 65534;
  const Shape channel = shape();
  Peer publisher("publisher", channel);
  ASSERT_TRUE(publisher.open());
  EXPECT_EQ(first_word(Peer("subscriber", channel, kNobody)), refusal(Refusal::other_user));
  // Root must not open the channel of another user either.
  const Shape others = shape();
  Peer other("publisher", others, kNobody);
  ASSERT_TRUE(other.open()) << other.first();
  EXPECT_EQ(first_word(Peer("subscriber", others)), refusal(Refusal::other_user));
  EXPECT_TRUE(Peer("subscriber", others, kNobody).open());
}

TEST(Channel, ALoanIsPublishedOnceAndCanBeDropped)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  auto publisher = Publisher::open(options);
  auto subscriber = Subscriber::open(options);
  ASSERT_TRUE(publisher && subscriber);
  EXPECT_EQ(publisher->loan(65).denial, Denial::too_large);
  Loan first = publisher->loan(64);
  Loan second = publisher->loan(8);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data) % 64, 0U);
  EXPECT_EQ(publisher->loan(8).denial, Denial::all_in_use);
  publisher->drop(first);
  EXPECT_EQ(publisher->publish(first), Denial::not_loaned);
  EXPECT_EQ(publisher->publish(second), Denial::none);
  EXPECT_EQ(publisher->publish(second), Denial::not_loaned);
  Message message = subscriber->take();
  ASSERT_TRUE(message);
  EXPECT_EQ(message.size, 8U);
  subscriber->release(message);
  EXPECT_EQ(subscriber->take().denial, Denial::empty);
}

TEST(Channel, WaitEndsAtTheDeadlineAndWithAMessage)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  auto publisher = Publisher::open(options);
  auto subscriber = Subscriber::open(options);
  ASSERT_TRUE(publisher && subscriber);
  EXPECT_TRUE(subscriber->wait()) << "before the first take";
  EXPECT_EQ(subscriber->take().denial, Denial::empty);
  const takt_rt::Time deadline = takt_rt::now() + std::chrono::milliseconds(2);
  EXPECT_FALSE(subscriber->wait(deadline));
  EXPECT_GE(takt_rt::now(), deadline);
  Loan loan = publisher->loan(8);
  publisher->publish(loan);
  EXPECT_TRUE(subscriber->wait());
  EXPECT_TRUE(subscriber->take());
}

TEST(Channel, APublisherThatEndsLeavesItsMessagesToSubscribersThatHaveSeenIt)
{
  Options options;
  options.name = fresh_name();
  options.max_size = 64;
  auto subscriber = Subscriber::open(options);
  EXPECT_EQ(subscriber->take().denial, Denial::empty);
  auto publisher = Publisher::open(options);
  ASSERT_TRUE(publisher && subscriber);
  for (int i = 0; i < 3; ++i) {
    Loan loan = publisher->loan(8);
    publisher->publish(loan);
  }
  EXPECT_FALSE(publisher->wait_until_seen(takt_rt::now()));
  std::thread end([&] {
    EXPECT_TRUE(publisher->wait_until_seen());
    publisher.value.reset();
  });
  Message message = subscriber->take();
  EXPECT_TRUE(message);
  end.join();
  subscriber->release(message);
  for (std::uint64_t sequence : {1U, 2U}) {
    message = subscriber->take();
    ASSERT_TRUE(message) << sequence;
    EXPECT_EQ(message.sequence, sequence);
    subscriber->release(message);
  }
}

TEST(Channel, APublisherDoesNotWaitForSubscribersThatEnded)
{
  const Shape channel = shape(64);
  Options options;
  options.name = channel.name;
  options.max_size = channel.max_size;
  options.type = channel.type;
  Peer killed("subscriber", channel);
  Peer ended("subscriber", channel);
  ASSERT_TRUE(killed.open() && ended.open());
  auto publisher = Publisher::open(options);
  ASSERT_TRUE(publisher);
  EXPECT_FALSE(publisher->wait_until_seen(takt_rt::now()));
  killed.kill();
  EXPECT_FALSE(publisher->wait_until_seen(takt_rt::now()));
  ended.end();
  EXPECT_TRUE(publisher->wait_until_seen(takt_rt::now()));
  // A later subscriber sees the publisher when it opens.
  Peer later("subscriber", channel);
  ASSERT_TRUE(later.open()) << later.first();
  EXPECT_TRUE(publisher->wait_until_seen(takt_rt::now()));
}

// Ratios only; the absolute limits are in benchmarks.
TEST(Channel, OnlyTheWaitingThreadSwitchesAndOnceForEachMessage)
{
  cpu_set_t cores;
  ASSERT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
  int core = 0;
  while (!CPU_ISSET(core, &cores)) {
    ++core;
  }
  constexpr int kMessages = 1000;
  for (const std::size_t size : {std::size_t{64}, std::size_t{65536}, std::size_t{8} << 20}) {
    const Shape channel = shape(size, 4);
    Peer subscriber("subscriber", channel, 0, core);
    Peer publisher("publisher", channel, 0, core);
    subscriber.tell("receive " + std::to_string(kMessages));
    // The publisher goes on without an end: a subscriber on a busy machine may miss any number of
    // messages.
    publisher.tell("pace 1000000000 " + std::to_string(size) + " 200");
    const Took took = subscriber.read_took();
    std::cout << size << " bytes on one core: p50 " << took.p50 << " ns, p99 " << took.p99
              << " ns, " << static_cast<double>(took.switches) / kMessages
              << " voluntary switches per message, " << took.threads << " thread\n";
    EXPECT_EQ(took.count, static_cast<std::uint64_t>(kMessages));
    EXPECT_EQ(took.threads, 1);
    EXPECT_LE(took.switches, kMessages * 105 / 100 + 10);
    publisher.kill();
  }
}

}  // namespace
}  // namespace takt_channel
