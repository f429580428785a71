// No callback of a thread overtakes one that has begun. The bounds are those of messages on a CAN
// bus, after Davis, Burns, Bril and Lukkien, "Controller Area Network (CAN) schedulability
// analysis: Refuted, revisited and revised" (Real-Time Systems, 2007).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/campaign.hpp"
#include "support/example.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;
using test::kTenth;

struct Message
{
  Ns time = 0;
  Ns period = 0;
  Ns jitter = 0;
};

/// One thread; the first message is the most urgent.
std::vector<Ns> bounds_of(const std::vector<Message> & messages)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  int priority = 100;
  for (const Message & message : messages) {
    example.timer(thread, --priority, message.period, message.time, message.jitter);
  }
  std::vector<Ns> bounds;
  const auto found = priority_bounds(example.model);
  for (const auto & bound : found->tasks) {
    bounds.push_back(bound.ok() ? *bound : -1);
  }
  return bounds;
}

/// Equations 9 to 15 of the paper, with nanoseconds for bit times.
Ns response(const std::vector<Message> & messages, std::size_t m)
{
  Ns blocking = 0;
  for (std::size_t k = m + 1; k < messages.size(); ++k) {
    blocking = std::max(blocking, messages[k].time);
  }
  const auto above = [&](Ns length, std::size_t until) {
    Ns sum = 0;
    for (std::size_t k = 0; k < until; ++k) {
      const Message & one = messages[k];
      sum += (length + one.jitter + one.period - 1) / one.period * one.time;
    }
    return sum;
  };
  const Message & own = messages[m];
  Ns busy = own.time;
  for (Ns next = 0; (next = blocking + above(busy, m + 1)) != busy; busy = next) {
  }
  const Ns last = (busy + own.jitter + own.period - 1) / own.period;
  Ns longest = 0;
  for (Ns q = 0; q < last; ++q) {
    Ns start = blocking + q * own.time;
    for (Ns next = 0; (next = blocking + q * own.time + above(start + 1, m)) != start;) {
      start = next;
    }
    longest = std::max(longest, own.jitter + start - q * own.period + own.time);
  }
  return longest;
}

TEST(BegunCallback, TheExampleThatRefutedTheFirstAnalysisOfCan)
{
  const std::vector<Message> messages{
    {10 * kTenth, 25 * kTenth}, {10 * kTenth, 35 * kTenth}, {10 * kTenth, 35 * kTenth}};
  EXPECT_EQ(bounds_of(messages), (std::vector<Ns>{20 * kTenth, 30 * kTenth, 35 * kTenth}))
    << "the third one's second message waits longest";
}

TEST(BegunCallback, AShortCallbackDoesNotOvertakeALongOneAgainAndAgain)
{
  EXPECT_EQ(
    bounds_of({{5 * kMs, 10 * kMs}, {50 * kMs, 1000 * kMs}}),
    (std::vector<Ns>{55 * kMs, 55 * kMs}));
}

TEST(BegunCallback, AgreesWithTheEquationsOfThePaper)
{
  std::mt19937_64 random(test::seed());
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  for (std::uint64_t i = 0; i < test::rounds(500); ++i) {
    std::vector<Message> messages(static_cast<std::size_t>(pick(1, 8)));
    for (Message & message : messages) {
      message.period = pick(20, 400);
      message.time =
        std::max<Ns>(1, message.period * pick(10, 95) / 100 / static_cast<Ns>(messages.size()));
      message.jitter = pick(0, 2) == 0 ? pick(0, 2 * message.period) : 0;
    }
    const std::vector<Ns> bounds = bounds_of(messages);
    for (std::size_t m = 0; m < messages.size(); ++m) {
      ASSERT_EQ(bounds[m], response(messages, m)) << "round " << i << ", message " << m;
    }
  }
}

TEST(BegunCallback, MoreUrgentThreadsStillTakeTheCore)
{
  Example example(1);
  const Index low = example.thread(0, 10), high = example.thread(0, 20);
  const Index own = example.timer(low, 1, 1000 * kMs, 50 * kMs);
  example.timer(low, 2, 1000 * kMs, 5 * kMs);
  example.timer(high, 1, 20 * kMs, 5 * kMs);
  // 55 from its thread, and 5 of every 20 until its end.
  EXPECT_EQ(*priority_bounds(example.model)->tasks[own], 75 * kMs);
}

}  // namespace
}  // namespace takt_plan
