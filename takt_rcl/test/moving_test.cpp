// Nodes and groups change executors while their callbacks run and other threads use them.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "ros_test.hpp"

namespace takt_rcl::test
{

class Moving : public RosTest
{
};

// A callback for which a removal waits may itself try to add the node. It must get an error and not
// wait.
TEST_F(Moving, NodeThatIsStillLeavingGetsIntoNoExecutor)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  std::atomic<bool> inside{false};
  std::atomic<bool> refused{false};
  std::atomic<bool> let_go{false};
  std::atomic<int> other_ran{0};
  std::atomic<int> slow_ran{0};
  GuardCondition::SharedPtr slow = n->create_guard_condition([&] {
    if (++slow_ran == 1) {
      inside = true;
      wait_until([&] { return slow->number() == 0; });
      EXPECT_THROW(b.add_node(n), Error);
      refused = true;
      wait_until([&] { return let_go.load(); });
    }
  });
  auto other = n->create_guard_condition([&] { ++other_ran; });
  a.add_node(n);
  Spinning in_a(a);
  Spinning in_b(b);
  slow->trigger();
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  std::thread remover([&] { a.remove_node(n); });
  ASSERT_TRUE(wait_until([&] { return slow->number() == 0; }));
  EXPECT_THROW(b.add_node(n), Error);
  EXPECT_THROW(a.add_node(n), Error);
  EXPECT_THROW(a.remove_node(n), Error);
  auto late = n->create_guard_condition([&] { ++other_ran; });
  EXPECT_EQ(late->number(), 0u);
  EXPECT_TRUE(wait_until([&] { return refused.load(); }));
  let_go = true;
  remover.join();

  b.add_node(n);
  EXPECT_EQ(a.core().scheduler().callbacks().size(), 0u);
  EXPECT_EQ(b.core().scheduler().callbacks().size(), 3u);
  for (const auto & guard : {slow, other, late}) {
    guard->trigger();
  }
  EXPECT_TRUE(wait_until([&] { return slow_ran == 2 && other_ran == 2; }));
}

TEST_F(Moving, GroupThatIsStillLeavingGetsIntoNoExecutor)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  auto group = n->create_callback_group(CallbackGroupType::MutuallyExclusive, "g");
  GuardConditionOptions in_group;
  in_group.callback_group = group;
  std::atomic<bool> inside{false};
  std::atomic<bool> let_go{false};
  std::atomic<int> ran{0};
  auto slow = n->create_guard_condition(
    [&] {
      inside = true;
      wait_until([&] { return let_go.load(); });
      ++ran;
    },
    in_group);
  auto other = n->create_guard_condition([&] { ++ran; }, in_group);
  a.add_callback_group(group, n);
  Spinning in_a(a);
  slow->trigger();
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  std::thread remover([&] { a.remove_callback_group(group); });
  ASSERT_TRUE(wait_until([&] { return slow->number() == 0; }));
  EXPECT_THROW(b.add_callback_group(group, n), Error);
  EXPECT_THROW(b.add_node(n), Error);
  let_go = true;
  remover.join();

  b.add_node(n);
  EXPECT_EQ(b.core().scheduler().callbacks().size(), 2u);
  slow->trigger();
  other->trigger();
  EXPECT_TRUE(spin_until(b, [&] { return ran == 3; }));
}

TEST_F(Moving, GroupTakenOutByItselfStaysOutUntilItOrItsNodeIsAddedAgain)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  auto group = n->create_callback_group(CallbackGroupType::MutuallyExclusive, "g");
  GuardConditionOptions in_group;
  in_group.callback_group = group;
  auto first = n->create_guard_condition([] {}, in_group);
  a.add_callback_group(group, n);
  a.add_node(n);
  a.remove_callback_group(group);
  auto second = n->create_guard_condition([] {}, in_group);
  EXPECT_EQ(first->number(), 0u);
  EXPECT_EQ(second->number(), 0u);
  b.add_callback_group(group, n);
  EXPECT_NE(first->number(), 0u);
  EXPECT_NE(second->number(), 0u);
  b.remove_callback_group(group);
  a.remove_node(n);
  b.add_node(n);
  EXPECT_NE(first->number(), 0u);
  EXPECT_NE(second->number(), 0u);
}

// In another executor, the rest of its group could run at the same time.
TEST_F(Moving, CallbackCannotTakeItsExclusiveGroupElsewhereBeforeItReturns)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<bool> left{false};
  std::atomic<int> other_ran{0};
  const auto enter = [&] {
    const int now = ++inside;
    most = std::max(most.load(), now);
  };
  GuardCondition::SharedPtr other;
  auto mover = n->create_guard_condition([&] {
    enter();
    a.remove_node(n);
    try {
      b.add_node(n);
      ADD_FAILURE() << "nothing was thrown";
      other->trigger();
      wait_until([&] { return other_ran > 0; });
    } catch (const Error & error) {
      EXPECT_NE(std::string(error.what()).find("/n:group(default)"), std::string::npos)
        << error.what();
    }
    --inside;
    left = true;
  });
  other = n->create_guard_condition([&] {
    enter();
    ++other_ran;
    --inside;
  });
  a.add_node(n);
  Spinning in_b(b);
  mover->trigger();
  ASSERT_TRUE(spin_until(a, [&] { return left.load(); }));
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(b.core().scheduler().callbacks().empty());
  b.add_node(n);  // that run has ended
  other->trigger();
  EXPECT_TRUE(wait_until([&] { return other_ran > 0; }));
  EXPECT_EQ(most, 1);
}

TEST_F(Moving, CallbackMayTakeItsNodeOutAndPutItBackAndItsGroupStaysExclusive)
{
  auto n = node("n");
  auto e = executor(2);
  std::atomic<bool> over{false};
  std::atomic<int> beside{0};
  std::atomic<int> ran{0};
  GuardCondition::SharedPtr other;
  auto mover = n->create_guard_condition([&] {
    e.remove_node(n);
    e.add_node(n);
    other->trigger();
    std::this_thread::sleep_for(10ms);  // gives a fault time to show; the test does not depend on
                                        // it
    over = true;
  });
  other = n->create_guard_condition([&] {
    beside += over ? 0 : 1;
    ++ran;
  });
  e.add_node(n);
  mover->trigger();
  Spinning spinning(e);
  EXPECT_TRUE(wait_until([&] { return ran > 0; }));
  EXPECT_EQ(beside, 0);
}

TEST_F(Moving, CallbackOfAReentrantGroupMayTakeItsNodeElsewhere)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  std::atomic<int> ran{0};
  GuardConditionOptions reentrant;
  reentrant.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  auto mover = n->create_guard_condition(
    [&] {
      if (++ran == 1) {
        a.remove_node(n);
        b.add_node(n);
      }
    },
    reentrant);
  a.add_node(n);
  mover->trigger();
  ASSERT_TRUE(spin_until(a, [&] { return ran == 1; }));
  mover->trigger();
  EXPECT_TRUE(spin_until(b, [&] { return ran == 2; }));
}

// Another thread has picked a trigger, and has not begun to run it. Then another run of the same
// callback removes the node, and the removal does not wait for that run. The picked trigger runs
// once: on the other thread, or in another executor.
TEST_F(Moving, WhatIsPickedWhenTheNodeLeavesFromInsideRunsOnce)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  takt_core::Scheduler & scheduler = a.core().scheduler();
  int ran = 0;
  GuardConditionOptions options;
  options.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  options.depth = 3;
  auto guard = n->create_guard_condition(
    [&] {
      if (++ran == 1) {
        takt_core::Run second;
        ASSERT_TRUE(scheduler.next(0, takt_rt::now(), second));
        a.remove_node(n);
        const bool took = second.callback->take(second);
        scheduler.taken(second);
        if (took) {
          second.callback->run(second);
        }
        scheduler.complete(second);
      }
    },
    options);
  a.add_node(n);
  for (int i = 0; i < 3; ++i) {
    guard->trigger();
  }
  a.spin_some();
  b.add_node(n);
  b.spin_all(0s);
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(guard->overwritten(), 0u);
}

// The same with random timing.
TEST_F(Moving, NothingIsLostOrDoubledWhereCallbacksMoveTheirNode)
{
  constexpr int kRounds = 200;
  auto n = node("n");
  auto a = executor(2);
  auto b = executor();
  GuardConditionOptions options;
  options.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  options.depth = 4;
  std::atomic<int> ran{0};
  std::atomic<bool> left{false};
  auto guard = n->create_guard_condition(
    [&] {
      if (ran++ == 0) {
        a.remove_node(n);
        left = true;
      }
    },
    options);
  Spinning in_a(a);
  for (int round = 0; round < kRounds; ++round) {
    ran = 0;
    left = false;
    a.add_node(n);
    guard->trigger();
    guard->trigger();
    ASSERT_TRUE(wait_until([&] { return left.load(); }));
    b.add_node(n);
    ASSERT_TRUE(spin_until(b, [&] { return ran >= 2; }));
    b.remove_node(n);
    ASSERT_EQ(ran, 2) << "round " << round;
  }
}

// Two threads move one node. Meanwhile no trigger is lost, and none runs twice.
TEST_F(Moving, NothingIsLostWhereTwoExecutorsWantANode)
{
  constexpr std::uint32_t kTriggers = 400;
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  std::atomic<std::uint32_t> ran{0};
  GuardConditionOptions deep;
  deep.depth = kTriggers;
  auto guard = n->create_guard_condition([&] { ++ran; }, deep);
  Spinning in_a(a);
  Spinning in_b(b);
  std::atomic<bool> stop{false};
  std::atomic<int> moves{0};
  std::vector<std::thread> movers;
  for (Executor * const executor : {&a, &b}) {
    movers.emplace_back([&, executor] {
      while (!stop) {
        try {
          executor->add_node(n);
          ++moves;
          executor->remove_node(n);
        } catch (const Error &) {
          std::this_thread::yield();  // the other thread has the node
        }
      }
    });
  }
  for (std::uint32_t i = 0; i < kTriggers; ++i) {
    const int before = moves;
    guard->trigger();
    ASSERT_TRUE(wait_until([&] { return moves > before; }));
  }
  stop = true;
  for (auto & mover : movers) {
    mover.join();
  }
  a.add_node(n);
  EXPECT_TRUE(wait_until([&] { return ran == kTriggers; })) << ran;
  guard->trigger();
  EXPECT_TRUE(wait_until([&] { return ran > kTriggers; }));
  a.remove_node(n);
  EXPECT_EQ(ran, kTriggers + 1);
}

// An entity outside of the moved group may end while the node goes through its entities.
TEST_F(Moving, HandlesOfOtherGroupsMayEndMeanwhile)
{
  constexpr int kMoves = 3000;
  auto n = node("n");
  auto a = executor();
  auto apart = n->create_callback_group(CallbackGroupType::MutuallyExclusive, false, "apart");
  GuardConditionOptions options;
  options.callback_group = apart;
  std::atomic<int> moves{0};
  std::thread mover([&] {
    for (; moves < kMoves; ++moves) {
      a.add_node(n);
      a.remove_node(n);
    }
  });
  int seen = 0;
  auto since = takt_rt::now();
  while (moves < kMoves) {
    n->create_guard_condition([] {}, options).reset();
    if (const int now_at = moves; now_at != seen) {
      seen = now_at;
      since = takt_rt::now();
    } else if (takt_rt::now() - since > kPatience) {
      std::fprintf(stderr, "the mover waits for itself after %d moves\n", seen);
      std::abort();  // the thread cannot be joined
    }
  }
  mover.join();
}

}  // namespace takt_rcl::test
