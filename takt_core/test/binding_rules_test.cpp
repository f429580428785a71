// The rules of placement, shared by the executor and the checks of a schedule.
#include "takt_core/binding_rules.hpp"

#include <gtest/gtest.h>

namespace takt_core::test
{

using takt_rt::Policy;

namespace
{

ExecutorThreadOptions fifo(int priority, bool follow = false)
{
  ExecutorThreadOptions thread;
  thread.attributes.policy = Policy::fifo;
  thread.attributes.priority = priority;
  thread.follow = follow;
  return thread;
}

TEST(Urgencies, are_those_of_the_bound_threads_each_once)
{
  const std::vector<ExecutorThreadOptions> threads{fifo(20), {}, fifo(20), fifo(90, true)};
  EXPECT_EQ(urgencies(threads, 0b0101, 7), (std::vector<int>{120}));
  EXPECT_EQ(urgencies(threads, 0b0011, 7), (std::vector<int>{20, 120}));
  EXPECT_EQ(urgencies(threads, 0b1000, 7), (std::vector<int>{107})) << "a following thread's";
  EXPECT_EQ(urgencies(threads, 0, 7), (std::vector<int>{20, 107, 120})) << "all";
}

TEST(InheritedPriority, is_that_of_the_most_important_chain)
{
  const std::vector<ChainOptions> chains{{"one", {"a", "b"}, 5}, {"two", {"b"}, 9}};
  EXPECT_EQ(inherited_priority(chains, "a"), 5);
  EXPECT_EQ(inherited_priority(chains, "b"), 9);
  EXPECT_EQ(inherited_priority(chains, "c"), 0);
  EXPECT_EQ(
    inherited_priorities(chains), (std::unordered_map<std::string, int>{{"a", 5}, {"b", 9}}));
}

TEST(Ceiling, is_there_where_a_real_time_thread_may_preempt_another_one)
{
  ExecutorThreadOptions nice;
  nice.attributes.policy = Policy::other;
  nice.attributes.nice = -5;
  const MiddlewareCeiling automatic;
  using Threads = std::vector<ExecutorThreadOptions>;
  EXPECT_EQ(ceiling_to_ask(automatic, Threads{fifo(20), fifo(60), {}}), 61);
  EXPECT_EQ(ceiling_to_ask(automatic, Threads{fifo(20), fifo(99)}), 99);
  EXPECT_EQ(ceiling_to_ask(automatic, Threads{fifo(60), fifo(60)}), 0) << "one urgency";
  EXPECT_EQ(ceiling_to_ask(automatic, Threads{fifo(60, true)}), 61) << "it takes several";
  EXPECT_EQ(ceiling_to_ask(automatic, Threads{nice, {}}), 0) << "nice levels alone";
  EXPECT_EQ(ceiling_to_ask({MiddlewareCeiling::Mode::off, 0}, Threads{fifo(20), fifo(60)}), 0);
  EXPECT_EQ(ceiling_to_ask({MiddlewareCeiling::Mode::fixed, 70}, Threads{fifo(60)}), 70);
}

TEST(FollowingThreads, take_priorities_up_to_their_own)
{
  const ThreadAttributes thread = fifo(20).attributes;
  EXPECT_FALSE(can_follow(thread, 0));
  EXPECT_TRUE(can_follow(thread, 1));
  EXPECT_TRUE(can_follow(thread, 20));
  EXPECT_FALSE(can_follow(thread, 21));
}

}  // namespace
}  // namespace takt_core::test
