// Waits for conditions of small models, worked out by hand.
#include "analysis/inputs/conditions.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/example.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

/// Three timers on cores of their own, each with an input of the group on a fourth one.
struct Fused : Example
{
  Fused() : Example(4)
  {
    Group group{"/g", true};
    group.condition.emplace();
    group.condition->count = 0;
    for (const Ns period : {20 * kMs, 30 * kMs, 50 * kMs}) {
      timers[count] = timer(thread(count, 50), 0, period, static_cast<Ns>(count + 1) * kMs);
      ++count;
    }
    const Index own = thread(3, 50);
    for (Index i = 0; i < count; ++i) {
      inputs[i] = sub(own, 0, {timers[i]}, kMs);
      model.tasks[inputs[i]].group = 0;
      group.inputs.push_back(inputs[i]);
      chain({timers[i], inputs[i]});
    }
    model.groups.push_back(group);
  }

  Ns wait(Index input) const
  {
    const auto found = with_conditions(model);
    EXPECT_TRUE(found.ok()) << to_string(found.faults().front());
    return found ? found->tasks[inputs[input]].condition_wait : -1;
  }

  std::string refusal() const
  {
    const auto found = with_conditions(model);
    return found ? "" : to_string(found.faults().front());
  }

  Index count = 0;
  Index timers[3]{}, inputs[3]{};
};

TEST(Conditions, AllWaitsForTheSlowestOfTheOthers)
{
  const Fused fused;
  EXPECT_EQ(fused.wait(0), (50 + 3) * kMs);
  EXPECT_EQ(fused.wait(1), (50 + 3) * kMs);
  EXPECT_EQ(fused.wait(2), (30 + 2) * kMs);
}

TEST(Conditions, ACountWaitsForTheFastestOnes)
{
  Fused fused;
  fused.model.groups[0].condition->count = 2;
  EXPECT_EQ(fused.wait(0), (30 + 2) * kMs);
  EXPECT_EQ(fused.wait(2), (20 + 1) * kMs);
  fused.model.groups[0].condition->count = 1;
  EXPECT_EQ(fused.wait(2), 0);
}

TEST(Conditions, FreshMustHoldAtAnyTime)
{
  Fused fused;
  fused.model.groups[0].condition->fresh = std::chrono::milliseconds(53);
  EXPECT_EQ(fused.wait(2), (30 + 2) * kMs);
  fused.model.groups[0].condition->fresh = std::chrono::nanoseconds(53 * kMs - 1);
  EXPECT_NE(
    fused.refusal().find("the newest one of '/c5' may be up to 53ms old"), std::string::npos)
    << fused.refusal();
}

TEST(Conditions, AnOffsetDelaysTheFirstMessage)
{
  Fused fused;
  fused.model.tasks[fused.timers[2]].release->offset = 90 * kMs;
  EXPECT_EQ(fused.wait(0), (90 + 3) * kMs);
}

TEST(Conditions, TheWaitIsPartOfTheResponse)
{
  const Fused fused;
  const auto model = with_conditions(fused.model);
  ASSERT_TRUE(model.ok());
  const auto found = end_to_end(*model);
  ASSERT_TRUE(found.ok() && found->chains[2].ok());
  // Its timer, the wait, and two runs of each other input that waited meanwhile are beside it.
  EXPECT_GE(found->chains[2]->response, (3 + 32 + 1) * kMs);
}

TEST(Conditions, RefusesWhatItDoesNotKnow)
{
  const auto refused = [](const auto & change, const std::string & words) {
    Fused fused;
    change(fused);
    EXPECT_NE(fused.refusal().find(words), std::string::npos) << fused.refusal();
  };
  refused(
    [](Fused & f) { f.model.groups[0].condition->count = 4; },
    "waits for messages of 4 subscriptions");
  refused(
    [](Fused & f) { f.model.groups[0].condition->predicate = [](auto, auto) { return true; }; },
    "is the program's own");
  refused(
    [](Fused & f) { f.model.groups[0].condition->spread = std::chrono::milliseconds(20); },
    "waits for messages whose header stamps lie close together (spread)");
  refused([](Fused & f) { f.model.tasks[f.inputs[1]].input.emplace(); }, "which does not trigger");
  refused([](Fused & f) { f.model.tasks[f.inputs[1]].threads = {0}; }, "on one thread");
  refused(
    [](Fused & f) {
      f.model.tasks[f.timers[1]].timer = false;  // messages from outside
    },
    "may wait for messages of '/c4' for any time");
}

TEST(Conditions, AnalysesRefuseAModelWithConditions)
{
  EXPECT_FALSE(end_to_end(Fused().model).ok());
}

}  // namespace
}  // namespace takt_plan
