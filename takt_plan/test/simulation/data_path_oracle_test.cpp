// Random systems of one thread with non-triggering callbacks, conditions, sequences and logical
// execution time: the simulator starts what the independent oracle starts, and the oracle without
// one of its rules is refuted.
#include "takt_core/test/support/data_path_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/example.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

using takt_core::test::DataPath;
using takt_core::test::DataPathOracle;
using takt_core::test::DataPathStart;
using takt_core::test::LeftOut;
using test::kMs;

constexpr long kHorizon = 400;

class Maker
{
public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  DataPath make()
  {
    DataPath path;
    path.stamps_of_sources = true;
    const std::size_t count = 4 + pick(6);
    for (std::size_t i = 0; i < count; ++i) {
      DataPath::Callback one;
      one.group = i;
      one.priority = static_cast<int>(pick(3));
      one.cost = 2 * static_cast<long>(1 + pick(4));
      one.depth = 1 + pick(3);
      if (i < 2 || pick(4) == 0) {
        one.period = 2 * static_cast<long>(8 + pick(25));
        one.offset = 2 * static_cast<long>(pick(10));
      }
      path.callbacks.push_back(one);
    }
    make_readers(path);
    make_logical(path);
    make_inputs(path);
    make_conditions(path);
    make_sequence(path);
    return path;
  }

private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

  /// Each subscription has a publisher before it.
  void make_readers(DataPath & path)
  {
    for (std::size_t to = 1; to < path.callbacks.size(); ++to) {
      if (path.callbacks[to].period > 0) {
        continue;
      }
      path.callbacks[pick(to)].readers.push_back(to);
      for (std::size_t from = 0; from < to; ++from) {
        std::vector<std::size_t> & readers = path.callbacks[from].readers;
        if (pick(5) == 0 && std::count(readers.begin(), readers.end(), to) == 0) {
          readers.push_back(to);
        }
      }
    }
  }

  /// Some timers have logical execution time, with inputs of their own.
  void make_logical(DataPath & path)
  {
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      if (path.callbacks[i].period == 0 || pick(2) == 0) {
        continue;
      }
      path.logical[i] = pick(2) == 0;
      for (std::size_t input = 0; input < path.callbacks.size(); ++input) {
        DataPath::Callback & one = path.callbacks[input];
        if (one.period == 0 && one.triggers && pick(4) == 0) {
          one.group = i;
          one.triggers = false;
          one.by_release = true;
          one.takers = {i};
          one.keep = pick(3) == 0 ? 1 + pick(2) : 0;
        }
      }
    }
  }

  void make_inputs(DataPath & path)
  {
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      DataPath::Callback & one = path.callbacks[i];
      if (one.period > 0 || !one.triggers || pick(4) != 0) {
        continue;
      }
      for (std::size_t taker = 0; taker < path.callbacks.size(); ++taker) {
        const bool other = taker != i && path.callbacks[taker].triggers &&
                           path.logical.count(path.callbacks[taker].group) == 0;
        if (other && pick(2) == 0) {
          one.takers.push_back(taker);
        }
      }
      if (!one.takers.empty()) {
        one.triggers = false;
        one.keep = pick(3) == 0 ? 1 + pick(2) : 0;
        if (pick(3) == 0) {
          one.max_age = static_cast<long>(1 + 2 * pick(20));
        }
      }
    }
    for (DataPath::Callback & one : path.callbacks) {  // no taker is an input itself
      std::erase_if(one.takers, [&](std::size_t taker) { return !path.callbacks[taker].triggers; });
    }
  }

  void make_conditions(DataPath & path)
  {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      if (path.callbacks[i].period == 0 && path.callbacks[i].triggers && pick(2) == 0) {
        members.push_back(i);
      }
    }
    if (members.size() < 2 || pick(2) == 0) {
      return;
    }
    DataPath::Condition condition;
    condition.count = pick(members.size() + 1);
    if (pick(2) == 0) {
      condition.fresh = static_cast<long>(5 + 2 * pick(30));
    }
    if (pick(2) == 0) {
      condition = {0, std::nullopt, static_cast<long>(2 * pick(20))};
    }
    for (const std::size_t member : members) {
      path.callbacks[member].group = members.front();
    }
    path.conditions[members.front()] = condition;
  }

  void make_sequence(DataPath & path)
  {
    std::size_t position = 0;
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      DataPath::Callback & one = path.callbacks[i];
      const bool logical = path.logical.count(one.group) != 0;
      if (one.triggers && !logical && (one.period == 0 || position == 0) && pick(3) != 0) {
        one.place = {0, position++};
      }
    }
  }

  std::mt19937_64 random_;
};

SimulationModel simulation_of(const DataPath & path)
{
  test::Example example(1);
  const Index thread = example.thread(0, 50);
  Model & model = example.model;
  for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
    model.groups.push_back({"g" + std::to_string(i), true});
    if (const auto rule = path.conditions.find(i); rule != path.conditions.end()) {
      model.groups.back().condition.emplace();
      model.groups.back().condition->count = static_cast<std::uint32_t>(rule->second.count);
      if (rule->second.fresh) {
        model.groups.back().condition->fresh = std::chrono::milliseconds(*rule->second.fresh);
      }
      if (rule->second.spread) {
        model.groups.back().condition->spread = std::chrono::milliseconds(*rule->second.spread);
      }
    }
    if (const auto rule = path.logical.find(i); rule != path.logical.end()) {
      model.groups.back().logical_time =
        rule->second ? takt_core::LateOutputs::drop : takt_core::LateOutputs::publish;
    }
  }
  for (const DataPath::Callback & one : path.callbacks) {
    const Index index = example.sub(thread, one.priority, {}, one.cost * kMs);
    Task & task = model.tasks[index];
    task.group = one.group;
    if (one.period > 0) {
      task.timer = true;
      task.release = Release{one.period * kMs, 0, one.offset * kMs};
    }
    if (!one.triggers) {
      task.input.emplace();
      task.input->takers.assign(one.takers.begin(), one.takers.end());
      task.input->keep = static_cast<std::uint32_t>(one.keep);
      task.input->by_release = one.by_release;
      task.input->max_age = one.max_age ? *one.max_age * kMs : kUnbounded;
    }
    if (one.place) {
      task.sequence = one.place->first;
      task.position = static_cast<std::uint32_t>(one.place->second);
    }
  }
  for (Index from = 0; from < path.callbacks.size(); ++from) {
    for (const std::size_t to : path.callbacks[from].readers) {
      model.tasks[to].triggers.push_back({from, 0, 0});  // of one topic
    }
  }
  auto result = simulation_model(model);
  EXPECT_TRUE(result.ok()) << to_string(result.faults().front());
  for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
    result->tasks[i].depth = static_cast<std::uint32_t>(path.callbacks[i].depth);
  }
  return *result;
}

struct Ends final : SimulationObserver
{
  void on_end(Index, Index task, Ns release, Ns start, Ns) override
  {
    starts.push_back({task, static_cast<long>(start / kMs), static_cast<long>(release / kMs)});
  }
  std::vector<DataPathStart> starts;
};

/// Empty: both started the same callbacks for the same releases in the same order.
std::string difference(const DataPath & path, LeftOut left_out)
{
  Ends ends;
  SimulationOptions options;
  options.duration = kHorizon * kMs;
  const auto status = watch(simulation_of(path), options, 0, ends);
  EXPECT_TRUE(status.ok());
  const std::vector<DataPathStart> wanted = DataPathOracle(path, left_out).run(kHorizon);
  // Runs that begin at the end of the time may differ: the simulation goes on.
  for (std::size_t i = 0; i < wanted.size() && wanted[i].at < kHorizon - 100; ++i) {
    const bool same = i < ends.starts.size() && ends.starts[i].callback == wanted[i].callback &&
                      ends.starts[i].release == wanted[i].release;
    if (!same) {
      const auto words = [](const DataPathStart & one) {
        return std::to_string(one.callback) + " (released at " + std::to_string(one.release) +
               ") at " + std::to_string(one.at);
      };
      return "start " + std::to_string(i) + ": " +
             (i < ends.starts.size() ? words(ends.starts[i]) : "nothing") +
             ", the oracle: " + words(wanted[i]);
    }
  }
  return {};
}

TEST(DataPathOracle, AgreesWithTheSimulator)
{
  for (std::uint64_t round = 0; round < test::rounds(3000); ++round) {
    const DataPath path = Maker(test::seed() * 1'000'000'007ULL + round).make();
    ASSERT_EQ(difference(path, LeftOut::nothing), "") << "round " << round;
  }
}

// The message of a border at 20 comes behind one that arrived at 22, because a run ended then. So
// the newest message of its reader is 10 ms old at 32.
TEST(DataPathOracle, ABorderMakesNoInputOlder)
{
  DataPath path;
  path.stamps_of_sources = true;
  path.callbacks.resize(5);
  const auto timer = [&](std::size_t i, long offset, long cost, std::size_t reader) {
    DataPath::Callback & one = path.callbacks[i];
    one.period = i == 0 ? 20 : 500;
    one.offset = offset;
    one.cost = cost;
    one.readers = {reader};
  };
  timer(0, 0, 2, 3);
  path.logical[0] = false;
  timer(1, 18, 4, 3);
  timer(2, 28, 4, 4);
  path.callbacks[3].cost = path.callbacks[4].cost = 2;
  path.conditions[3] = {0, 11, std::nullopt};
  for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
    path.callbacks[i].group = std::min<std::size_t>(i, 3);
  }
  ASSERT_EQ(difference(path, LeftOut::nothing), "");
  const std::vector<DataPathStart> starts = DataPathOracle(path, LeftOut::nothing).run(40);
  EXPECT_EQ(std::count(starts.begin(), starts.end(), DataPathStart{3, 32, 20}), 1);
  EXPECT_EQ(std::count(starts.begin(), starts.end(), DataPathStart{4, 34, 32}), 1);
}

class DataPathTwin : public testing::TestWithParam<LeftOut>
{
};

TEST_P(DataPathTwin, IsRefuted)
{
  bool refuted = false;
  for (std::uint64_t round = 0; round < 1000 && !refuted; ++round) {
    const DataPath path = Maker(test::seed() * 1'000'000'007ULL + round).make();
    refuted = !difference(path, GetParam()).empty();
  }
  EXPECT_TRUE(refuted);
}

INSTANTIATE_TEST_SUITE_P(
  Rules, DataPathTwin,
  testing::Values(
    LeftOut::condition, LeftOut::fresh, LeftOut::spread, LeftOut::stale, LeftOut::max_age,
    LeftOut::keep, LeftOut::by_release, LeftOut::sequence, LeftOut::more_urgent, LeftOut::border,
    LeftOut::late));

}  // namespace
}  // namespace takt_plan
