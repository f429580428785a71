// A thread that wakes picks a callback when it is on its core. A more urgent callback of the thread
// that is released until then goes first, so bounds with known phases must count it.
#include <gtest/gtest.h>

#include <vector>

#include "support/example.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

constexpr Ns kUs = 1'000;
constexpr Ns kPeriod = 100 * kMs;
constexpr Ns kDispatch = 11 * kUs;  // with two switches of 5 us

struct Pick : Example
{
  Pick() : Example(2) {}

  Index timer_at(Index thread, int priority, Ns offset, Ns time)
  {
    const Index task = timer(thread, priority, kPeriod, time);
    model.tasks[task].timer = true;
    model.tasks[task].release->offset = offset;
    return task;
  }

  /// The bound of `chain`, of all analyses.
  Ns bound_of(Index chain)
  {
    for (Task & task : model.tasks) {
      task.dispatch = kDispatch;
    }
    const auto found = bounds(model, {});
    EXPECT_TRUE(found.ok());
    return found && found->chains[chain] ? found->chains[chain]->bound : kUnbounded;
  }
};

// The thread wakes at 0 for the first callback; 3 us later the second one is released.
TEST(PickAfterASwitch, AMoreUrgentCallbackOfTheThreadGoesFirst)
{
  Pick example;
  const Index thread = example.thread(0, 50);
  const Index waits = example.chain({example.timer_at(thread, 4, 0, 5 * kMs)});
  example.timer_at(thread, 9, 3 * kUs, 40 * kMs);
  EXPECT_EQ(example.bound_of(waits), 45 * kMs + 2 * kDispatch);
}

// It is released when the thread must have picked the other one.
TEST(PickAfterASwitch, ALaterOneDoesNot)
{
  Pick example;
  const Index thread = example.thread(0, 50);
  const Index waits = example.chain({example.timer_at(thread, 4, 0, 5 * kMs)});
  example.timer_at(thread, 9, kDispatch + 1, 40 * kMs);
  EXPECT_EQ(example.bound_of(waits), 5 * kMs + kDispatch);
}

TEST(PickAfterASwitch, LikewiseOnAThreadOfSeveralCores)
{
  Pick example;
  const Index thread = example.thread(0, 50);
  example.model.threads[thread].cores = {0, 1};
  const Index waits = example.chain({example.timer_at(thread, 4, 0, 5 * kMs)});
  example.timer_at(thread, 9, 3 * kUs, 40 * kMs);
  EXPECT_GE(example.bound_of(waits), 45 * kMs);
}

// Another thread takes the core while the thread comes on it. A more urgent callback of the thread
// that is released until the thread comes on the core again goes first.
TEST(PickAfterASwitch, AlsoIfAnotherThreadTakesTheCoreMeanwhile)
{
  Pick example;
  const Index thread = example.thread(0, 50);
  const Index waits = example.chain({example.timer_at(thread, 4, 0, 5 * kMs)});
  example.timer_at(thread, 9, 50 * kUs, 40 * kMs);
  const Index wide = example.thread(0, 60);
  example.model.threads[wide].cores = {0, 1};
  example.timer_at(wide, 0, 3 * kUs, 100 * kUs);
  example.timer_at(example.thread(1, 70), 0, 0, 10 * kMs);  // so that core 0 is the free one
  EXPECT_GE(example.bound_of(waits), 45 * kMs);
}

// By all orders in which jobs may begin (job_courses.hpp): the chain goes to another core and back.
TEST(PickAfterASwitch, LikewiseInChainsThatGoBack)
{
  Pick example;
  const Index zero = example.thread(0, 50);
  const Index one = example.thread(1, 50);
  const Index first = example.timer_at(zero, 3, 0, 10 * kMs);
  const Index second = example.sub(one, 2, {first}, 10 * kMs);
  const Index last = example.sub(zero, 1, {second}, 10 * kMs);
  const Index chain = example.chain({first, second, last});
  example.timer_at(zero, 9, 3 * kUs, 20 * kMs);
  EXPECT_GE(example.bound_of(chain), 50 * kMs);
}

}  // namespace
}  // namespace takt_plan
