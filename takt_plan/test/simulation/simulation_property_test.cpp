// Properties of all simulations, over random systems of pools, groups, joins and several processes,
// under each order and policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "takt_plan/draw.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;

const std::uint64_t kSeed = test::seed();

class Generator
{
public:
  explicit Generator(std::uint64_t seed) : draw_(seed) {}

  SimulationModel generate()
  {
    Model & model = result_.model;
    model.hosts = {"car"};
    const Ns cores = draw_.between(1, 4);
    for (Ns core = 0; core < cores; ++core) {
      model.cores.push_back({0, static_cast<int>(core)});
    }
    const Ns executors = draw_.between(1, 3);
    for (Ns i = 0; i < executors; ++i) {
      add_executor();
    }
    model.groups = {{"one", true}, {"two", false}};
    const Ns tasks = draw_.between(2, 12);
    for (Ns i = 0; i < tasks; ++i) {
      add_task();
    }
    result_.context_switches = {draw_.between(0, 1) * draw_.between(0, 20)};
    return std::move(result_);
  }

private:
  bool one_of(Ns count) { return draw_.between(1, count) == 1; }

  void add_executor()
  {
    Model & model = result_.model;
    const Index executor = model.executors.size();
    model.executors.push_back(std::to_string(executor));
    const auto order = static_cast<Order>(draw_.between(0, 3));  // without `stock`, which loses
                                                                 // work by design
    const Ns threads = draw_.between(1, 4);
    for (Ns i = 0; i < threads; ++i) {
      Thread thread;
      thread.name = "t" + std::to_string(model.threads.size());
      thread.executor = executor;
      thread.order = order;
      SimulatedThread simulated;
      for (Index core = 0; core < model.cores.size(); ++core) {
        if (one_of(2)) {
          thread.cores.push_back(core);
        }
      }
      if (thread.cores.empty()) {
        thread.cores = {0};
      }
      simulated.kernel.cores = thread.cores;
      simulated.kernel.policy = static_cast<KernelPolicy>(draw_.between(0, 3));
      switch (simulated.kernel.policy) {
        case KernelPolicy::fifo:
        case KernelPolicy::rr:
          simulated.kernel.priority = thread.priority = static_cast<int>(draw_.between(1, 5));
          simulated.urgency = thread.priority;
          thread.ceiling = one_of(3) ? 6 : 0;
          thread.kind = ThreadClass::fixed_priority;
          break;
        case KernelPolicy::deadline:
          simulated.kernel.period = draw_.between(100, 1000);
          simulated.kernel.deadline = simulated.kernel.period / draw_.between(1, 2);
          simulated.kernel.runtime =
            simulated.kernel.deadline / draw_.between(1, 2);  // longer than a switch
          thread.kind = ThreadClass::deadline;
          simulated.urgency = 100;
          break;
        case KernelPolicy::fair:
          simulated.kernel.weight = fair_weight(static_cast<int>(draw_.between(-5, 5)));
          break;
      }
      model.threads.push_back(std::move(thread));
      result_.threads.push_back(std::move(simulated));
    }
  }

  void add_task()
  {
    Model & model = result_.model;
    Task task;
    SimulatedTask simulated;
    task.id = "/c" + std::to_string(model.tasks.size());
    task.executor =
      static_cast<Index>(draw_.between(0, static_cast<Ns>(model.executors.size()) - 1));
    for (Index i = 0; i < model.threads.size(); ++i) {
      if (model.threads[i].executor == task.executor) {
        task.threads.push_back(i);
      }
    }
    if (one_of(3) && !has_windows(model.threads[task.threads.front()].order)) {
      task.threads.resize(1);
    }
    if (task.executor == 0 && one_of(2)) {
      task.group = one_of(2) ? 0 : 1;
    }
    task.priority = static_cast<int>(draw_.between(0, 3));
    task.time = draw_.between(0, 40);
    simulated.best = task.time / 2;
    simulated.binding.priority = task.priority;
    simulated.dispatch = draw_.between(0, 1);
    simulated.take = draw_.between(0, 2);
    simulated.publish = draw_.between(0, 2);
    simulated.depth = static_cast<std::uint32_t>(draw_.between(1, 4));
    if (model.tasks.empty() || one_of(3)) {
      task.timer = one_of(2);
      simulated.kind = task.timer ? takt_core::Kind::timer : takt_core::Kind::subscription;
      task.release = Release{draw_.between(50, 500), draw_.between(0, 60), {}};
      simulated.missed_periods = static_cast<takt_core::MissedPeriods>(draw_.between(0, 2));
    } else {
      const Ns inputs = draw_.between(1, 3);
      for (Ns i = 0; i < inputs; ++i) {
        const auto from =
          static_cast<Index>(draw_.between(0, static_cast<Ns>(model.tasks.size()) - 1));
        const Ns delay = model.tasks[from].executor == task.executor ? 0 : draw_.between(0, 1) * 15;
        task.triggers.push_back({from, delay, static_cast<Index>(i)});
      }
      task.all = one_of(3);
    }
    result_.tasks.push_back(std::move(simulated));
    model.tasks.push_back(std::move(task));
  }

  Draw draw_;
  SimulationModel result_;
};

struct Journal final : SimulationObserver
{
  struct Job
  {
    Index thread, task;
    Ns release, start, end;
  };
  void on_work(Index core, Index thread, Activity activity, Index, Ns from, Ns to) override
  {
    EXPECT_LE(busy_until[core], from) << "two threads on one core";
    EXPECT_LE(on_core_until[thread], from) << "a thread on two cores";
    busy_until[core] = on_core_until[thread] = to;
    worked += activity == Activity::job ? to - from : 0;
  }
  void on_end(Index thread, Index task, Ns release, Ns start, Ns end) override
  {
    jobs.push_back({thread, task, release, start, end});
  }
  std::map<Index, Ns> busy_until, on_core_until;
  std::vector<Job> jobs;
  Ns worked = 0;
};

SimulationOptions some_options(std::uint64_t seed)
{
  SimulationOptions options;
  options.duration = 20'000;
  options.seed = seed;
  options.phases = static_cast<Phases>(seed % 3);
  options.execution = seed % 2 == 0 ? Execution::worst : Execution::uniform;
  options.kernel = {30, 20};
  return options;
}

TEST(SimulationProperty, NothingIsLostButWhatIsOverwritten)
{
  std::uint64_t jobs = 0, overwritten = 0;
  for (std::uint64_t i = 0; i < test::rounds(1000); ++i) {
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(kSeed + i));
    const SimulationModel model = Generator(kSeed + i).generate();
    const auto result = simulate(model, some_options(kSeed + i));
    ASSERT_TRUE(result.ok()) << result.faults().front();
    jobs += result->jobs;
    if (result->simulated > 10 * 20'000) {
      continue;  // switches use up a reservation: not all runs ended
    }
    for (Index t = 0; t < model.tasks.size(); ++t) {
      const TaskResult & task = result->tasks[t];
      const Task & given = model.model.tasks[t];
      ASSERT_EQ(task.received, task.taken + task.overwritten + task.waiting);
      overwritten += task.overwritten;
      if (!given.all) {
        ASSERT_EQ(task.waiting, 0U) << given.id;
      }
      if (!given.timer) {
        ASSERT_EQ(task.taken, task.responses.count * (given.all ? given.triggers.size() : 1));
      }
      std::uint64_t sent = 0;
      for (const Link & link : given.triggers) {
        sent += result->tasks[link.from].responses.count;
      }
      if (!given.release) {
        ASSERT_EQ(task.received, sent) << "each message of each publisher's run";
      }
    }
  }
  EXPECT_GT(jobs, 300'000U);
  EXPECT_GT(overwritten, 1000U);
}

TEST(SimulationProperty, NoCallbackOfAnExclusiveGroupRunsTwiceAtOnceAndTimeAddsUp)
{
  std::uint64_t grouped = 0;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(kSeed + i));
    const SimulationModel model = Generator(kSeed + i).generate();
    SimulationOptions options = some_options(kSeed + i);
    options.execution = Execution::worst;
    Journal journal;
    ASSERT_TRUE(watch(model, options, 0, journal).ok());
    std::map<std::string, Ns> free_at;  // by group
    std::sort(journal.jobs.begin(), journal.jobs.end(), [](const auto & a, const auto & b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    Ns cost = 0;
    for (const Journal::Job & job : journal.jobs) {
      const Task & task = model.model.tasks[job.task];
      const SimulatedTask & simulated = model.tasks[job.task];
      cost += simulated.dispatch + simulated.take + task.time + simulated.publish;
      EXPECT_LE(job.release, job.start);
      EXPECT_TRUE(
        std::find(task.threads.begin(), task.threads.end(), job.thread) != task.threads.end());
      if (task.group == kNone || model.model.groups[task.group].exclusive) {
        Ns & free = free_at[task.group == kNone ? task.id : model.model.groups[task.group].id];
        EXPECT_LE(free, job.start) << task.id;
        grouped += free == job.start && free > job.release ? 1 : 0;
        free = job.end;
      }
    }
    // Switches within a job belong to the time of its thread.
    if (model.context_switches[0] == 0) {
      EXPECT_EQ(journal.worked, cost);
    } else {
      EXPECT_GE(journal.worked, cost);
    }
  }
  EXPECT_GT(grouped, 1000U) << "some waited for their group";
}

// A pool of n threads with a core each, without groups: no callback waits while a thread is idle.
TEST(SimulationProperty, NothingWaitsWhileAThreadThatMayRunItIsIdle)
{
  std::uint64_t waited = 0;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(kSeed + i));
    SimulationModel model = Generator(kSeed + i).generate();
    model.context_switches = {0};
    const Index threads = model.threads.size();
    model.model.cores.clear();
    for (Index t = 0; t < threads; ++t) {
      model.model.cores.push_back({0, static_cast<int>(t)});
      model.model.threads[t].cores = {t};
      model.threads[t].kernel = {KernelPolicy::fifo, 1, 0, 0, 0, 1024, {t}};
      model.model.threads[t].ceiling = 0;
    }
    for (Task & task : model.model.tasks) {
      task.group = 1;  // reentrant; there is one process only
      task.executor = 0;
      task.threads.resize(threads);
      std::iota(task.threads.begin(), task.threads.end(), Index{0});
      if (task.release) {
        task.release->jitter = 0;  // jitter would keep threads idle on purpose
      }
    }
    const Order order = model.model.threads[0].order;
    for (Thread & thread : model.model.threads) {
      thread.executor = 0;
      thread.order = order;
    }
    Journal journal;
    ASSERT_TRUE(watch(model, some_options(kSeed + i), 0, journal).ok());
    std::vector<std::vector<std::pair<Ns, Ns>>> busy(threads);
    std::sort(journal.jobs.begin(), journal.jobs.end(), [](const auto & a, const auto & b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    for (const Journal::Job & job : journal.jobs) {
      auto & mine = busy[job.thread];
      if (!mine.empty() && mine.back().second >= job.start) {
        mine.back().second = std::max(mine.back().second, job.end);
      } else {
        mine.emplace_back(job.start, job.end);
      }
    }
    for (const Journal::Job & job : journal.jobs) {
      // With a window, the next message of a task waits for the next window.
      const bool may_wait = order == Order::window;
      if (job.release == job.start || may_wait) {
        continue;
      }
      ++waited;
      for (Index t = 0; t < threads; ++t) {
        const bool covered = std::any_of(busy[t].begin(), busy[t].end(), [&](const auto & slice) {
          return slice.first <= job.release && slice.second >= job.start;
        });
        EXPECT_TRUE(covered) << model.model.tasks[job.task].id << " waits from " << job.release
                             << " to " << job.start << " while thread " << t << " is idle";
      }
    }
  }
  EXPECT_GT(waited, 10'000U);
}

}  // namespace
}  // namespace takt_plan
