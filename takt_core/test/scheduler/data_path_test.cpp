// Random graphs with triggers, inputs, conditions and sequences under a virtual clock: the
// scheduler starts what the oracle starts, and the oracle without one of its rules is refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/by_hand.hpp"
#include "support/data_path_oracle.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

constexpr long kHorizon = 400;

class Maker
{
public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  // Messages from outside come at odd times and all other events happen at even times, so that the
  // order is always determined.
  DataPath make()
  {
    DataPath path;
    path.fifo = pick(4) == 0;
    const std::size_t count = 3 + pick(7);
    const std::size_t groups = 1 + pick(count);
    for (std::size_t i = 0; i < count; ++i) {
      DataPath::Callback one;
      one.group = pick(groups);
      one.priority = static_cast<int>(pick(3));
      one.cost = 2 * static_cast<long>(1 + pick(4));
      one.depth = 1 + pick(3);
      one.lag = static_cast<long>(pick(12));
      if (i == 0 || pick(4) == 0) {
        one.period = 2 * static_cast<long>(5 + pick(30));
        one.offset = 2 * static_cast<long>(pick(10));
      }
      path.callbacks.push_back(one);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t to = i + 1; to < count; ++to) {  // no cycles
        if (path.callbacks[to].period == 0 && pick(3) == 0) {
          path.callbacks[i].readers.push_back(to);
        }
      }
    }
    make_inputs(path);
    make_conditions(path, groups);
    make_sequences(path);
    make_messages(path);
    return path;
  }

private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

  void make_inputs(DataPath & path)
  {
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      DataPath::Callback & one = path.callbacks[i];
      if (one.period > 0 || pick(4) != 0) {
        continue;
      }
      one.triggers = false;
      one.keep = pick(3) == 0 ? 1 + pick(2) : 0;
      if (pick(3) == 0) {
        one.max_age = static_cast<long>(1 + pick(40));
      }
      one.by_release = pick(3) == 0;
    }
    for (DataPath::Callback & one : path.callbacks) {
      for (std::size_t i = 0; !one.triggers && i < path.callbacks.size(); ++i) {
        const DataPath::Callback & taker = path.callbacks[i];
        if (taker.triggers && (taker.group == one.group || pick(3) == 0)) {
          one.takers.push_back(i);
        }
      }
    }
  }

  void make_conditions(DataPath & path, std::size_t groups)
  {
    for (std::size_t group = 0; group < groups; ++group) {
      if (pick(3) == 0) {
        DataPath::Condition condition;
        condition.count = pick(3);
        if (pick(2) == 0) {
          condition.fresh = static_cast<long>(5 + pick(60));
        }
        const bool all_trigger = std::all_of(
          path.callbacks.begin(), path.callbacks.end(),
          [&](const auto & one) { return one.group != group || one.triggers; });
        if (all_trigger && pick(2) == 0) {
          condition = {0, std::nullopt, static_cast<long>(pick(30))};
        }
        path.conditions[group] = condition;
      }
    }
  }

  void make_sequences(DataPath & path)
  {
    for (std::size_t sequence = 0; sequence < 2; ++sequence) {
      std::size_t position = 0;
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
        const DataPath::Callback & one = path.callbacks[i];
        if (one.triggers && !one.place && pick(3) != 0) {
          const bool first = one.period > 0;
          if (!first || order.empty()) {
            order.insert(
              first || order.empty() ? order.begin() : order.begin() + 1 + pick(order.size()), i);
          }
        }
      }
      for (const std::size_t i : order) {
        path.callbacks[i].place = {sequence, position++};
      }
    }
  }

  void make_messages(DataPath & path)
  {
    std::vector<std::size_t> subscriptions;
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      if (path.callbacks[i].period == 0) {
        subscriptions.push_back(i);
      }
    }
    const long anew = pick(3) == 0 ? static_cast<long>(pick(kHorizon)) : kHorizon;
    for (long at = 1; !subscriptions.empty() && at < kHorizon; at += 2) {
      if (pick(8) == 0) {
        const long back = pick(20) != 0 ? 0 : pick(2) == 0 ? 100 : 1100;
        const long stamp = at - static_cast<long>(pick(20)) - back - (at < anew ? 0 : 1100);
        path.messages.push_back({at, subscriptions[pick(subscriptions.size())], stamp});
      }
    }
  }

  std::mt19937_64 random_;
};

// A data path on a scheduler with one thread.
class Scheduled
{
public:
  explicit Scheduled(const DataPath & path)
  : path_(path),
    hand_(1, path.fifo ? Order::fifo : Order::priority)
  {
    std::map<std::size_t, std::shared_ptr<Group>> groups;
    for (const DataPath::Callback & one : path.callbacks) {
      if (groups[one.group] == nullptr) {
        groups[one.group] = ByHand::exclusive();
        if (const auto rule = path.conditions.find(one.group); rule != path.conditions.end()) {
          Condition condition;
          condition.count = static_cast<std::uint32_t>(rule->second.count);
          if (rule->second.fresh) {
            condition.fresh = millis(*rule->second.fresh);
          }
          if (rule->second.spread) {
            condition.spread = millis(*rule->second.spread);
          }
          EXPECT_TRUE(groups[one.group]->set_condition(condition));
        }
      }
    }
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      add(i, groups[path.callbacks[i].group]);
    }
    hand_.scheduler.open(ms(0));
  }

  std::vector<DataPathStart> run()
  {
    Scheduler & scheduler = hand_.scheduler;
    while (now_ < kHorizon) {
      arrive();
      Run run;
      if (scheduler.next(0, ms(now_), run)) {
        start(run);
        continue;
      }
      scheduler.leave(0);
      const Time timer = scheduler.next_timer(0);
      long next = timer == kNever ? kHorizon : takt_rt::to_ns(timer) / 1'000'000;
      if (next_message_ < path_.messages.size()) {
        next = std::min(next, path_.messages[next_message_].at);
      }
      now_ = std::max(now_, next);
    }
    return starts_;
  }

private:
  void add(std::size_t i, const std::shared_ptr<Group> & group)
  {
    const DataPath::Callback & one = path_.callbacks[i];
    CallbackOptions options;
    options.id = std::to_string(i);
    options.kind = one.period > 0 ? Kind::timer : Kind::subscription;
    options.group = group;
    options.depth = static_cast<std::uint32_t>(one.depth);
    options.stamped = true;
    if (one.period > 0) {
      options.timer.emplace();
      options.timer->period = millis(one.period);
      options.timer->offset = millis(one.offset);
    }
    Binding binding;
    binding.priority = one.priority;
    if (one.place) {
      binding.sequence = SequencePlace{
        static_cast<std::uint32_t>(one.place->first),
        static_cast<std::uint32_t>(one.place->second)};
    }
    if (!one.triggers) {
      NonTriggering & rule = binding.non_triggering.emplace();
      rule.taken_by = [takers = one.takers](std::string_view id) {
        return std::find(takers.begin(), takers.end(), std::stoul(std::string(id))) != takers.end();
      };
      rule.keep = static_cast<std::uint32_t>(one.keep);
      rule.by_release = one.by_release;
      if (one.max_age) {
        rule.max_age = millis(*one.max_age);
      }
    }
    callbacks_.push_back(std::make_shared<SilentCallback>(options));
    const Status added = hand_.scheduler.add(callbacks_.back(), binding);
    EXPECT_TRUE(added.ok()) << to_string(added.faults().front());
  }

  void arrive()
  {
    while (next_message_ < path_.messages.size() && path_.messages[next_message_].at <= now_) {
      const DataPath::Message & message = path_.messages[next_message_++];
      announce(message.to, message.at, message.stamp);
    }
  }

  // The middleware's history keeps the stamp of each message.
  void announce(std::size_t to, long at, long stamp)
  {
    std::deque<long> & history = stamps_[to];
    history.push_back(stamp);
    if (history.size() > path_.callbacks[to].depth) {
      history.pop_front();
    }
    hand_.scheduler.ready(*callbacks_[to], 1, ms(at));
  }
  long take(std::size_t from)
  {
    const long stamp = stamps_[from].front();
    stamps_[from].pop_front();
    return stamp;
  }

  void start(Run & run)
  {
    Scheduler & scheduler = hand_.scheduler;
    const std::size_t i = std::stoul(run.callback->id());
    if (path_.callbacks[i].period == 0) {
      run.stamp = ms(take(i));
    }
    scheduler.taken(run);
    if (!run.callback->keeps_for_set()) {
      perform(run);
    } else {
      EXPECT_TRUE(scheduler.keep_for_set(run));
      Run kept;
      while (scheduler.next_of_set(run, ms(now_), kept)) {
        if (!kept.leaves_out) {
          perform(kept);
        }
        scheduler.complete_of_set(run, kept);
      }
    }
    scheduler.complete(run);
  }

  void perform(const Run & run)
  {
    Scheduler & scheduler = hand_.scheduler;
    const std::size_t i = std::stoul(run.callback->id());
    const DataPathStart own{i, now_, takt_rt::to_ns(run.release) / 1'000'000};
    if (run.callback->takes_inputs()) {
      scheduler.begin_inputs(run);
      Run input;
      while (scheduler.next_input(run, ms(now_), input)) {
        scheduler.taken(input);
        const std::size_t k = std::stoul(input.callback->id());
        take(k);
        if (!input.leaves_out) {
          starts_.push_back({k, now_, takt_rt::to_ns(input.release) / 1'000'000});
          work(k, input);
        }
        scheduler.complete_input(run, input);
      }
    }
    starts_.push_back(own);
    work(i, run);
  }

  void work(std::size_t i, const Run & run)
  {
    now_ += path_.callbacks[i].cost;
    arrive();
    const SequenceScope scope(hand_.scheduler, run);
    for (const std::size_t to : path_.callbacks[i].readers) {
      announce(to, now_, now_ - path_.callbacks[i].lag);
    }
  }

  const DataPath & path_;
  ByHand hand_;
  std::vector<std::shared_ptr<SilentCallback>> callbacks_;
  std::map<std::size_t, std::deque<long>> stamps_;
  std::vector<DataPathStart> starts_;
  std::size_t next_message_ = 0;
  long now_ = 0;
};

// The first difference between scheduler and oracle; empty: both started the same callbacks.
std::string difference(const DataPath & path, LeftOut left_out)
{
  const std::vector<DataPathStart> has = Scheduled(path).run();
  const std::vector<DataPathStart> wanted = DataPathOracle(path, left_out).run(kHorizon);
  const std::size_t both = std::min(has.size(), wanted.size());
  for (std::size_t i = 0; i <= both; ++i) {
    const auto words = [i](const std::vector<DataPathStart> & all) {
      return i >= all.size()
               ? std::string("nothing")
               : std::to_string(all[i].callback) + " (released at " +
                   std::to_string(all[i].release) + ") at " + std::to_string(all[i].at);
    };
    if ((i < both && has[i] != wanted[i]) || (i == both && has.size() != wanted.size())) {
      return "start " + std::to_string(i) + ": " + words(has) + ", the oracle: " + words(wanted);
    }
  }
  return {};
}

std::string words(const DataPath & path)
{
  std::string all = path.fifo ? "fifo\n" : "priority\n";
  for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
    const DataPath::Callback & one = path.callbacks[i];
    all += std::to_string(i) + ": group " + std::to_string(one.group) + " priority " +
           std::to_string(one.priority) + " cost " + std::to_string(one.cost) + " depth " +
           std::to_string(one.depth) + " lag " + std::to_string(one.lag);
    all += one.period > 0
             ? " period " + std::to_string(one.period) + " offset " + std::to_string(one.offset)
             : "";
    for (const std::size_t to : one.readers) {
      all += " -> " + std::to_string(to);
    }
    for (const std::size_t taker : one.takers) {
      all += " taken by " + std::to_string(taker);
    }
    all += one.keep > 0 ? " keep " + std::to_string(one.keep) : "";
    all += one.max_age ? " max_age " + std::to_string(*one.max_age) : "";
    all += one.by_release ? " by_release" : "";
    all += one.place ? " sequence " + std::to_string(one.place->first) + "." +
                         std::to_string(one.place->second)
                     : "";
    all += "\n";
  }
  for (const auto & [group, condition] : path.conditions) {
    all += "group " + std::to_string(group) + ": count " + std::to_string(condition.count) +
           (condition.fresh ? " fresh " + std::to_string(*condition.fresh) : "") +
           (condition.spread ? " spread " + std::to_string(*condition.spread) : "") + "\n";
  }
  return all;
}

TEST(DataPathOracle, AgreesWithTheScheduler)
{
  for (std::uint64_t round = 0; round < rounds(5000); ++round) {
    const DataPath path = Maker(seed() * 1'000'000'007ULL + round).make();
    const std::string found = difference(path, LeftOut::nothing);
    ASSERT_EQ(found, "") << "round " << round << "\n" << words(path);
  }
}

class DataPathTwin : public testing::TestWithParam<LeftOut>
{
};

TEST_P(DataPathTwin, IsRefuted)
{
  bool refuted = false;
  for (std::uint64_t round = 0; round < 5000 && !refuted; ++round) {
    const DataPath path = Maker(seed() * 1'000'000'007ULL + round).make();
    refuted = !difference(path, GetParam()).empty();
  }
  EXPECT_TRUE(refuted);
}

INSTANTIATE_TEST_SUITE_P(
  Rules, DataPathTwin,
  testing::Values(
    LeftOut::condition, LeftOut::fresh, LeftOut::spread, LeftOut::stale, LeftOut::anew,
    LeftOut::far_back, LeftOut::before_anew, LeftOut::order_of_set, LeftOut::max_age, LeftOut::keep,
    LeftOut::input_order, LeftOut::by_release, LeftOut::sequence, LeftOut::more_urgent,
    LeftOut::sequence_order, LeftOut::place_of_lost));

}  // namespace
}  // namespace takt_core::test
