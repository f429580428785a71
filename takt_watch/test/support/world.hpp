// One thread with callbacks under virtual time. Each callback has a queue. Returns the samples that
// takt_watch would take.
#ifndef SUPPORT__WORLD_HPP_
#define SUPPORT__WORLD_HPP_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "alarms/alarm_rules.hpp"
#include "sample.hpp"

namespace takt_watch::test
{

using std::chrono::milliseconds;
using takt_rt::Duration;
using takt_rt::Time;

/// Messages of one publisher.
struct Source
{
  Duration period{};
  Duration jitter{};  ///< a message may come later than its period says by up to this
  Duration next{};
};

struct Worker
{
  CallbackSample sample{};
  int priority = 0;
  Duration execution{};
  std::vector<Source> sources{};
  std::deque<Duration> waiting{};
};

/// Runs the most urgent callback that has messages to its end, again and again.
class World
{
public:
  explicit World(Duration period = milliseconds(100)) : period_(period) {}

  Worker & add(
    const std::string & id, int priority, Duration execution, std::uint32_t depth = 10,
    const std::string & group = "")
  {
    Worker worker;
    worker.sample.id = id;
    worker.sample.chain_id = id;
    worker.sample.group = group.empty() ? id : group;
    worker.sample.depth = depth;
    worker.sample.threads = {0};
    worker.priority = priority;
    worker.execution = execution;
    workers_.push_back(std::move(worker));
    return workers_.back();
  }

  /// Runs for `time`, and looks at the end of each period.
  void run(Duration time)
  {
    const Duration end = now_ + time;
    while (next_look_ <= end) {
      go_to(next_look_);
      look();
      next_look_ += period_;
    }
    go_to(end);
  }

  Sample sample() const
  {
    Sample all;
    all.time = Time() + now_;
    ExecutorSample executor;
    executor.name = "main";
    for (const Worker & worker : workers_) {
      executor.callbacks.push_back(worker.sample);
      CallbackSample & one = executor.callbacks.back();
      one.waiting = static_cast<std::uint32_t>(worker.waiting.size());
      if (!worker.waiting.empty()) {
        one.oldest_age = now_ - worker.waiting.front();
      }
    }
    ThreadSample thread;
    thread.name = "main";
    thread.tid = 1;
    thread.cores = {1};
    thread.on_cpu = on_cpu_;
    thread.run_queue_delay = delay_;
    if (running_ != nullptr) {
      thread.running =
        RunningCallback{running_->sample.id, Time() + began_, running_->sample.rule.stall};
    }
    executor.threads.push_back(thread);
    all.executors.push_back(std::move(executor));
    return all;
  }

  void look()
  {
    for (Alarm & alarm : rules_.look(sample())) {
      alarms.push_back(std::move(alarm));
    }
  }

  /// The raised alarms of this kind.
  std::vector<Alarm> raised(AlarmKind kind) const
  {
    std::vector<Alarm> found;
    std::copy_if(alarms.begin(), alarms.end(), std::back_inserter(found), [&](const Alarm & a) {
      return a.kind == kind && a.raised;
    });
    return found;
  }

  AlarmRules & rules() { return rules_; }
  Duration now() const { return now_; }

  std::vector<Alarm> alarms{};
  std::mt19937 random{1};
  /// The share of a core that the thread gets.
  double share = 1.0;
  /// True: runs sleep, so they neither have nor want a core.
  bool asleep = false;

private:
  void go_to(Duration end)
  {
    for (;;) {
      const Duration arrival = next_arrival();
      const Duration completion = running_ != nullptr ? ends_ : Duration::max();
      const Duration next = std::min(arrival, completion);
      if (next > end) {
        account(end);
        return;
      }
      account(next);
      if (completion <= arrival) {
        complete();
      } else {
        arrive();
      }
      dispatch();
    }
  }

  void account(Duration to)
  {
    if (running_ != nullptr && !asleep) {
      const double had = static_cast<double>((to - now_).count()) * share;
      on_cpu_ += Duration(static_cast<std::int64_t>(had));
      delay_ += (to - now_) - Duration(static_cast<std::int64_t>(had));
    }
    now_ = to;
  }

  Duration next_arrival() const
  {
    Duration next = Duration::max();
    for (const Worker & worker : workers_) {
      for (const Source & source : worker.sources) {
        next = std::min(next, source.next);
      }
    }
    return next;
  }

  void arrive()
  {
    for (Worker & worker : workers_) {
      for (Source & source : worker.sources) {
        if (source.next > now_) {
          continue;
        }
        std::uniform_int_distribution<std::int64_t> late(0, source.jitter.count());
        const Duration nominal = now_ - (now_ % source.period) + source.period;
        source.next = nominal + Duration(late(random));
        ++worker.sample.arrivals;
        worker.waiting.push_back(now_);
        if (worker.waiting.size() > worker.sample.depth) {
          worker.waiting.pop_front();
          ++worker.sample.overwritten;
        }
      }
    }
  }

  void dispatch()
  {
    if (running_ != nullptr) {
      return;
    }
    Worker * best = nullptr;
    for (Worker & worker : workers_) {
      if (!worker.waiting.empty() && (best == nullptr || worker.priority > best->priority)) {
        best = &worker;
      }
    }
    if (best == nullptr) {
      return;
    }
    best->waiting.pop_front();
    ++best->sample.starts;
    running_ = best;
    began_ = now_;
    ends_ =
      now_ +
      Duration(static_cast<std::int64_t>(static_cast<double>(best->execution.count()) / share));
  }

  void complete()
  {
    const Duration took = now_ - began_;
    running_->sample.busy += took;
    if (running_->sample.rule.budget && took > *running_->sample.rule.budget) {
      ++running_->sample.overruns;
      running_->sample.longest_overrun = took;
    }
    running_ = nullptr;
  }

  AlarmRules rules_;
  const Duration period_;
  std::deque<Worker> workers_;
  Duration now_{};
  Duration next_look_{};
  Worker * running_ = nullptr;
  Duration began_{};
  Duration ends_{};
  Duration on_cpu_{};
  Duration delay_{};
};

inline takt_schedule::BacklogRule half_full()
{
  takt_schedule::BacklogRule rule;
  rule.depth = 0.5;
  return rule;
}

}  // namespace takt_watch::test

#endif  // SUPPORT__WORLD_HPP_
