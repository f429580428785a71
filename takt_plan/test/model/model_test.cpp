// Faults that make an analysis model meaningless, and the order in which tasks start each other.
#include "takt_plan/model.hpp"

#include <gtest/gtest.h>

#include "support/example.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

struct Fork : Example
{
  Fork() : Example(1)
  {
    const Index thread = this->thread(0, 50);
    // The last task is not the last in trigger order.
    sub(thread, 1, {1}, kMs);
    timer(thread, 1, 10 * kMs, kMs);
    sub(thread, 1, {0, 1}, kMs);
    chain({1, 0, 2});
  }
};

std::string only_fault(const Model & model)
{
  const auto faults = check(model).faults();
  return faults.size() == 1 ? to_string(faults.front()) : std::to_string(faults.size()) + " faults";
}

TEST(Model, TasksComeAfterThoseThatStartThem)
{
  EXPECT_TRUE(check(Fork().model).ok());
  EXPECT_EQ(in_trigger_order(Fork().model), (std::vector<Index>{1, 0, 2}));
}

TEST(Model, ACircleOfTasksIsAFault)
{
  Fork fork;
  fork.model.tasks[0].triggers.push_back({2, 0, 1});
  EXPECT_EQ(only_fault(fork.model), "some tasks start themselves");
}

TEST(Model, ATaskThatNothingStartsIsAFault)
{
  Fork fork;
  fork.model.tasks[1].release.reset();
  EXPECT_EQ(only_fault(fork.model), "task '/c1' is started by nothing");
}

TEST(Model, AFaultIsOneLineWhateverTheNames)
{
  Fork fork;
  fork.model.tasks[1].id = "/a\nb";
  fork.model.tasks[1].release.reset();
  EXPECT_EQ(only_fault(fork.model), "task '/a\\nb' is started by nothing");
}

TEST(Model, APathThatLeavesTheGraphIsAFault)
{
  Fork fork;
  fork.model.chains[0].path = {1, 2, 0};
  EXPECT_EQ(only_fault(fork.model), "chain 'chain0': '/c0' neither is started by nor reads '/c2'");
}

TEST(Model, IndicesAndTimesAreChecked)
{
  Fork fork;
  fork.model.tasks[0].threads = {7};
  fork.model.tasks[1].release->period = 0;
  fork.model.tasks[2].time = -1;
  EXPECT_EQ(check(fork.model).faults().size(), 3U);
}

TEST(Model, CoresAreNamedAsTheHostNamesThem)
{
  Fork fork;
  fork.model.cores[0].number = 3;
  EXPECT_EQ(fork.model.core_name(0), "core 3 of car");
}

}  // namespace
}  // namespace takt_plan
