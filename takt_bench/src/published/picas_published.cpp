#include "published/picas_published.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "published/fixed_point.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

using takt_rt::Faults;
using takt_rt::Result;

class Picas
{
public:
  explicit Picas(const Model & model) : model_(model), chain_(model.tasks.size(), kNone) {}

  Faults refuse()
  {
    Faults faults = check(model_).faults();
    if (!faults.empty()) {
      return faults;
    }
    const auto fault = [&](const Task & task, const std::string & what) {
      faults.push_back(
        takt_schedule::quoted(task.id) + " " + what +
        ", which the published analysis does not know");
    };
    for (Index c = 0; c < model_.chains.size(); ++c) {
      const std::vector<Index> & path = model_.chains[c].path;
      for (Index i = 0; i < path.size(); ++i) {
        const Task & task = model_.tasks[path[i]];
        if (chain_[path[i]] != kNone) {
          fault(task, "is in two chains");
        }
        chain_[path[i]] = c;
        if (task.release.has_value() != (i == 0) || task.triggers.size() > (i == 0 ? 0U : 1U)) {
          fault(task, "is not started by a timer alone or by the task before it alone");
        } else if (i > 0 && (task.triggers[0].delay != 0 || task.triggers[0].from != path[i - 1])) {
          fault(task, "gets its message late or from elsewhere");
        }
      }
    }
    for (Index i = 0; i < model_.tasks.size(); ++i) {
      const Task & task = model_.tasks[i];
      const Thread & thread = model_.threads[task.threads.front()];
      if (chain_[i] == kNone) {
        fault(task, "is in no chain");
      }
      if (
        task.threads.size() != 1 || thread.kind != ThreadClass::fixed_priority || thread.follow ||
        thread.cores.size() != 1 || thread.order != takt_core::Order::priority) {
        fault(task, "is not on one pinned thread of fixed priority with order priority");
      }
      if (task.group != kNone && model_.groups[task.group].exclusive) {
        fault(task, "is in an exclusive group");
      }
    }
    if (!model_.others.empty()) {
      faults.push_back("the published analysis does not know threads beside the executors'");
    }
    return faults;
  }

  std::vector<PicasChain> solve() const
  {
    std::vector<PicasChain> result;
    for (Index c = 0; c < model_.chains.size(); ++c) {
      PicasChain chain;
      std::map<Index, std::vector<Index>> segments;
      for (const Index task : model_.chains[c].path) {
        segments[core(task)].push_back(task);
      }
      for (const auto & [at, tasks] : segments) {
        chain.segments.push_back(segment(c, tasks));
        chain.sum = add(chain.sum, chain.segments.back());
      }
      chain.bound = chain.sum > period(c) ? add(chain.sum, period(c)) : chain.sum;
      result.push_back(std::move(chain));
    }
    return result;
  }

private:
  struct Term
  {
    Ns cost;
    Ns period;  ///< 0: the task runs once
  };

  const Thread & thread(Index task) const
  {
    return model_.threads[model_.tasks[task].threads.front()];
  }
  Index core(Index task) const { return thread(task).cores.front(); }
  int priority(Index task) const { return model_.tasks[task].priority; }
  Index root(Index chain) const { return model_.chains[chain].path.front(); }
  Ns period(Index chain) const { return model_.tasks[root(chain)].release->period; }

  bool on_one_core(Index chain) const
  {
    const std::vector<Index> & path = model_.chains[chain].path;
    return std::all_of(
      path.begin(), path.end(), [&](Index task) { return core(task) == core(path.front()); });
  }

  Ns whole_time(Index chain) const
  {
    Ns sum = 0;
    for (const Index task : model_.chains[chain].path) {
      sum = add(sum, model_.tasks[task].cost());
    }
    return sum;
  }

  Ns segment(Index chain, const std::vector<Index> & tasks) const
  {
    const Index i = *std::min_element(
      tasks.begin(), tasks.end(), [&](Index a, Index b) { return priority(a) < priority(b); });
    Ns fixed = 0;
    for (const Index task : tasks) {
      fixed = add(fixed, model_.tasks[task].cost());
    }
    Ns blocking = 0;
    std::vector<Term> terms;
    for (Index j = 0; j < model_.tasks.size(); ++j) {
      if (core(j) != core(i) || j == i) {
        continue;
      }
      const bool same_thread = model_.tasks[j].threads == model_.tasks[i].threads;
      if (same_thread && chain_[j] != chain && priority(j) < priority(i)) {
        blocking = std::max(blocking, model_.tasks[j].cost());
      }
      const int above = thread(j).priority - thread(i).priority;
      const bool interferes = above > 0 || (above == 0 && priority(j) > priority(i));
      if (interferes && (chain_[j] != chain || !on_one_core(chain))) {
        terms.push_back({model_.tasks[j].cost(), distance(j, i)});
      }
    }
    fixed = add(fixed, blocking);
    return fixed_point(fixed, multiply(100, period(chain)), [&](Ns length) {
      Ns next = fixed;
      for (const Term & term : terms) {
        const Ns count = term.period == 0 ? 1 : arrivals(length, term.period, 0);
        next = add(next, multiply(count, term.cost));
      }
      return next;
    });
  }

  /// The least distance of two runs of j while i is pending; 0: there is only one run.
  Ns distance(Index j, Index i) const
  {
    const Index chain = chain_[j];
    if (core(root(chain)) == core(i) && priority(root(chain)) < priority(i)) {
      return 0;
    }
    return on_one_core(chain) ? std::max(period(chain), whole_time(chain)) : period(chain);
  }

  const Model & model_;
  std::vector<Index> chain_;  // of each task
};

}  // namespace

Result<std::vector<PicasChain>> picas_published(const Model & model)
{
  Picas picas(model);
  if (Faults faults = picas.refuse(); !faults.empty()) {
    return faults;
  }
  return picas.solve();
}

}  // namespace takt_bench
