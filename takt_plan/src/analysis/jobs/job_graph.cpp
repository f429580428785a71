#include "analysis/jobs/job_graph.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/jobs/cluster_refusals.hpp"
#include "analysis/priority/priority_scope.hpp"
#include "model/printed.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_core::Order;
using takt_schedule::quoted;

/// Groups tasks into parts, by union and find over tasks and cores.
class Parts
{
public:
  explicit Parts(const Model & model) : parent_(model.tasks.size() + model.cores.size())
  {
    std::iota(parent_.begin(), parent_.end(), Index{0});
    for (Index task = 0; task < model.tasks.size(); ++task) {
      for (const Index thread : model.tasks[task].threads) {
        for (const Index core : model.threads[thread].cores) {
          join(task, model.tasks.size() + core);
        }
      }
      for (const Link & link : model.tasks[task].triggers) {
        join(task, link.from);
      }
    }
  }

  Index of(Index one)
  {
    while (parent_[one] != one) {
      one = parent_[one] = parent_[parent_[one]];
    }
    return one;
  }

private:
  void join(Index a, Index b) { parent_[of(a)] = of(b); }

  std::vector<Index> parent_;
};

/// Makes the graph of one part's tasks, in trigger order.
class JobGraphBuilder
{
public:
  JobGraphBuilder(const Model & model, const Flow & flow, const std::vector<Index> & tasks)
  : model_(model),
    flow_(flow),
    tasks_(tasks)
  {
    graph_.node_of_stream.assign(flow.streams.all().size(), kNone);
    find_epoch();
  }

  JobGraph build()
  {
    graph_.clusters = std::any_of(tasks_.begin(), tasks_.end(), [&](Index task) {
      return model_.tasks[task].threads.size() != 1 || flow_.segments.core(task) == kNone;
    });
    graph_.refusal = refuse();
    if (graph_.refusal.empty() && graph_.clusters) {
      graph_.refusal = refuse_clusters(model_, flow_, tasks_);
    }
    if (graph_.refusal.empty()) {
      graph_.refusal = refuse_phases();
    }
    if (graph_.refusal.empty()) {
      graph_.refusal = find_hyperperiod();
      graph_.too_long = !graph_.refusal.empty();
    }
    if (graph_.refusal.empty()) {
      for (const Index task : tasks_) {
        add_nodes(task);
      }
      if (!graph_.clusters) {
        find_levels();
      }
      graph_.from_start = std::ranges::any_of(tasks_, [&](Index task) {
        return model_.tasks[task].release && has_phase(task) &&
               model_.counts_from_start(model_.tasks[task]);
      });
    }
    return std::move(graph_);
  }

private:
  std::string refuse() const
  {
    for (const Index index : tasks_) {
      const Task & task = model_.tasks[index];
      const std::string whom = quoted(task.id);
      const Thread & thread = model_.threads[task.threads.front()];
      if (
        thread.kind != ThreadClass::fixed_priority || thread.follow ||
        (thread.order != Order::priority && thread.order != Order::fifo)) {
        return whom + " is not on a thread of fixed priority that picks by priority or fifo";
      }
      if (flow_.streams.may_part(index)) {
        return whom +
               " waits for one message of each topic, and these come through several processes, "
               "which may start at any moment";
      }
      if (flow_.streams.too_many(index) || flow_.streams.waits(index)) {
        return whom +
               " has too many ways, or waits for sources that have nothing to do with each other";
      }
      if (
        (!graph_.clusters && flow_.segments.spanned(index)) || task.may_wait() ||
        !task.no_wait.empty() || task.wait > 0) {
        return whom + " excludes callbacks of other threads, sleeps, or waits for callbacks";
      }
      if (const MessageSet * const set = flow_.streams.set(index)) {
        for (const auto & topic : set->topics) {
          if (topic.size() != 1) {
            return whom + " has a topic with several ways in its set";
          }
          const Index source = flow_.streams.all()[topic.front()].source;
          if (model_.timer_of_border(source) != kNone && !has_phase(source)) {
            return whom + " waits for " + quoted(model_.tasks[source].id) +
                   ", whose first release has no known phase";
          }
        }
      }
      for (const Link & link : task.triggers) {
        if (link.call) {
          return whom + " is called";
        }
      }
    }
    return refuse_threads();
  }

  /// The epoch of most sources.
  void find_epoch()
  {
    std::map<Index, Index> sources;
    for (const Index index : tasks_) {
      const Task & task = model_.tasks[index];
      if (task.release && task.release->offset) {
        ++sources[model_.epoch_of(task)];
      }
    }
    for (const auto & [epoch, count] : sources) {
      if (epoch_ == kNone || count > sources[epoch_]) {
        epoch_ = epoch;
      }
    }
  }

  bool has_phase(Index task) const
  {
    const Task & of = model_.tasks[task];
    return of.release->offset && model_.epoch_of(of) == epoch_;
  }

  /// The refusal of a part with fewer than two known phases: a single one does not help.
  std::string refuse_phases() const
  {
    Index known = 0;
    std::string why;
    for (const Index index : tasks_) {
      const Task & task = model_.tasks[index];
      if (!task.release) {
        continue;
      }
      if (has_phase(index)) {
        ++known;
      } else if (why.empty()) {
        why = quoted(task.id) + without_phase(task);
      }
    }
    return known < 2 ? why : std::string();
  }

  std::string without_phase(const Task & task) const
  {
    if (!task.release->offset) {
      return task.timer ? " has no offset; give each timer one in the schedule"
                        : " starts with messages from outside, whose phase is not known";
    }
    if (any_outside()) {
      return " counts from another instant than others: messages from outside come at times of the "
             "host's clock, and offsets of timers count from a start; with epoch: host in the "
             "schedule they count from one instant";
    }
    return " is a timer of another process than others: their offsets count from different "
           "starts; with epoch: host in the schedule they count from one instant";
  }

  bool any_outside() const
  {
    return std::any_of(tasks_.begin(), tasks_.end(), [&](Index index) {
      return model_.tasks[index].release && !model_.tasks[index].timer;
    });
  }

  std::string refuse_threads() const
  {
    // A thread of policy deadline precedes all others. It has no tasks in this part, but may have
    // tasks elsewhere.
    for (const Index index : tasks_) {
      for (const Index own : model_.tasks[index].threads) {
        for (const Index core : model_.threads[own].cores) {
          if (has_deadline_thread(core)) {
            return quoted(model_.tasks[index].id) +
                   " shares its core with a thread of policy deadline";
          }
        }
      }
    }
    return {};
  }

  bool has_deadline_thread(Index core) const
  {
    const auto & threads = flow_.segments.threads_on(core);
    return std::any_of(threads.begin(), threads.end(), [&](Index thread) {
      return model_.threads[thread].kind == ThreadClass::deadline;
    });
  }

  std::string find_hyperperiod()
  {
    Ns least = 1;
    for (const bool known : {true, false}) {
      const Ns most = known ? kMostHyperperiod : multiply(least, kLongerForUnphased);
      for (const Index index : tasks_) {
        if (!model_.tasks[index].release || has_phase(index) != known) {
          continue;
        }
        const Ns period = model_.tasks[index].release->period;
        const Ns factor = period / std::gcd(least, period);
        if (factor <= most / least) {
          least *= factor;
        } else if (known) {
          return "its timers have a hyperperiod of more than a day, by periods of " + periods() +
                 advice();
        }
      }
    }
    graph_.hyperperiod = least;
    std::int64_t jobs = 0;
    std::size_t nodes = 0;
    for (const Index index : tasks_) {
      for (const Index stream : flow_.streams.of(index)) {
        jobs += least / period_of(flow_.streams.all()[stream].source);
        ++nodes;
      }
      if (nodes > kMostNodes) {
        return "it has more than " + std::to_string(kMostNodes) + " ways to callbacks";
      }
      if (jobs > kMostJobs) {
        return "its hyperperiod has more than " + std::to_string(kMostJobs) +
               " jobs: " + printed(least) + ", by periods of " + periods() + advice();
      }
    }
    return {};
  }

  /// The different periods of sources, as in "10ms, 33.3ms, 500ms".
  std::string periods() const
  {
    std::set<Ns> different;
    for (const Index index : tasks_) {
      if (model_.tasks[index].release) {
        different.insert(model_.tasks[index].release->period);
      }
    }
    constexpr std::size_t kMostTold = 8;
    std::string text;
    std::size_t told = 0;
    for (const Ns period : different) {
      if (++told > kMostTold) {
        return text + " and others";
      }
      text += (told == 1 ? "" : ", ") + printed(period);
    }
    return text;
  }

  /// The least common multiple of all periods but one; 0: more than the longest hyperperiod.
  static Ns hyperperiod_without(Ns omitted, const std::set<Ns> & periods)
  {
    Ns least = 1;
    for (const Ns period : periods) {
      const Ns factor = period == omitted ? 1 : period / std::gcd(least, period);
      if (factor > kMostHyperperiod / least) {
        return 0;
      }
      least *= factor;
    }
    return least;
  }

  /// The digits that people read of a time: "1.04s" has three.
  static int digits(Ns time)
  {
    while (time % 10 == 0) {
      time /= 10;
    }
    return static_cast<int>(std::to_string(time).size());
  }

  /// A period in whole microseconds on one side of `period` that divides `hyperperiod`: of those
  /// with at most twice the smallest change, the one with the fewest digits; 0: none.
  static Ns near_divisor(Ns hyperperiod, Ns period, bool longer)
  {
    constexpr Ns kMicrosecond = 1'000;
    const Ns first = hyperperiod / period + (longer ? 0 : 1);
    Ns best = 0;
    Ns least = 0;
    for (Ns turns = first; turns > 0 && turns <= 2 * first; turns += longer ? -1 : 1) {
      const Ns found = hyperperiod / turns;
      if (hyperperiod % turns != 0 || found % kMicrosecond != 0) {
        continue;
      }
      const Ns change = std::abs(found - period);
      least = best == 0 ? change : least;
      if (change > multiply(least, kLargerChange)) {
        break;
      }
      best = best == 0 || digits(found) < digits(best) ? found : best;
    }
    return best;
  }

  /// A period in place of another one, and the hyperperiod with it.
  struct Replacement
  {
    Ns old = 0;
    Ns shorter = 0;  ///< 0: none; one of both is there
    Ns longer = 0;   ///< 0: none
    Ns hyperperiod = 0;

    Ns least() const
    {
      return longer == 0    ? old - shorter
             : shorter == 0 ? longer - old
                            : std::min(old - shorter, longer - old);
    }
    /// The share by which the period changes at least.
    double change() const { return static_cast<double>(least()) / static_cast<double>(old); }
    /// Omits an odd period where a rounder one on the other side is nearly as near.
    void omit_odd()
    {
      if (shorter == 0 || longer == 0) {
        return;
      }
      const Ns down = old - shorter;
      const Ns up = longer - old;
      if (digits(shorter) < digits(longer) && down <= multiply(up, kLargerChange)) {
        longer = 0;
      } else if (digits(longer) < digits(shorter) && up <= multiply(down, kLargerChange)) {
        shorter = 0;
      }
    }
    int fewest_digits() const
    {
      return shorter == 0  ? digits(longer)
             : longer == 0 ? digits(shorter)
                           : std::min(digits(shorter), digits(longer));
    }
  };

  std::int64_t jobs_with(const Replacement & other) const
  {
    std::int64_t jobs = 0;
    for (const Index index : tasks_) {
      for (const Index stream : flow_.streams.of(index)) {
        const Ns period = model_.tasks[flow_.streams.all()[stream].source].release->period;
        const Ns changed = other.shorter == 0 ? other.longer : other.shorter;
        jobs += other.hyperperiod / (period == other.old ? changed : period);
      }
    }
    return jobs;
  }

  /// Makes the hyperperiod short enough by a small change of one period: the one to the roundest
  /// period of those that are at most twice the smallest change.
  std::string advice() const
  {
    constexpr std::size_t kMostCompared = 16;
    std::set<Ns> periods;
    for (const Index index : tasks_) {
      if (model_.tasks[index].release && has_phase(index)) {
        periods.insert(model_.tasks[index].release->period);
      }
    }
    std::vector<Replacement> found;
    for (const Ns period : periods) {
      const Ns rest = periods.size() > kMostCompared ? 0 : hyperperiod_without(period, periods);
      if (rest <= 1) {
        continue;
      }
      Replacement other{
        period, near_divisor(rest, period, false), near_divisor(rest, period, true), rest};
      if (other.shorter > 0 && jobs_with(other) <= kMostJobs) {
        other.omit_odd();
        found.push_back(other);
      }
    }
    if (found.empty()) {
      return "; choose periods that divide each other";
    }
    const double least =
      std::min_element(found.begin(), found.end(), [](const auto & a, const auto & b) {
        return a.change() < b.change();
      })->change();
    std::erase_if(found, [&](const auto & one) { return one.change() > kLargerChange * least; });
    const Replacement & best =
      *std::min_element(found.begin(), found.end(), [](const auto & a, const auto & b) {
        return std::pair(a.fewest_digits(), a.change()) < std::pair(b.fewest_digits(), b.change());
      });
    return "; with " + (best.shorter == 0 ? "" : printed(best.shorter)) +
           (best.shorter == 0 || best.longer == 0 ? "" : " or ") +
           (best.longer == 0 ? "" : printed(best.longer)) + " in place of " + printed(best.old) +
           " it would be " + printed(best.hyperperiod);
  }

  /// The period of a source, or of its grid.
  Ns period_of(Index source) const
  {
    const Ns period = model_.tasks[source].release->period;
    const Ns turns = graph_.hyperperiod / period + (graph_.hyperperiod % period == 0 ? 0 : 1);
    // The hyperperiod has a whole number of turns of the grid, and no turn is longer than the
    // source's period.
    for (Ns even = turns; even <= multiply(turns, kMoreTurns); ++even) {
      if (graph_.hyperperiod % even == 0) {
        return graph_.hyperperiod / even;
      }
    }
    return std::gcd(graph_.hyperperiod, period);
  }

  JobNode node_of(Index stream) const
  {
    const Stream & of = flow_.streams.all()[stream];
    JobNode node;
    node.task = of.task;
    node.unphased = !has_phase(of.source);
    node.distance = of.period;
    node.period = period_of(of.source);
    node.offset = node.unphased ? 0 : *model_.tasks[of.source].release->offset;
    node.jobs = graph_.hyperperiod / node.period;
    node.run = model_.tasks[of.task].cost();
    return node;
  }

  void add(Index stream, JobNode node)
  {
    graph_.node_of_stream[stream] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  void add_nodes(Index index)
  {
    const Task & task = model_.tasks[index];
    const MessageSet * const set = flow_.streams.set(index);
    for (const Index stream : flow_.streams.of(index)) {
      const Stream & of = flow_.streams.all()[stream];
      JobNode node = node_of(stream);
      node.cost = set == nullptr ? node.run : task.store;
      node.jitter = of.from.empty() ? task.release->jitter : 0;
      node.joined = of.from.size() > 1;
      node.any_start = of.from.empty() && node.unphased;
      for (const Stream::From & from : of.from) {
        const Index before = graph_.node_of_stream[from.stream];
        node.from.push_back({before, task.triggers[from.link].delay});
        node.any_start = node.any_start || graph_.nodes[before].any_start;
      }
      add(stream, std::move(node));
    }
    if (set == nullptr) {
      return;
    }
    const Index complete = flow_.streams.after(index).front();
    JobNode work = node_of(complete);
    work.cost = task.cost() - task.store;
    work.slowest = set->slowest;
    work.start = set->start;
    for (const auto & topic : set->topics) {
      work.topics.push_back(graph_.node_of_stream[topic.front()]);
      work.any_start = work.any_start || graph_.nodes[work.topics.back()].any_start;
    }
    add(complete, std::move(work));
  }

  void find_levels()
  {
    for (JobNode & node : graph_.nodes) {
      JobLevel level;
      level.core = flow_.segments.core(node.task);
      level.urgency = model_.threads[flow_.segments.thread(node.task)].priority;
      level.shared = is_shared(level);
      level.priority = level.shared ? 0 : flow_.segments.level(node.task);
      level.rotates = level.shared && rotates(level);
      level.sequences = !level.shared && has_sequences(node.task);
      const auto found = std::find(graph_.levels.begin(), graph_.levels.end(), level);
      node.level = static_cast<Index>(found - graph_.levels.begin());
      if (found == graph_.levels.end()) {
        graph_.levels.push_back(level);
        find_around(level);
      }
    }
  }

  /// True if a callback of the task's thread and urgency is in a sequence, or may precede others
  /// that were ready earlier.
  bool has_sequences(Index task) const
  {
    const std::vector<Index> & mates = flow_.segments.tasks_of(flow_.segments.thread(task));
    return std::any_of(mates.begin(), mates.end(), [&](Index mate) {
      return (model_.tasks[mate].sequence != kNone || model_.tasks[mate].overtakes) &&
             flow_.segments.level(mate) == flow_.segments.level(task);
    });
  }

  bool is_here(const OtherLoad & other, Index core) const
  {
    return std::find(other.cores.begin(), other.cores.end(), core) != other.cores.end();
  }

  bool is_shared(const JobLevel & level) const
  {
    Index threads = 0;
    for (const Index thread : flow_.segments.threads_on(level.core)) {
      threads += model_.threads[thread].priority == level.urgency;
    }
    return threads > 1 ||
           std::any_of(model_.others.begin(), model_.others.end(), [&](const OtherLoad & one) {
             return one.priority == level.urgency && is_here(one, level.core);
           });
  }

  bool rotates(const JobLevel & level) const
  {
    const auto & threads = flow_.segments.threads_on(level.core);
    return std::any_of(threads.begin(), threads.end(), [&](Index thread) {
      return model_.threads[thread].priority == level.urgency && model_.threads[thread].rr;
    });
  }

  void find_around(const JobLevel & level)
  {
    Ns ceiling = 0;
    for (const Index index : flow_.segments.threads_on(level.core)) {
      const Thread & thread = model_.threads[index];
      if (thread.ceiling != 0 && thread.priority < level.urgency) {
        ceiling = std::max(ceiling, most_middleware(model_, flow_.segments, index));
      }
    }
    graph_.ceilings.push_back(ceiling);
    std::vector<Index> others;
    for (Index i = 0; i < model_.others.size(); ++i) {
      if (model_.others[i].priority >= level.urgency && is_here(model_.others[i], level.core)) {
        others.push_back(i);
      }
    }
    graph_.others.push_back(std::move(others));
  }

  // The hyperperiod of known phases may become so many times longer, to fit the periods of other
  // sources.
  static constexpr Ns kLongerForUnphased = 4;
  static constexpr Ns kMoreTurns = 4;  // than periods, at most so many times
  /// A rounder period may change the old one by this multiple of the smallest change.
  static constexpr Ns kLargerChange = 2;
  static constexpr Ns kMostHyperperiod = Ns{24} * 3'600 * 1'000'000'000;

  const Model & model_;
  const Flow & flow_;
  const std::vector<Index> & tasks_;
  Index epoch_ = kNone;
  JobGraph graph_;
};

}  // namespace

std::vector<JobGraph> job_graphs(const Model & model, const Flow & flow)
{
  Parts parts(model);
  std::vector<Index> part_of(model.tasks.size() + model.cores.size(), kNone);
  std::vector<std::vector<Index>> tasks;
  for (const Index task : flow.order) {
    Index & part = part_of[parts.of(task)];
    if (part == kNone) {
      part = tasks.size();
      tasks.emplace_back();
    }
    tasks[part].push_back(task);
  }
  std::vector<JobGraph> graphs;
  for (const std::vector<Index> & of : tasks) {
    graphs.push_back(JobGraphBuilder(model, flow, of).build());
  }
  return graphs;
}

}  // namespace takt_plan::detail
