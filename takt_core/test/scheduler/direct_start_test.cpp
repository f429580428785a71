// The start of a follower by direct call on a thread that no other thread helps: what its message
// counts as while it waits, and set-up meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/by_hand.hpp"
#include "support/driver.hpp"
#include "takt_core/sequence.hpp"

namespace takt_core::test
{
namespace
{

Binding at(std::uint32_t position, std::optional<int> priority = {}, ThreadMask threads = 0b01)
{
  Binding binding;
  binding.sequence = SequencePlace{0, position};
  binding.priority = priority;
  binding.threads = threads;
  return binding;
}

class DirectStart : public ::testing::Test
{
protected:
  // Starts `first` on thread 0 and announces messages for `to` in its run.
  void run(
    const std::shared_ptr<SilentCallback> & first,
    const std::vector<std::shared_ptr<SilentCallback>> & to)
  {
    hand.scheduler.ready(*first, 1, ms(1));
    ASSERT_EQ(hand.pick(0, ms(1)), first->id());
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    const ActivationScope activations(hand.runs.back().activations);
    for (const auto & callback : to) {
      const MessageScope name(++named);
      hand.scheduler.ready(*callback, 1, ms(2));
    }
  }

  ByHand hand{2, Order::priority};
  std::uint64_t named = 100;
};

TEST_F(DirectStart, AMessageCountsWhileItsCallbackWaits)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  run(a, {b});
  EXPECT_EQ(b->backlog(), 1U);
  EXPECT_EQ(b->arrivals(), 1U);
  EXPECT_EQ(b->oldest_arrival(), ms(2));
  hand.complete();
  ASSERT_EQ(hand.pick(0, ms(3)), "b");
  const auto & started = hand.runs.back();
  EXPECT_EQ(started.release, ms(2));
  EXPECT_EQ(started.start, ms(3));
  EXPECT_EQ(started.announced, 101U);
  EXPECT_EQ(started.deadline, kNever);
  ASSERT_EQ(started.activations.size(), 1U);
  EXPECT_EQ(started.activations.begin()->root, a->number());
  EXPECT_EQ(started.activations.begin()->release, ms(1));
  EXPECT_TRUE(hand.scheduler.running(*b));
  EXPECT_TRUE(b->group().busy());
  EXPECT_EQ(b->backlog(), 0U);
  hand.complete();
  EXPECT_FALSE(b->group().busy());
  EXPECT_FALSE(hand.scheduler.running(*b));
  EXPECT_EQ(b->overwritten(), 0U);
}

TEST_F(DirectStart, ALaterMessageOverwritesTheWaitingOne)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1), 1);
  run(a, {b, b, b});
  EXPECT_EQ(b->backlog(), 1U);
  hand.complete();
  ASSERT_EQ(hand.pick(0, ms(3)), "b");
  EXPECT_EQ(hand.runs.back().announced, 103U);
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  EXPECT_EQ(b->arrivals(), 3U);
  EXPECT_EQ(b->overwritten(), 2U);
}

TEST_F(DirectStart, LaterMessagesFollowInTheirOrder)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1), 3);
  run(a, {b, b, b});
  EXPECT_EQ(b->backlog(), 3U);
  hand.complete();
  for (std::uint64_t name = 101; name <= 103; ++name) {
    ASSERT_EQ(hand.pick(0, ms(3)), "b");
    EXPECT_EQ(hand.runs.back().announced, name);
    hand.complete();
  }
  EXPECT_EQ(b->overwritten(), 0U);
}

// Among callbacks of one priority that became ready at the same time, the earlier announcement goes
// first, also if the later one waited for its turn.
TEST_F(DirectStart, ACallbackThatLosesItsTurnKeepsItsPlaceAmongItsEquals)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  Binding plain;
  plain.threads = 0b01;
  const auto earlier = hand.add("earlier", nullptr, plain);
  const auto later = hand.add("later", nullptr, plain);
  plain.priority = 9;
  const auto urgent = hand.add("urgent", nullptr, plain);
  run(a, {earlier, c, b, later, urgent});
  hand.complete();
  for (const auto * id : {"urgent", "earlier", "c", "b", "later"}) {
    EXPECT_EQ(hand.run_one(0, ms(3)), id);
  }
}

TEST_F(DirectStart, AMessageOutlivesARemoval)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1), 2);
  run(a, {b, b});
  EXPECT_EQ(hand.scheduler.remove(*b), b);
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  EXPECT_EQ(b->backlog(), 2U);
  ASSERT_TRUE(hand.scheduler.add(b, at(1), ms(3)).ok());
  for (std::uint64_t name = 101; name <= 102; ++name) {
    ASSERT_EQ(hand.pick(0, ms(3)), "b");
    EXPECT_EQ(hand.runs.back().announced, name);
    hand.complete();
  }
}

TEST_F(DirectStart, AMessageForARemovedFollowerWaitsForItsReturn)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  EXPECT_EQ(hand.scheduler.remove(*b), b);
  run(a, {b});
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  EXPECT_EQ(b->backlog(), 1U);
  ASSERT_TRUE(hand.scheduler.add(b, at(1), ms(3)).ok());
  ASSERT_EQ(hand.pick(0, ms(3)), "b");
  EXPECT_EQ(hand.runs.back().announced, 101U);
  hand.complete();
}

TEST_F(DirectStart, ACallbackThatMovesTakesItsMessageAlong)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  run(a, {b});
  ASSERT_TRUE(hand.scheduler.bind(*b, 0b10).ok());
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  ASSERT_EQ(hand.pick(1, ms(3)), "b");
  EXPECT_EQ(hand.runs.back().announced, 101U);
  EXPECT_EQ(hand.runs.back().activations.begin()->root, a->number());
  hand.complete();
}

TEST_F(DirectStart, ADeadlineSetMeanwhileCounts)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  run(a, {b});
  ASSERT_TRUE(hand.scheduler.set_deadline(*b, millis(5)).ok());
  hand.complete();
  ASSERT_EQ(hand.pick(0, ms(3)), "b");
  EXPECT_EQ(hand.runs.back().deadline, ms(7));
  hand.complete();
}

TEST_F(DirectStart, AGroupThatIsHeldMakesTheFollowerWait)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", group, at(1));
  Binding elsewhere;
  elsewhere.threads = 0b10;
  const auto other = hand.add("other", group, elsewhere);
  hand.scheduler.ready(*other, 1, ms(1));
  ASSERT_EQ(hand.pick(1, ms(1)), "other");
  auto held = hand.runs.back();
  run(a, {b});
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  hand.scheduler.complete(held);
  EXPECT_EQ(hand.pick(0, ms(3)), "b");
}

// A thread runs a sequence of callbacks with groups of their own, while another thread adds and
// removes second members of these groups and moves the callbacks: no message is lost, and no two
// members run at once.
TEST(DirectStartStress, GroupsGetMembersAndCallbacksMoveMeanwhile)
{
  constexpr std::uint32_t kLength = 3;
  constexpr std::uint64_t kRounds = 400;
  std::vector<std::shared_ptr<Counter>> path;
  std::vector<std::shared_ptr<Group>> groups;
  std::vector<std::unique_ptr<std::atomic<int>>> inside;
  std::atomic<std::uint64_t> together{0};
  const auto make = [](const std::string & id, const std::shared_ptr<Group> & group) {
    CallbackOptions options;
    options.id = id;
    options.kind = Kind::subscription;
    options.depth = 1 << 13;
    options.group = group;
    return std::make_shared<Counter>(options);
  };
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    Driver one(2, Order::priority);
    path.clear();
    groups.clear();
    inside.clear();
    for (std::uint32_t i = 0; i < kLength; ++i) {
      groups.push_back(std::make_shared<Group>(GroupKind::mutually_exclusive));
      inside.push_back(std::make_unique<std::atomic<int>>(0));
      path.push_back(make("c" + std::to_string(i), groups.back()));
    }
    const auto guest = make("guest", groups[1]);
    const auto pass = [&](std::uint32_t i) {
      together += inside[i]->fetch_add(1) != 0 ? 1 : 0;
      inside[i]->fetch_sub(1);
    };
    for (std::uint32_t i = 0; i < kLength; ++i) {
      path[i]->body = [&, i](const auto &) {
        pass(i);
        if (i + 1 < kLength) {
          one.scheduler.ready(*path[i + 1], 1, now());
        }
      };
      ASSERT_TRUE(one.scheduler.add(path[i], at(i)).ok());
    }
    guest->body = [&](const auto &) { pass(1); };
    one.start();
    constexpr std::uint64_t kMessages = 20;
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      one.scheduler.ready(*path[0], 1, now());
      if (i == round % kMessages) {
        Binding there;
        there.threads = 0b10;
        ASSERT_TRUE(one.scheduler.add(guest, there).ok());
        one.scheduler.ready(*guest, 1, now());
      }
      if (i == round / kMessages % kMessages) {
        ASSERT_TRUE(one.scheduler.bind(*path[2], 0b10).ok());
      }
    }
    EXPECT_TRUE(Driver::wait_for(
      [&] { return path.back()->runs.load() == kMessages && guest->runs.load() == 1; }));
    one.stop();
    EXPECT_EQ(path.back()->runs.load(), kMessages);
    EXPECT_EQ(path.back()->overwritten(), 0U);
  }
  EXPECT_EQ(together.load(), 0U);
}

}  // namespace
}  // namespace takt_core::test
