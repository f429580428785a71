// Sequences: which callback follows which one, which callbacks go first, and changes by set-up
// meanwhile.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/by_hand.hpp"
#include "support/driver.hpp"

namespace takt_core::test
{
namespace
{

using Ids = std::vector<std::string>;

Binding at(std::uint32_t position, std::uint32_t sequence = 0, ThreadMask threads = 0)
{
  Binding binding;
  binding.sequence = SequencePlace{sequence, position};
  binding.threads = threads;
  return binding;
}

const TimerOptions kEvery10 = [] {
  TimerOptions timer;
  timer.period = millis(10);
  return timer;
}();

class SequenceTest : public ::testing::Test
{
protected:
  // Runs the next callback of thread 0, which announces a message to each of `to`, in their order.
  std::string run(const std::vector<std::shared_ptr<SilentCallback>> & to = {})
  {
    std::string id = hand.pick(0, ms(now));
    if (id != "-") {
      {
        const SequenceScope scope(hand.scheduler, hand.runs.back());
        for (const auto & callback : to) {
          hand.scheduler.ready(*callback, 1, ms(now));
        }
      }
      hand.complete();
    }
    return id;
  }
  void announce(const std::shared_ptr<SilentCallback> & callback)
  {
    hand.scheduler.ready(*callback, 1, ms(now));
  }

  ByHand hand{2, Order::priority};
  std::int64_t now = 1;
};

TEST_F(SequenceTest, ACallbackFollowsBeforeOthersThatWereReadyEarlier)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  const auto other = hand.add("other");
  announce(a);
  announce(other);
  EXPECT_EQ(run({b}), "a");
  EXPECT_EQ(run({c}), "b");
  EXPECT_EQ(run(), "c");
  EXPECT_EQ(run(), "other");
  EXPECT_EQ(run(), "-");
}

TEST_F(SequenceTest, WithoutASequenceTheEarlierOneGoesFirst)
{
  const auto a = hand.add("a");
  const auto b = hand.add("b");
  const auto other = hand.add("other");
  announce(a);
  announce(other);
  EXPECT_EQ(run({b}), "a");
  EXPECT_EQ(run(), "other");
  EXPECT_EQ(run(), "b");
}

TEST_F(SequenceTest, CallbacksThatAreReadyTogetherFollowInTheOrderOfTheList)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  const auto d = hand.add("d", nullptr, at(3));
  announce(a);
  EXPECT_EQ(run({c, b}), "a");
  EXPECT_EQ(run({d}), "b");
  EXPECT_EQ(run({d}), "c");
  EXPECT_EQ(run(), "d");
  EXPECT_EQ(d->backlog(), 1U);  // its second message uses the ready queue
  EXPECT_EQ(run(), "d");
  EXPECT_EQ(run(), "-");
}

TEST_F(SequenceTest, AStrictlyMoreUrgentCallbackGoesFirst)
{
  Binding urgent;
  urgent.priority = 5;
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  const auto more = hand.add("more", nullptr, urgent);
  announce(a);
  EXPECT_EQ(run({b, c, more}), "a");
  EXPECT_EQ(run(), "more");
  EXPECT_EQ(run(), "b");
  EXPECT_EQ(run(), "c");
}

TEST_F(SequenceTest, AMoreUrgentTimerThatIsDueGoesFirst)
{
  Binding urgent;
  urgent.priority = 5;
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  hand.add_timer("timer", kEvery10, nullptr, urgent);
  hand.scheduler.open(ms(0));
  announce(a);
  EXPECT_EQ(run({b}), "a");
  now = 10;
  EXPECT_EQ(run(), "timer");
  EXPECT_EQ(run(), "b");
}

TEST_F(SequenceTest, AMoreUrgentCallbackOfAnotherSetOfTheThreadGoesFirst)
{
  Binding urgent;
  urgent.priority = 5;
  urgent.threads = 0b01;
  const auto a = hand.add("a", nullptr, at(0, 0, 0b11));
  const auto b = hand.add("b", nullptr, at(1, 0, 0b11));
  const auto more = hand.add("more", nullptr, urgent);
  announce(a);
  EXPECT_EQ(run({b, more}), "a");
  EXPECT_EQ(run(), "more");
  EXPECT_EQ(run(), "b");
}

TEST_F(SequenceTest, UnderEdfAnEarlierDeadlineGoesFirst)
{
  ByHand edf{1, Order::edf};
  Binding late = at(1);
  late.deadline = millis(50);
  Binding early;
  early.deadline = millis(20);
  Binding latest;
  latest.deadline = millis(90);
  const auto a = edf.add("a", nullptr, at(0));
  const auto b = edf.add("b", nullptr, late);
  const auto sooner = edf.add("sooner", nullptr, early);
  const auto later = edf.add("later", nullptr, latest);
  const auto turn = [&](bool with_sooner) {
    edf.scheduler.ready(*a, 1, ms(1));
    EXPECT_EQ(edf.pick(0, ms(1)), "a");
    {
      const SequenceScope scope(edf.scheduler, edf.runs.back());
      edf.scheduler.ready(*later, 1, ms(2));
      edf.scheduler.ready(*b, 1, ms(2));
      if (with_sooner) {
        edf.scheduler.ready(*sooner, 1, ms(2));
      }
    }
    edf.complete();
    Ids ids;
    for (int i = 0; i < (with_sooner ? 3 : 2); ++i) {
      ids.push_back(edf.run_one(0, ms(3)));
    }
    return ids;
  };
  EXPECT_EQ(turn(false), (Ids{"b", "later"}));
  EXPECT_EQ(turn(true), (Ids{"sooner", "b", "later"}));
}

TEST_F(SequenceTest, NoThreadIsWokenForAFollower)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto other = hand.add("other");
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  Time wake_at = kNever;
  ASSERT_TRUE(hand.scheduler.begin_idle(1, ms(1), wake_at));
  hand.woken.clear();
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
    EXPECT_TRUE(hand.woken.empty());
    announce(other);
    EXPECT_EQ(hand.woken, std::vector<std::uint32_t>{1});
  }
  hand.complete();
  EXPECT_EQ(run(), "b");
}

// The other work was announced without a wake-up, since this thread would look; then this thread
// starts the follower instead.
TEST_F(SequenceTest, AThreadIsWokenForWorkThatTheFollowerKeepsWaiting)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto other = hand.add("other");
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  Time wake_at = kNever;
  ASSERT_TRUE(hand.scheduler.begin_idle(1, ms(1), wake_at));
  hand.woken.clear();
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    const WakeDeferral deferral(hand.scheduler, 0);
    announce(other);
    announce(b);
  }
  EXPECT_TRUE(hand.woken.empty());
  hand.complete();
  EXPECT_EQ(run(), "b");
  EXPECT_EQ(hand.woken, std::vector<std::uint32_t>{1});
}

TEST_F(SequenceTest, EarlierPlacesAndOtherSequencesUseTheReadyQueue)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto foreign = hand.add("foreign", nullptr, at(1, 1));
  const auto other = hand.add("other");
  announce(b);
  announce(other);
  EXPECT_EQ(run({a, foreign}), "b");
  EXPECT_EQ(run(), "other");
  EXPECT_EQ(run(), "a");
  EXPECT_EQ(run(), "foreign");
}

TEST_F(SequenceTest, AFollowerWhoseGroupIsBusyWaitsForIt)
{
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", group, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  const auto holder = hand.add("holder", group);
  announce(holder);
  EXPECT_EQ(hand.pick(1, ms(1)), "holder");
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
    announce(c);
  }
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(1)), "c");
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(1)), "-");
  hand.complete();  // the holder
  EXPECT_EQ(hand.pick(0, ms(1)), "b");
}

TEST_F(SequenceTest, AFollowerOfTheSameGroupFollows)
{
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", group, at(0));
  const auto b = hand.add("b", group, at(1));
  const auto other = hand.add("other", group);
  announce(a);
  announce(other);
  EXPECT_EQ(run({b}), "a");
  // The group goes to the best of the callbacks that waited for it; the follower was not among
  // these.
  Ids ids{run(), run()};
  EXPECT_EQ(ids, (Ids{"b", "other"}));
}

TEST_F(SequenceTest, AFollowerOfTheSameGroupGoesBeforeTheNextMessageOfTheEarlierOne)
{
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", group, at(0));
  const auto b = hand.add("b", group, at(1));
  announce(a);
  announce(a);
  Ids ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(i % 2 == 0 ? run({b}) : run());
  }
  EXPECT_EQ(ids, (Ids{"a", "b", "a", "b"}));
  EXPECT_EQ(run(), "-");
}

TEST_F(SequenceTest, AMoreUrgentFollowerThatHasAnotherThreadDoesNotWait)
{
  Binding urgent = at(1);
  urgent.priority = 5;
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, urgent);
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
    EXPECT_EQ(hand.pick(1, ms(1)), "b");
  }
  hand.complete();
  hand.complete();
  EXPECT_EQ(run(), "-");
}

TEST_F(SequenceTest, AMoreUrgentFollowerOfThisThreadAloneWaits)
{
  Binding urgent = at(1, 0, 0b01);
  urgent.priority = 5;
  const auto a = hand.add("a", nullptr, at(0, 0, 0b01));
  const auto b = hand.add("b", nullptr, urgent);
  announce(a);
  EXPECT_EQ(run({b}), "a");
  EXPECT_EQ(b->backlog(), 1U);
  EXPECT_EQ(run(), "b");
}

TEST_F(SequenceTest, BeforeAWaitOtherThreadsGetTheFollowers)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  Time wake_at = kNever;
  ASSERT_TRUE(hand.scheduler.begin_idle(1, ms(1), wake_at));
  hand.woken.clear();
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
    EXPECT_TRUE(hand.woken.empty());
    SequenceScope::before_wait();
    EXPECT_EQ(hand.woken, std::vector<std::uint32_t>{1});
    hand.scheduler.end_idle(1);
    EXPECT_EQ(hand.run_one(1, ms(1)), "b");
    announce(c);
    EXPECT_EQ(hand.pick(1, ms(1)), "-");
  }
  hand.complete();
  EXPECT_EQ(run(), "c");
}

TEST_F(SequenceTest, AnInnerScopeHidesTheOuterOne)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  ByHand inner{1, Order::priority};
  const auto other = inner.add("other");
  inner.scheduler.ready(*other, 1, ms(1));
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    EXPECT_EQ(inner.pick(0, ms(1)), "other");
    {
      const SequenceScope nested(inner.scheduler, inner.runs.back());
      announce(b);
      EXPECT_EQ(hand.pick(1, ms(1)), "b");
      hand.complete();
    }
    announce(b);
    EXPECT_EQ(hand.pick(1, ms(1)), "-");
  }
  hand.complete();
  EXPECT_EQ(run(), "b");
}

TEST_F(SequenceTest, AFollowerThatIsRemovedDoesNotRun)
{
  const auto a = hand.add("a", nullptr, at(0));
  auto b = hand.add("b", nullptr, at(1));
  const auto c = hand.add("c", nullptr, at(2));
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
    announce(c);
    EXPECT_EQ(hand.scheduler.remove(*b), b);
    b.reset();
  }
  hand.complete();
  EXPECT_EQ(run(), "c");
  EXPECT_EQ(run(), "-");
}

TEST_F(SequenceTest, AFollowerThatIsBoundToAnotherThreadRunsThere)
{
  const auto a = hand.add("a", nullptr, at(0, 0, 0b01));
  const auto b = hand.add("b", nullptr, at(1, 0, 0b01));
  announce(a);
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
    EXPECT_TRUE(hand.scheduler.bind(*b, 0b10).ok());
  }
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(1)), "-");
  EXPECT_EQ(hand.pick(1, ms(1)), "b");
}

// The follower is bound elsewhere before its message comes: its own thread is woken at the end of
// the earlier callback.
TEST_F(SequenceTest, AFollowerOfAnotherThreadUsesItsReadyQueue)
{
  const auto a = hand.add("a", nullptr, at(0, 0, 0b01));
  const auto b = hand.add("b", nullptr, at(1, 0, 0b10));
  announce(a);
  Time wake_at = kNever;
  ASSERT_TRUE(hand.scheduler.begin_idle(1, ms(1), wake_at));
  EXPECT_EQ(run({b}), "a");
  EXPECT_EQ(run(), "-");
  EXPECT_EQ(hand.woken, std::vector<std::uint32_t>{1});
  hand.scheduler.end_idle(1);
  EXPECT_EQ(hand.pick(1, ms(1)), "b");
}

TEST_F(SequenceTest, AThreadThatLeavesHandsItsFollowersOn)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  announce(a);
  EXPECT_EQ(run({b}), "a");
  hand.scheduler.leave(0);
  EXPECT_EQ(hand.pick(1, ms(1)), "b");
}

TEST_F(SequenceTest, AVisitorUsesReadyQueues)
{
  const auto a = hand.add("a", nullptr, at(0));
  const auto b = hand.add("b", nullptr, at(1));
  const auto other = hand.add("other");
  announce(a);
  announce(other);
  const std::uint32_t visitor = hand.scheduler.visitor();
  EXPECT_EQ(hand.pick(visitor, ms(1)), "a");
  {
    const SequenceScope scope(hand.scheduler, hand.runs.back());
    announce(b);
  }
  hand.complete();
  EXPECT_EQ(hand.run_one(visitor, ms(1)), "other");
  EXPECT_EQ(hand.run_one(visitor, ms(1)), "b");
}

TEST_F(SequenceTest, AFollowerUnderAConditionFollowsWhenItIsReleased)
{
  const auto group = ByHand::exclusive();
  Condition both;
  both.count = 2;
  ASSERT_TRUE(group->set_condition(both));
  const auto a = hand.add("a", nullptr, at(0));
  const auto left = hand.add("left", group, at(1));
  const auto right = hand.add("right", group, at(2));
  const auto other = hand.add("other");
  hand.scheduler.open(ms(0));
  announce(a);
  announce(other);
  announce(left);
  EXPECT_EQ(run({right}), "a");
  EXPECT_EQ(run(), "left");
  EXPECT_EQ(run(), "right");
  EXPECT_EQ(run(), "other");
}

TEST_F(SequenceTest, RefusesPlacesThatCannotBe)
{
  const auto faults = [this](const Binding & binding) {
    hand.add("x" + std::to_string(++now), nullptr, binding);
    return hand.faults.size();
  };
  EXPECT_EQ(faults(at(SequencePlace::kMaxLength)), 1U);
  EXPECT_EQ(faults(at(0, SequencePlace::kMaxSequences)), 1U);
  EXPECT_EQ(faults(at(SequencePlace::kMaxLength - 1, SequencePlace::kMaxSequences - 1)), 0U);
  Binding input = at(1);
  input.non_triggering.emplace();
  EXPECT_EQ(faults(input), 1U);
  hand.add_timer("first", kEvery10, nullptr, at(0));
  EXPECT_TRUE(hand.faults.empty());
  hand.add_timer("second", kEvery10, nullptr, at(1));
  EXPECT_EQ(hand.faults.size(), 1U);
  ByHand window{1, Order::window};
  window.add("w", nullptr, at(0));
  EXPECT_EQ(window.faults.size(), 1U);
  ByHand stock{1, Order::stock};
  stock.add("s", nullptr, at(0));
  EXPECT_EQ(stock.faults.size(), 1U);
}

// Threads run sequences while another thread announces, binds and removes: no message is lost, and
// none runs twice.
TEST(SequenceStress, LosesNothingWhileCallbacksAreBoundRemovedAndAdded)
{
  constexpr int kLength = 4;
  constexpr std::uint64_t kRounds = 3000;
  Driver driver(2, Order::priority);
  std::vector<std::shared_ptr<Counter>> path;
  const auto make = [&](int i) {
    CallbackOptions options;
    options.id = "c" + std::to_string(i);
    options.kind = Kind::subscription;
    options.depth = 1 << 13;
    return std::make_shared<Counter>(options);
  };
  for (int i = 0; i < kLength; ++i) {
    path.push_back(make(i));
  }
  for (int i = 0; i + 1 < kLength; ++i) {
    path[i]->body = [&driver, &path, i](const auto &) {
      driver.scheduler.ready(*path[i + 1], 1, now());
    };
  }
  for (int i = 0; i < kLength; ++i) {
    ASSERT_TRUE(driver.scheduler.add(path[i], at(i, 0, 0b01)).ok());
  }
  // This callback comes and goes; the test does not count its runs.
  const auto guest = make(kLength);
  path[0]->body = [&](const auto &) {
    driver.scheduler.ready(*guest, 1, now());
    driver.scheduler.ready(*path[1], 1, now());
  };
  driver.start();
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    driver.scheduler.ready(*path[0], 1, now());
    if (round % 7 == 0) {
      ASSERT_TRUE(driver.scheduler.bind(*path[round % kLength], 1 + round % 3).ok());
    }
    if (round % 5 == 0) {
      ASSERT_TRUE(driver.scheduler.add(guest, at(kLength, 0, 0b01)).ok());
    } else if (round % 5 == 2) {
      driver.scheduler.remove(*guest);
      ASSERT_TRUE(Driver::wait_for([&] { return !driver.scheduler.reap(); }));
    }
  }
  EXPECT_TRUE(Driver::wait_for([&] { return path.back()->runs.load() == kRounds; }));
  driver.stop();
  for (const auto & callback : path) {
    EXPECT_EQ(callback->runs.load(), kRounds);
    EXPECT_EQ(callback->overlaps.load(), 0U);
    EXPECT_EQ(callback->overwritten(), 0U);
  }
}

}  // namespace
}  // namespace takt_core::test
