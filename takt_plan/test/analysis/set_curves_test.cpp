// The number of complete nested sets of newest messages: it follows the definition, and no set is
// counted twice.
#include "analysis/set_curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analysis/priority/priority_solver.hpp"
#include "support/example.hpp"

namespace takt_plan
{
namespace
{

using detail::Flow;
using detail::SetCurves;
using detail::Stream;
using detail::StreamTimes;
using test::Example;

/// `sets` callbacks: each works on the output of the previous one and on `sensors` timers.
Example nested(int sets, int sensors, Ns period)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  Index last = example.timer(thread, 0, period, 1);
  std::vector<Index> path{last};
  for (int i = 0; i < sets; ++i) {
    const Index next = example.sub(thread, 0, {last}, 1);
    Task & task = example.model.tasks[next];
    task.newest = true;
    for (int sensor = 1; sensor <= sensors; ++sensor) {
      const Index timer = example.timer(thread, 0, period * (1 + (i + sensor) % 3), 1);
      example.model.tasks[next].triggers.push_back({timer, 0, static_cast<Index>(sensor)});
    }
    path.push_back(last = next);
  }
  example.chain(path);
  return example;
}

/// The curves of a model whose streams have these latenesses.
struct Counted
{
  explicit Counted(const Model & model)
  : flow(model),
    times(flow.streams.all().size()),
    curves(flow.streams, [this](Index id) -> const StreamTimes & { return times[id]; })
  {
  }

  /// Counts by the definition, through all earlier sets each time.
  Ns by_definition(Index id, Ns length) const
  {
    const Stream & stream = flow.streams.all()[id];
    const Ns all = arrivals(length, stream.period, times[id].released);
    if (!stream.curved) {
      return all;
    }
    Ns least = kUnbounded, most = 0;
    for (const auto & topic : flow.streams.set(flow.streams.all()[stream.set].task)->topics) {
      Ns messages = 0;
      for (const Index input : topic) {
        messages = add(messages, by_definition(input, add(length, times[id].since)));
      }
      least = std::min(least, messages);
      most = std::max(most, messages);
    }
    return std::min(all, std::min(add(least, 1), most));
  }

  Flow flow;
  std::vector<StreamTimes> times;
  SetCurves curves;
};

TEST(SetCurves, CountsAsTheDefinitionDoes)
{
  std::mt19937_64 random(1);
  const auto below = [&](Ns n) {
    return static_cast<Ns>(random() % static_cast<std::uint64_t>(n));
  };
  std::uint64_t compared = 0, below_period = 0;
  for (int system = 0; system < 200; ++system) {
    Example example =
      nested(1 + static_cast<int>(below(7)), 1 + static_cast<int>(below(2)), 20 + below(100));
    if (system % 3 == 0) {  // a topic with two sources
      Model & model = example.model;
      const Index another = example.timer(0, 0, 70, 1);
      model.tasks[1].triggers.push_back({another, 0, 0});
    }
    Counted counted(example.model);
    const Index streams = counted.times.size();
    for (int i = 0; i < 300; ++i) {
      if (i % 10 == 0) {
        const Index id = static_cast<Index>(below(static_cast<Ns>(streams)));
        counted.times[id].released = below(20) == 0 ? kUnbounded - below(3) : below(300);
        counted.times[id].since = below(20) == 0 ? kUnbounded - below(3) : below(100);
        counted.curves.moved(id, i);
      }
      const Index id = static_cast<Index>(below(static_cast<Ns>(streams)));
      const Ns length = below(20) == 0 ? kUnbounded - below(3) : below(1 + below(2000));
      const Ns expected = counted.by_definition(id, length);
      ASSERT_EQ(counted.curves.releases(id, length), expected) << system << " " << i;
      const Stream & stream = counted.flow.streams.all()[id];
      ++compared;
      below_period += expected < arrivals(length, stream.period, counted.times[id].released);
    }
  }
  EXPECT_EQ(compared, 200U * 300U);
  EXPECT_GT(below_period, 1'000U) << "or nothing is shown of the sets";
}

TEST(SetCurves, CountsEachStairOnce)
{
  const Example example = nested(30, 1, 1000);
  Counted counted(example.model);
  for (StreamTimes & times : counted.times) {
    times = {700, 700, 0, 10, 10};
  }
  const Index last = counted.flow.streams.after(example.model.tasks.size() - 2).front();
  ASSERT_TRUE(counted.flow.streams.all()[last].curved);
  for (int again = 0; again < 3; ++again) {
    for (Ns length = 1; length <= 3000; ++length) {
      counted.curves.releases(last, length);
    }
  }
  // The counts of 30 sets with two topics, and stairs of 1000 steps and more each. Without stored
  // counts it would be 9000 times 30.
  EXPECT_LT(counted.curves.counted(), 3000U);
  EXPECT_GT(counted.curves.counted(), 30U);
}

TEST(SetCurves, OnlyWhatIsLaterIsCountedAgain)
{
  const Example example = nested(3, 1, 1000);
  Counted counted(example.model);
  const auto & streams = counted.flow.streams;
  std::vector<Index> sets;
  for (const auto & set : streams.sets()) {
    sets.push_back(set.task);
  }
  ASSERT_EQ(sets.size(), 3U);
  const Index last = streams.after(sets[2]).front();
  EXPECT_EQ(counted.curves.releases(last, 500), 1);
  EXPECT_EQ(counted.curves.counted(), 3U);
  counted.times[streams.of(sets[1]).back()].released = 5;
  counted.curves.moved(streams.of(sets[1]).back(), 7);
  EXPECT_EQ(counted.curves.releases(last, 500), 1);
  EXPECT_EQ(counted.curves.counted(), 5U) << "the first set goes on as before";
  EXPECT_EQ(counted.curves.moved_round(streams.after(sets[0]).front()), 0);
  EXPECT_EQ(counted.curves.moved_round(last), 7);
}

/// An earlier form counted all earlier sets for each window, each length and each round.
TEST(SetCurves, SixtyNestedSetsAreSolvedWithFewCounts)
{
  const Example example = nested(60, 1, 100 * test::kMs);
  const detail::PrioritySolver solver(example.model, PriorityOptions{});
  for (const Index id : solver.streams().after(example.model.chains.front().path.back())) {
    EXPECT_NE(solver.part(id).bound, kUnbounded);
  }
  EXPECT_GT(solver.curves().counted(), 60U);
  EXPECT_LT(solver.curves().counted(), 1'000'000U);
}

}  // namespace
}  // namespace takt_plan
