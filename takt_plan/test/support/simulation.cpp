#include "support/simulation.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace takt_plan::test
{
namespace
{

/// One activation of a task: the release from which it counts, and the tasks along its way.
struct Job
{
  Index task = kNone;
  Ns nominal = 0;
  std::vector<Index> path;
  std::uint64_t sequence = 0;
};

struct Executing
{
  Job job;
  Ns to_publish = 0;  ///< execution time up to the publish
  Ns to_end = 0;      ///< execution time after the publish
  bool published = false;
};

class Simulation
{
public:
  Simulation(const Model & model, const Situation & situation)
  : model_(with_others(model)),
    situation_(situation),
    random_(situation.seed),
    waiting_(model_.threads.size()),
    executing_(model_.threads.size()),
    runnable_(model_.cores.size()),
    inbox_(model_.tasks.size()),
    windows_(model_.threads.size())
  {
    observed_.tasks.assign(model_.tasks.size(), -1);
    observed_.chains.assign(model_.chains.size(), -1);
  }

  Observed run()
  {
    plan_releases();
    for (;;) {
      const Ns next = next_time();
      if (next == kUnbounded) {
        break;
      }
      advance(next);
      settle();
    }
    observed_.tasks.resize(model_.tasks.size() - others_);
    return observed_;
  }

private:
  struct Event
  {
    Ns time = 0;
    std::uint64_t sequence = 0;
    Job job;
    Index topic = kNone;  ///< of a message; kNone: of a release
    bool operator>(const Event & other) const
    {
      return std::pair(time, sequence) > std::pair(other.time, other.sequence);
    }
  };

  /// Models threads outside of executors as executor threads with one timer each.
  Model with_others(Model model)
  {
    for (const OtherLoad & other : model.others) {
      Thread thread;
      thread.name = other.name;
      thread.priority = other.priority;
      thread.cores = other.cores;
      Task task;
      task.threads = {model.threads.size()};
      task.time = other.time;
      task.release = Release{other.period, 0, {}};
      model.threads.push_back(std::move(thread));
      model.tasks.push_back(std::move(task));
      ++others_;
    }
    return model;
  }

  Ns pick(Ns least, Ns most) { return std::uniform_int_distribution<Ns>(least, most)(random_); }

  void plan_releases()
  {
    for (Index i = 0; i < model_.tasks.size(); ++i) {
      if (const auto & release = model_.tasks[i].release) {
        // Phases at multiples of a coarse step make releases meet.
        const Ns step = std::max<Ns>(1, release->period / 8);
        Ns nominal = situation_.same_phase ? 0 : pick(0, 7) * step;
        Ns last = 0;  // releases of one timer do not overtake each other
        const Ns late_until = nominal + pick(0, 3) * release->period;
        for (; nominal < situation_.until; nominal += release->period) {
          // Late for a while, then in time: so releases meet.
          const Ns jitter = nominal < late_until     ? release->jitter
                            : situation_.worst_times ? 0
                                                     : pick(0, 1) * pick(0, release->jitter);
          events_.push(
            {last = std::max(last, nominal + jitter), ++sequence_, {i, nominal, {i}, 0}, kNone});
        }
      }
    }
  }

  Ns next_time() const
  {
    Ns next = events_.empty() ? kUnbounded : events_.top().time;
    for (const auto & threads : runnable_) {
      if (!threads.empty()) {
        const Executing & e = *executing_[threads.front()];
        next = std::min(next, now_ + (e.published ? e.to_end : e.to_publish));
      }
    }
    return next;
  }

  void advance(Ns to)
  {
    const Ns passed = to - now_;
    now_ = to;
    for (Index core = 0; core < runnable_.size(); ++core) {
      if (!runnable_[core].empty()) {
        Executing & e = *executing_[runnable_[core].front()];
        (e.published ? e.to_end : e.to_publish) -= passed;
      }
    }
  }

  /// Handles all due events. A thread takes its next job only after all events of this time have
  /// come.
  void settle()
  {
    bool begun = true;
    while (begun) {
      while (step() || deliver()) {
      }
      begun = false;
      for (const auto & threads : runnable_) {
        if (!threads.empty() && !executing_[threads.front()]) {
          begin(threads.front());
          begun = true;
        }
      }
    }
  }

  /// Handles one due publish or end on some core; false if there is none.
  bool step()
  {
    for (auto & threads : runnable_) {
      if (threads.empty() || !executing_[threads.front()]) {
        continue;
      }
      Executing & e = *executing_[threads.front()];
      if (!e.published && e.to_publish == 0) {
        e.published = true;
        publish(Job(e.job));
        return true;
      }
      if (e.published && e.to_end == 0) {
        end(threads.front(), threads);
        return true;
      }
    }
    return false;
  }

  bool deliver()
  {
    if (events_.empty() || events_.top().time > now_) {
      return false;
    }
    const Event event = events_.top();
    events_.pop();
    event.topic == kNone ? release(event.job) : receive(event);
    return true;
  }

  void begin(Index thread)
  {
    auto & jobs = waiting_[thread];
    if (model_.threads[thread].order == takt_core::Order::window) {
      execute(thread, next_of_window(thread));
      return;
    }
    const bool by_priority = model_.threads[thread].order == takt_core::Order::priority;
    const auto best = std::min_element(jobs.begin(), jobs.end(), [&](const Job & a, const Job & b) {
      const int pa = by_priority ? model_.tasks[a.task].priority : 0;
      const int pb = by_priority ? model_.tasks[b.task].priority : 0;
      return std::pair(-pa, a.sequence) < std::pair(-pb, b.sequence);
    });
    execute(thread, best);
  }

  std::vector<Job>::iterator next_of_window(Index thread)
  {
    auto & jobs = waiting_[thread];
    auto & window = windows_[thread];
    const bool immediate =
      model_.threads[thread].window_timers == takt_core::WindowTimers::immediate;
    const auto oldest = [&](const auto & fits) {
      return std::find_if(jobs.begin(), jobs.end(), fits);
    };
    if (immediate) {
      const auto due = oldest([&](const Job & job) { return model_.tasks[job.task].timer; });
      if (due != jobs.end()) {
        return due;
      }
    }
    if (window.empty()) {  // a polling point
      for (const Job & job : jobs) {
        window.insert({!model_.tasks[job.task].timer, job.task});
      }
    }
    const Index task = window.begin()->second;
    window.erase(window.begin());
    return oldest([&](const Job & job) { return job.task == task; });
  }

  void execute(Index thread, std::vector<Job>::iterator at)
  {
    Executing e;
    e.job = std::move(*at);
    waiting_[thread].erase(at);
    const Ns worst = model_.tasks[e.job.task].time;
    const Ns time = situation_.worst_times ? worst : worst - pick(0, 1) * pick(0, worst);
    e.to_publish = situation_.worst_times ? time : pick(0, time);
    e.to_end = time - e.to_publish;
    executing_[thread] = std::move(e);
  }

  void end(Index thread, std::vector<Index> & threads)
  {
    const Job job = std::move(executing_[thread]->job);
    executing_[thread].reset();
    ++observed_.runs;
    observed_.tasks[job.task] = std::max(observed_.tasks[job.task], now_ - job.nominal);
    for (Index c = 0; c < model_.chains.size(); ++c) {
      if (model_.chains[c].path == job.path) {
        observed_.chains[c] = std::max(observed_.chains[c], now_ - job.nominal);
      }
    }
    if (waiting_[thread].empty()) {
      threads.erase(std::find(threads.begin(), threads.end(), thread));
    }
  }

  void publish(const Job & job)
  {
    for (Index to = 0; to < model_.tasks.size(); ++to) {
      for (const Link & link : model_.tasks[to].triggers) {
        if (link.from == job.task) {
          const Ns delay = situation_.worst_times ? link.delay : pick(0, link.delay);
          Job next{to, job.nominal, job.path, 0};
          next.path.push_back(to);
          const Event event{now_ + delay, ++sequence_, std::move(next), link.topic};
          // Messages of one topic do not overtake each other.
          Ns & last = last_arrival_[{job.task, to, link.topic}];
          last = std::max(last, event.time);
          events_.push({last, event.sequence, event.job, event.topic});
        }
      }
    }
  }

  void receive(const Event & event)
  {
    const Task & task = model_.tasks[event.job.task];
    if (!task.all) {
      release(event.job);
      return;
    }
    auto & topics = inbox_[event.job.task];
    topics[event.topic].push_back(event.job);
    for (const Link & link : task.triggers) {
      if (topics[link.topic].empty()) {
        return;
      }
    }
    for (auto & [topic, messages] : topics) {  // which may have several publishers
      messages.pop_front();
    }
    release(event.job);  // with the source of the last message
  }

  void release(Job job)
  {
    const Index thread = model_.tasks[job.task].threads.front();
    const Index core = model_.threads[thread].cores.front();
    job.sequence = ++sequence_;
    auto & threads = runnable_[core];
    if (!executing_[thread] && waiting_[thread].empty()) {
      const int urgency = model_.threads[thread].priority;
      const auto after = std::find_if(threads.begin(), threads.end(), [&](Index other) {
        return model_.threads[other].priority < urgency;
      });
      threads.insert(after, thread);
    }
    waiting_[thread].push_back(std::move(job));
  }

  std::size_t others_ = 0;  // before model_, because it is counted while model_ is made
  Model model_;
  const Situation situation_;
  std::mt19937_64 random_;
  Ns now_ = 0;
  std::uint64_t sequence_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::vector<Job>> waiting_;
  std::vector<std::optional<Executing>> executing_;
  std::vector<std::vector<Index>> runnable_;  // per core, the running one first
  std::vector<std::map<Index, std::deque<Job>>> inbox_;
  std::vector<std::set<std::pair<bool, Index>>> windows_;       // remaining tasks of the window
  std::map<std::tuple<Index, Index, Index>, Ns> last_arrival_;  // from, to, topic
  Observed observed_;
};

}  // namespace

Observed simulate(const Model & model, const Situation & situation)
{
  return Simulation(model, situation).run();
}

}  // namespace takt_plan::test
