// Graphs on several threads: which callback starts where and when, in single steps and beside the
// oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/by_hand.hpp"
#include "support/graph_oracle.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

using Threads = std::vector<std::uint32_t>;

Binding at(std::uint32_t position, int priority = 0)
{
  Binding binding;
  binding.sequence = SequencePlace{0, position, true};
  binding.priority = priority;
  return binding;
}

class GraphTest : public ::testing::Test
{
protected:
  using Made = std::shared_ptr<SilentCallback>;

  void announce(const Made & callback) { hand.scheduler.ready(*callback, 1, ms(now)); }

  // Begins the next run on the thread, and leaves it open. Returns its callback.
  std::string begin(std::uint32_t thread)
  {
    takt_core::Run run;
    if (!hand.scheduler.next(thread, ms(now), run)) {
      return "-";
    }
    hand.scheduler.taken(run);
    runs[thread] = run;
    return run.callback->id();
  }
  void publish(std::uint32_t thread, const std::vector<Made> & to)
  {
    const SequenceScope scope(hand.scheduler, runs[thread]);
    for (const Made & callback : to) {
      announce(callback);
    }
  }
  void end(std::uint32_t thread) { hand.scheduler.complete(runs[thread]); }
  // Lets the thread go to sleep if it may. True: the thread sleeps.
  bool sleeps(std::uint32_t thread)
  {
    Time wake_at{};
    return begin(thread) == "-" && hand.scheduler.begin_idle(thread, ms(now), wake_at);
  }
  Threads woken()
  {
    Threads all;
    all.swap(hand.woken);
    return all;
  }
  std::string wake(std::uint32_t thread)
  {
    hand.scheduler.end_idle(thread);
    return begin(thread);
  }

  ByHand hand{3, Order::priority};
  takt_core::Run runs[3];
  std::int64_t now = 1;
};

TEST_F(GraphTest, BranchesRunSideBySideOnceTheirPublisherHasReturned)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  const Made c = hand.add("c", nullptr, at(2));
  announce(a);
  EXPECT_EQ(begin(0), "a");
  EXPECT_TRUE(sleeps(1));
  EXPECT_TRUE(sleeps(2));
  woken();
  publish(0, {c, b});
  EXPECT_EQ(woken(), Threads{});  // a still runs
  EXPECT_FALSE(hand.scheduler.next(1, ms(now), runs[1]));
  end(0);
  EXPECT_EQ(begin(0), "b");
  ASSERT_EQ(woken(), Threads{1});
  EXPECT_EQ(wake(1), "c");
  EXPECT_EQ(woken(), Threads{});  // nothing is left for the third one
}

TEST_F(GraphTest, CallbacksOfOneIterationGoInTheOrderOfTheList)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  const Made c = hand.add("c", nullptr, at(2));
  const Made d = hand.add("d", nullptr, at(3));
  const Made e = hand.add("e", nullptr, at(4));
  announce(a);
  EXPECT_EQ(begin(0), "a");
  publish(0, {e, c, b});
  end(0);
  EXPECT_EQ(begin(0), "b");
  EXPECT_EQ(begin(1), "c");
  ++now;
  publish(0, {d});
  end(0);
  EXPECT_EQ(begin(0), "d");  // although e was ready earlier
  EXPECT_EQ(begin(2), "e");
}

TEST_F(GraphTest, AnOlderIterationGoesFirst)
{
  const Made a = hand.add("a", ByHand::reentrant(), at(0));
  const Made b = hand.add("b", nullptr, at(1));
  const Made c = hand.add("c", nullptr, at(2));
  announce(a);
  EXPECT_EQ(begin(0), "a");
  ++now;
  announce(a);
  EXPECT_EQ(begin(1), "a");
  ++now;
  publish(1, {b});  // the second iteration is the first to publish
  ++now;
  publish(0, {c});
  end(1);
  const Made outside = hand.add("outside");
  announce(outside);
  EXPECT_EQ(begin(1), "b");
  end(0);
  EXPECT_EQ(begin(0), "c");
  end(1);
  EXPECT_EQ(begin(1), "outside");
}

TEST_F(GraphTest, ACallbackOfTheSamePriorityThatCameAfterTheIterationBeganWaits)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  const Made c = hand.add("c", nullptr, at(2));
  const Made outside = hand.add("outside");
  announce(a);
  EXPECT_EQ(begin(0), "a");
  ++now;
  announce(outside);
  ++now;
  publish(0, {b, c});
  end(0);
  EXPECT_EQ(begin(0), "b");
  EXPECT_EQ(begin(1), "c");
  EXPECT_EQ(begin(2), "outside");
}

TEST_F(GraphTest, AStrictlyMoreUrgentCallbackGoesFirst)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  Binding urgent;
  urgent.priority = 5;
  const Made more = hand.add("more", nullptr, urgent);
  announce(a);
  EXPECT_EQ(begin(0), "a");
  publish(0, {b, more});
  end(0);
  EXPECT_EQ(begin(0), "more");
  EXPECT_EQ(begin(1), "b");
}

TEST_F(GraphTest, TheReleaseIsThatOfTheMessage)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  announce(a);
  EXPECT_EQ(begin(0), "a");
  now = 7;
  publish(0, {b});
  end(0);
  now = 9;
  EXPECT_EQ(begin(0), "b");
  EXPECT_EQ(runs[0].release, ms(7));
  EXPECT_EQ(runs[0].start, ms(9));
}

TEST_F(GraphTest, ADirectCallWithoutALookAtTheClockStartsWhenItsMessageCame)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  announce(a);
  now = 3;
  EXPECT_EQ(begin(0), "a");
  now = 7;
  publish(0, {b});
  end(0);
  const auto never = []() noexcept { return ms(1000); };
  ASSERT_TRUE(hand.scheduler.next_follower(0, takt_rt::kNever, never, runs[0]));
  EXPECT_EQ(runs[0].callback->id(), "b");
  EXPECT_EQ(runs[0].release, ms(7));
  EXPECT_EQ(runs[0].start, ms(7));  // not the release of its iteration
}

TEST_F(GraphTest, AThreadThatReadTheClockEarlierDoesNotTurnTheSetsTimeBack)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  announce(a);
  announce(b);
  now = 9;
  EXPECT_EQ(begin(0), "a");
  EXPECT_EQ(runs[0].set->looked_at.load(), takt_rt::to_ns(ms(9)));
  now = 8;  // this thread waited for the set's mutex
  EXPECT_EQ(begin(1), "b");
  EXPECT_EQ(runs[0].set->looked_at.load(), takt_rt::to_ns(ms(9)));
}

TEST_F(GraphTest, ACallbackInABusyGroupKeepsThePlaceOfItsIteration)
{
  const auto group = ByHand::exclusive();
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", group, at(1));
  const Made c = hand.add("c", group, at(2));
  const Made outside = hand.add("outside");
  announce(a);
  EXPECT_EQ(begin(0), "a");
  ++now;
  announce(outside);
  publish(0, {b, c});
  end(0);
  EXPECT_EQ(begin(0), "b");
  EXPECT_EQ(begin(1), "outside");  // c waits for its group
  end(1);
  announce(outside);
  ++now;
  end(0);
  EXPECT_EQ(begin(0), "c");
  EXPECT_EQ(begin(1), "outside");
}

TEST_F(GraphTest, UnderAConditionTheIterationOfTheLastMessageCounts)
{
  const auto group = ByHand::exclusive();
  Condition all;
  all.count = 0;
  ASSERT_TRUE(group->set_condition(all));
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  const Made left = hand.add("left", group, at(2));
  const Made right = hand.add("right", group, at(3));
  hand.scheduler.open(ms(0));
  announce(a);
  EXPECT_EQ(begin(0), "a");
  publish(0, {right, b});
  end(0);
  EXPECT_EQ(begin(0), "b");
  EXPECT_EQ(begin(1), "-");  // right has its message, left has none
  publish(0, {left});
  EXPECT_EQ(begin(1), "-");  // b still runs
  end(0);
  EXPECT_EQ(begin(0), "left");
  end(0);
  EXPECT_EQ(begin(0), "right");
}

TEST_F(GraphTest, SeveralTimersBeginIterations)
{
  TimerOptions timer;
  timer.period = millis(10);
  timer.offset = millis(2);
  const Made one = hand.add_timer("one", timer, nullptr, at(0));
  ASSERT_TRUE(hand.faults.empty());
  const Made two = hand.add_timer("two", timer, nullptr, at(1));
  ASSERT_TRUE(hand.faults.empty());
  const Made b = hand.add("b", nullptr, at(2));
  const Made c = hand.add("c", nullptr, at(3));
  hand.scheduler.open(ms(0));
  now = 2;
  EXPECT_EQ(begin(0), "one");
  EXPECT_EQ(begin(1), "two");
  publish(1, {b});
  publish(0, {c});
  end(0);
  end(1);
  EXPECT_EQ(begin(1), "b");
  EXPECT_EQ(begin(0), "c");
}

TEST_F(GraphTest, ACallbackThatWaitsForItsTurnCanBeRemoved)
{
  const Made a = hand.add("a", nullptr, at(0));
  const Made b = hand.add("b", nullptr, at(1));
  const Made c = hand.add("c", nullptr, at(2));
  announce(a);
  EXPECT_EQ(begin(0), "a");
  publish(0, {b, c});
  EXPECT_NE(hand.scheduler.remove(*b), nullptr);
  end(0);
  EXPECT_EQ(begin(0), "c");
  ASSERT_TRUE(hand.scheduler.add(b, at(1), ms(now)).ok());
  EXPECT_EQ(begin(1), "b");  // its message waited in the history
}

TEST_F(GraphTest, UnderEdfTheEarliestDeadlineGoesFirst)
{
  ByHand edf{2, Order::edf};
  const auto with = [](std::uint32_t position, int deadline) {
    Binding binding = at(position);
    binding.deadline = millis(deadline);
    return binding;
  };
  const Made a = edf.add("a", nullptr, with(0, 90));
  const Made b = edf.add("b", nullptr, with(1, 90));
  const Made c = edf.add("c", nullptr, with(2, 50));
  edf.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(edf.pick(0, ms(1)), "a");
  {
    const SequenceScope scope(edf.scheduler, edf.runs.back());
    edf.scheduler.ready(*b, 1, ms(2));
    edf.scheduler.ready(*c, 1, ms(2));
  }
  edf.complete();
  EXPECT_EQ(edf.run_one(0, ms(3)), "c");
  EXPECT_EQ(edf.run_one(0, ms(3)), "b");
}

// ---- beside the oracle ----

constexpr long kHorizon = 300;

class Maker
{
public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  GraphPath make()
  {
    GraphPath path;
    path.threads = 1 + pick(3);
    const std::size_t count = 4 + pick(8);
    const std::size_t groups = 1 + pick(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      GraphPath::Callback one;
      one.group = pick(groups);
      one.priority = pick(4) == 0 ? static_cast<int>(pick(3)) : 0;
      one.cost = 2 * static_cast<long>(1 + pick(4));
      one.early = pick(3) == 0 ? std::min(one.cost - 2, 2 * static_cast<long>(pick(4))) : 0;
      if (i == 0 || pick(5) == 0) {
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
    make_graphs(path);
    for (long at = 1; at < kHorizon; at += 2) {
      const std::size_t to = pick(count);
      if (pick(12) == 0 && path.callbacks[to].period == 0) {
        path.messages.push_back({at, to});
      }
    }
    return path;
  }

private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

  // The list's order is mostly topological, which no rule requires.
  void make_graphs(GraphPath & path)
  {
    for (std::size_t graph = 0; graph < 2; ++graph) {
      std::vector<std::size_t> list;
      for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
        if (!path.callbacks[i].place && pick(3) != 0) {
          list.insert(pick(4) == 0 ? list.begin() + pick(list.size() + 1) : list.end(), i);
          path.callbacks[i].place.emplace();
        }
      }
      for (std::size_t position = 0; position < list.size(); ++position) {
        path.callbacks[list[position]].place = {graph, position};
      }
    }
  }

  std::mt19937_64 random_;
};

// The scheduler, with threads that look only after a run and when they are woken.
class Scheduled final : private Waker
{
public:
  explicit Scheduled(const GraphPath & path)
  : path_(path),
    scheduler_(
      SchedulerOptions{
        std::vector<int>(path.threads, 0), Order::priority, WindowTimers::snapshot, Epoch::start,
        nullptr, nullptr},
      *this),
    threads_(path.threads)
  {
    std::vector<std::shared_ptr<Group>> groups(2 * path.callbacks.size() + 1);
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      const GraphPath::Callback & one = path.callbacks[i];
      auto & group = groups[one.group];
      group = group == nullptr ? ByHand::exclusive() : group;
      add(i, group);
    }
    scheduler_.open(ms(0));
  }

  std::vector<GraphStart> run()
  {
    for (; now_ < kHorizon; ++now_) {
      while (next_message_ < path_.messages.size() && path_.messages[next_message_].at == now_) {
        scheduler_.ready(*callbacks_[path_.messages[next_message_++].to], 1, ms(now_));
      }
      publish_and_end();
      for (const std::uint32_t t : by_callback()) {
        if (threads_[t].ended) {
          look(t);
        }
      }
      for (bool again = true; again;) {
        again = false;
        for (std::uint32_t t = 0; t < threads_.size(); ++t) {
          Thread & thread = threads_[t];
          if (!thread.run && (thread.woken || thread.wake_at <= ms(now_))) {
            look(t);
            again = true;
          }
        }
      }
    }
    std::sort(starts_.begin(), starts_.end());
    return starts_;
  }

private:
  struct Thread
  {
    std::optional<Run> run;
    std::size_t last = 0;  // the callback that runs, or has run
    long publishes = 0;
    long ends = 0;
    bool ended = false;
    bool idle = false;
    bool woken = true;
    Time wake_at = kNever;
  };

  void wake(std::uint32_t thread) noexcept override
  {
    if (thread < threads_.size()) {
      threads_[thread].woken = true;
    }
  }

  void add(std::size_t i, const std::shared_ptr<Group> & group)
  {
    const GraphPath::Callback & one = path_.callbacks[i];
    CallbackOptions options;
    options.id = std::to_string(i);
    options.kind = one.period > 0 ? Kind::timer : Kind::subscription;
    options.group = group;
    options.depth = 200;
    if (one.period > 0) {
      options.timer.emplace();
      options.timer->period = millis(one.period);
      options.timer->offset = millis(one.offset);
    }
    Binding binding;
    binding.priority = one.priority;
    if (one.place) {
      binding.sequence = SequencePlace{
        static_cast<std::uint32_t>(one.place->first), static_cast<std::uint32_t>(one.place->second),
        true};
    }
    callbacks_.push_back(std::make_shared<SilentCallback>(options));
    const Status added = scheduler_.add(callbacks_.back(), binding);
    EXPECT_TRUE(added.ok()) << to_string(added.faults().front());
  }

  // In the same order as `by_callback` of the oracle.
  std::vector<std::uint32_t> by_callback() const
  {
    std::vector<std::uint32_t> all(threads_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::sort(all.begin(), all.end(), [this](std::uint32_t a, std::uint32_t b) {
      return threads_[a].last < threads_[b].last;
    });
    return all;
  }

  void publish_and_end()
  {
    for (const std::uint32_t t : by_callback()) {
      Thread & thread = threads_[t];
      thread.ended = false;
      if (thread.run && thread.publishes == now_) {
        const SequenceScope scope(scheduler_, *thread.run);
        for (const std::size_t to :
             path_.callbacks[std::stoul(thread.run->callback->id())].readers) {
          scheduler_.ready(*callbacks_[to], 1, ms(now_));
        }
      }
      if (thread.run && thread.ends == now_) {
        scheduler_.complete(*thread.run);
        thread.run.reset();
        thread.ended = true;
      }
    }
  }

  void look(std::uint32_t number)
  {
    Thread & thread = threads_[number];
    do {
      if (thread.idle) {
        scheduler_.end_idle(number);
        thread.idle = false;
      }
      thread.woken = false;
      Run run;
      if (scheduler_.next(number, ms(now_), run)) {
        scheduler_.taken(run);
        const std::size_t i = std::stoul(run.callback->id());
        starts_.push_back({now_, i, takt_rt::to_ns(run.release) / 1'000'000});
        thread.ends = now_ + path_.callbacks[i].cost;
        thread.publishes = thread.ends - path_.callbacks[i].early;
        thread.run = run;
        thread.last = i;
        return;
      }
      thread.idle = scheduler_.begin_idle(number, ms(now_), thread.wake_at);
    } while (!thread.idle);
  }

  const GraphPath & path_;
  Scheduler scheduler_;
  std::vector<std::shared_ptr<SilentCallback>> callbacks_;
  std::vector<Thread> threads_;
  std::vector<GraphStart> starts_;
  std::size_t next_message_ = 0;
  long now_ = 0;
};

// The first difference between scheduler and oracle; empty: both started the same callbacks.
std::string difference(const GraphPath & path, GraphLeftOut left_out)
{
  const std::vector<GraphStart> has = Scheduled(path).run();
  const std::vector<GraphStart> wanted = GraphOracle(path, left_out).run(kHorizon);
  const auto words = [](const std::vector<GraphStart> & all, std::size_t i) {
    return i >= all.size() ? std::string("nothing")
                           : std::to_string(all[i].callback) + " (released at " +
                               std::to_string(all[i].release) + ") at " + std::to_string(all[i].at);
  };
  for (std::size_t i = 0; i < std::max(has.size(), wanted.size()); ++i) {
    if (i >= has.size() || i >= wanted.size() || has[i] != wanted[i]) {
      return "start " + std::to_string(i) + ": " + words(has, i) +
             ", the oracle: " + words(wanted, i);
    }
  }
  return {};
}

std::string words(const GraphPath & path)
{
  std::string all = std::to_string(path.threads) + " threads\n";
  for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
    const GraphPath::Callback & one = path.callbacks[i];
    all += std::to_string(i) + ": group " + std::to_string(one.group) + " priority " +
           std::to_string(one.priority) + " cost " + std::to_string(one.cost) + " early " +
           std::to_string(one.early) + " period " + std::to_string(one.period) + " offset " +
           std::to_string(one.offset);
    for (const std::size_t to : one.readers) {
      all += " -> " + std::to_string(to);
    }
    all += one.place ? " graph " + std::to_string(one.place->first) + "." +
                         std::to_string(one.place->second)
                     : "";
    all += "\n";
  }
  return all;
}

TEST(GraphOracle, AgreesWithTheScheduler)
{
  for (std::uint64_t round = 0; round < rounds(3000); ++round) {
    const GraphPath path = Maker(seed() * 1'000'000'007ULL + round).make();
    const std::string found = difference(path, GraphLeftOut::nothing);
    ASSERT_EQ(found, "") << "round " << round << "\n" << words(path);
  }
}

class GraphTwin : public testing::TestWithParam<GraphLeftOut>
{
};

TEST_P(GraphTwin, IsRefuted)
{
  bool refuted = false;
  for (std::uint64_t round = 0; round < 1000 && !refuted; ++round) {
    const GraphPath path = Maker(seed() * 1'000'000'007ULL + round).make();
    refuted = !difference(path, GetParam()).empty();
  }
  EXPECT_TRUE(refuted);
}

INSTANTIATE_TEST_SUITE_P(
  Rules, GraphTwin,
  testing::Values(
    GraphLeftOut::end, GraphLeftOut::list, GraphLeftOut::iteration, GraphLeftOut::parallel,
    GraphLeftOut::more_urgent));

}  // namespace
}  // namespace takt_core::test
