#include "planners/score.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "analysis/counted_bounds.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "model/flow.hpp"
#include "takt_plan/assignment.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr double kNoBound = -1e9;
constexpr Ns kMostDeadlines = 2;  // job windows stop at bounds of this many deadlines
// Slacks whose difference is smaller count as equal.
constexpr double kScoreNoise = 1e-9;
// The analysis takes this many times longer to find that there is no bound than to find a bound.
constexpr double kOverload = 20;
// Number of evaluated terms per unit of cost. On a nearly full core the analysis evaluates more
// terms than the number of tasks suggests.
constexpr double kLooksPerCost = 8;

/// The placed part of the model on the cores that matter.
class Part
{
public:
  Part(const PlanProblem & problem, const Layout & layout, const std::vector<Index> & touched)
  : problem_(problem),
    layout_(layout),
    core_here_(problem.model.cores.size(), kNone)
  {
    for (const Index core : touched) {
      reach(core);
    }
    for (Index core = 0; touched.empty() && core < layout.cores(); ++core) {
      reach(core);
    }
    add_tasks();
    add_threads();
    add_chains();
  }

  /// `most`: see score_by_phases; null: only the limit of the problem.
  Score judge(const std::vector<Ns> * most = nullptr) const;
  Score judge_without_phases() const;
  KnownPhases known_phases() const;
  UnknownPhases why_unknown() const;

private:
  static BoundsOptions of_search();
  BoundsOptions by_phases() const;
  Score scored(const takt_rt::Result<Bounds> & found, double looks) const;

  // Adds the core `first`, and all cores that links between tasks reach from it, directly or
  // through others. Links are starts, and values that tasks exchange on a chain.
  void reach(Index first)
  {
    std::vector<Index> open{first};
    while (!open.empty()) {
      const Index core = open.back();
      open.pop_back();
      if (core == kNone || core_here_[core] != kNone) {
        continue;
      }
      core_here_[core] = model_.cores.size();
      model_.cores.push_back(problem_.model.cores[core]);
      cores_.push_back(core);
      for (const Block & block : layout_.on(core)) {
        for (const Index task : block.tasks) {
          tasks_.push_back(task);
          for (const Link & link : problem_.model.tasks[task].triggers) {
            open.push_back(layout_.core_of(link.from));
          }
          for (const auto * others : {&problem_.next[task], &problem_.beside_by_reading[task]}) {
            for (const Index other : *others) {
              open.push_back(layout_.core_of(other));
            }
          }
        }
      }
    }
  }

  void add_tasks()
  {
    std::sort(tasks_.begin(), tasks_.end(), [&](Index a, Index b) {
      return problem_.position[a] < problem_.position[b];
    });
    std::vector<Index> there;
    for (const Index index : tasks_) {
      Task task = problem_.model.tasks[index];
      keep_here(task.triggers);
      if (task.triggers.empty() && !task.release) {
        continue;  // the task that starts it is not placed yet
      }
      if (layout_.offset(index)) {
        task.release->offset = layout_.offset(index);
      }
      here_[index] = model_.tasks.size();
      model_.tasks.push_back(std::move(task));
      there.push_back(index);
    }
    tasks_ = std::move(there);
    for (Task & task : model_.tasks) {
      std::erase_if(task.waits_for, [&](Index other) { return here_.count(other) == 0; });
      for (Index & other : task.waits_for) {
        other = here_.at(other);
      }
      keep_here(task.reads);  // also links to later tasks: reading implies no order
    }
  }

  void keep_here(std::vector<Link> & links) const
  {
    std::erase_if(links, [&](const Link & link) { return here_.count(link.from) == 0; });
    for (Link & link : links) {
      link.from = here_.at(link.from);
    }
  }

  void add_threads()
  {
    model_.hosts = problem_.model.hosts;
    model_.executors = problem_.model.executors;
    model_.epochs = problem_.model.epochs;
    model_.groups = problem_.model.groups;
    for (OtherLoad other : problem_.model.others) {
      std::erase_if(other.cores, [&](Index core) { return core_here_[core] == kNone; });
      for (Index & core : other.cores) {
        core = core_here_[core];
      }
      if (!other.cores.empty()) {
        model_.others.push_back(std::move(other));
      }
    }
    Assignment assignment;
    for (const Index core : cores_) {
      for (Index place = 0; place < layout_.on(core).size(); ++place) {
        AssignedThread thread;
        thread.executor = layout_.on(core)[place].executor;
        thread.core = core_here_[core];
        thread.priority = layout_.priority(core, place);
        for (const Index task : layout_.on(core)[place].tasks) {
          if (const auto found = here_.find(task); found != here_.end()) {
            thread.tasks.push_back(found->second);
          }
        }
        assignment.threads.push_back(std::move(thread));
      }
    }
    assign(assignment, ceilings(), model_);
  }

  // The ceilings of the executors. A ceiling depends on all threads of its executor, on any core.
  std::vector<int> ceilings() const
  {
    Assignment all;
    for (Index core = 0; core < layout_.cores(); ++core) {
      for (Index place = 0; place < layout_.on(core).size(); ++place) {
        all.threads.push_back(
          {layout_.on(core)[place].executor, core, layout_.priority(core, place), {}});
      }
    }
    return ceilings_of(all, problem_.model.executors.size());
  }

  void add_chains()
  {
    for (const Index index : problem_.chains) {
      const Chain & whole = problem_.model.chains[index];
      const auto gone = [&](Index task) { return here_.count(task) == 0; };
      if (std::any_of(whole.path.begin(), whole.path.end(), gone)) {
        continue;
      }
      Chain chain = whole;
      for (Index & task : chain.path) {
        task = here_.at(task);
      }
      for (Chain::Alias & alias : chain.aliases) {
        alias.task = here_.at(alias.task);
      }
      chains_.push_back(index);
      model_.chains.push_back(std::move(chain));
    }
  }

  const PlanProblem & problem_;
  const Layout & layout_;
  std::vector<Index> core_here_;           // per core of the problem: the core of the part
  std::unordered_map<Index, Index> here_;  // from tasks of the problem to tasks of the part
  Model model_;
  std::vector<Index> cores_;   // of the problem
  std::vector<Index> tasks_;   // of the problem
  std::vector<Index> chains_;  // of the problem, most important first
};

// The bounds of ways over several cores take half as much time again, and led to no better plan of
// the shipped models.
BoundsOptions Part::of_search()
{
  BoundsOptions options;
  options.jobs.ways = options.jobs.courses = options.priority.ways = false;
  return options;
}

// Some windows would grow without end. The limit stops them at a size that misses all deadlines, so
// that the search goes on.
BoundsOptions Part::by_phases() const
{
  BoundsOptions options = of_search();
  options.jobs_only = true;
  for (const Chain & chain : problem_.model.chains) {
    options.horizon = std::max(options.horizon, chain.deadline == kUnbounded ? 0 : chain.deadline);
  }
  for (const Task & task : problem_.model.tasks) {
    options.horizon = std::max(options.horizon, task.release ? task.release->period : 0);
  }
  options.horizon = multiply(options.horizon, kMostDeadlines);
  return options;
}

Score Part::judge(const std::vector<Ns> * most) const
{
  double looks = 0;
  BoundsOptions options = by_phases();
  for (const Index chain : chains_) {
    options.give_up_above.push_back(most != nullptr ? (*most)[chain] : kUnbounded);
  }
  const auto found = problem_.by_phases || most != nullptr
                       ? counted_bounds_through_reads(model_, looks, kMostLooksByPhases, options)
                       : counted_bounds_through_reads(model_, looks, kMostLooksAtOnce, of_search());
  return scored(found, looks);
}

Score Part::judge_without_phases() const
{
  double looks = 0;
  BoundsOptions options = of_search();
  options.jobs.windows = false;
  const auto found = counted_bounds_through_reads(model_, looks, kMostLooksAtOnce, options);
  return scored(found, looks);
}

Score Part::scored(const takt_rt::Result<Bounds> & found, double looks) const
{
  Score result;
  const auto tasks = static_cast<double>(tasks_.size());
  result.cost = tasks * (tasks / static_cast<double>(std::max<Index>(cores_.size(), 1)) + 1);
  for (Index i = 0; i < chains_.size(); ++i) {
    const Chain & chain = model_.chains[i];
    if (chain.deadline == kUnbounded) {
      continue;
    }
    const bool met = found && meets_deadline(chain, found->chains[i]);
    result.met.push_back(met);
    if (!met) {
      result.missed.push_back(chains_[i]);
    }
    const double slack =
      found && found->chains[i]
        ? 1 - static_cast<double>(found->chains[i]->bound) / static_cast<double>(chain.deadline)
        : kNoBound;
    result.slacks.emplace_back(chains_[i], slack);
    result.slack = std::min(result.slack, slack);
  }
  std::vector<char> bounded(tasks_.size(), 0);  // per task: on the path of a chain with a bound
  for (Index i = 0; found && i < chains_.size(); ++i) {
    for (const Index task : model_.chains[i].path) {
      bounded[task] = bounded[task] || found->chains[i].ok();
    }
  }
  for (Index i = 0; i < tasks_.size(); ++i) {
    if (!bounded[i] && (!found || !found->tasks[i])) {
      result.unbounded.push_back(tasks_[i]);
    }
  }
  for (Index i = 0; found && i < tasks_.size(); ++i) {
    const Task & task = model_.tasks[i];
    result.late_timers += task.timer && found->tasks[i] &&
                              *found->tasks[i] > task.release->period + task.release->jitter
                            ? 1
                            : 0;
  }
  if (!result.unbounded.empty()) {
    result.cost *= kOverload;
  }
  result.cost = std::max(result.cost, looks / kLooksPerCost);
  result.short_histories = found ? found->short_histories : 0;
  std::sort(result.missed.begin(), result.missed.end());
  std::sort(result.unbounded.begin(), result.unbounded.end());
  return result;
}

KnownPhases Part::known_phases() const
{
  if (!check(model_)) {
    return KnownPhases::none;
  }
  const Flow flow(model_);
  const std::vector<JobGraph> graphs = job_graphs(model_, flow);
  const auto has_windows = [&](const Chain & chain, bool all) {
    const auto & streams = flow.streams.of(chain.path.front());
    return !streams.empty() && std::any_of(graphs.begin(), graphs.end(), [&](const auto & graph) {
      return graph.refusal.empty() && graph.node_of_stream[streams.front()] != kNone &&
             (!all ||
              std::none_of(graph.nodes.begin(), graph.nodes.end(), [](const JobNode & node) {
                return node.unphased;  // its windows are too wide for a search by windows alone
              }));
    });
  };
  const auto & chains = model_.chains;
  if (std::all_of(chains.begin(), chains.end(), [&](const Chain & chain) {
        return has_windows(chain, true);
      })) {
    return KnownPhases::all;
  }
  const bool some = std::any_of(
    chains.begin(), chains.end(), [&](const Chain & chain) { return has_windows(chain, false); });
  return some ? KnownPhases::some : KnownPhases::none;
}

UnknownPhases Part::why_unknown() const
{
  if (!check(model_)) {
    return {};
  }
  for (const JobGraph & graph : job_graphs(model_, Flow(model_))) {
    if (!graph.refusal.empty()) {
      return {graph.refusal, graph.too_long};
    }
  }
  return {};
}

bool all_in(const std::vector<Index> & some, const std::vector<Index> & all)
{
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

bool Score::no_worse_than(const Score & other) const
{
  return all_in(missed, other.missed) && all_in(unbounded, other.unbounded);
}

bool Score::better_than(const Score & other) const
{
  if (met != other.met) {
    return std::lexicographical_compare(other.met.begin(), other.met.end(), met.begin(), met.end());
  }
  for (Index i = 0; i < slacks.size(); ++i) {
    const bool bounded = slacks[i].second > kNoBound;
    if (bounded != (other.slacks[i].second > kNoBound)) {
      return bounded;
    }
  }
  if (unbounded.size() != other.unbounded.size()) {
    return unbounded.size() < other.unbounded.size();
  }
  if (crowded != other.crowded) {
    return crowded < other.crowded;
  }
  for (Index i = 0; i < slacks.size(); ++i) {
    const double more = slacks[i].second - other.slacks[i].second;
    if (!met[i] && std::abs(more) > kScoreNoise) {
      return more > 0;
    }
  }
  if (late_timers != other.late_timers) {
    return late_timers < other.late_timers;
  }
  return slack > other.slack + kScoreNoise;
}

void Score::add_missing(const Score & more)
{
  const auto join = [](std::vector<Index> & to, const std::vector<Index> & from) {
    to.insert(to.end(), from.begin(), from.end());
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  join(missed, more.missed);
  join(unbounded, more.unbounded);
}

namespace
{

/// The load of all cores as a share of their room.
double even_share(const PlanProblem & problem, const Layout & layout)
{
  double all = 0;
  double room = 0;
  for (Index core = 0; core < layout.cores(); ++core) {
    all += layout.load(core);
    room += std::max(problem.room[core], 0.0);
  }
  return room > 0 ? all / room : 0;
}

double calm_load(double room, double even)
{
  return std::max(room - kCalm, even * room + kCalm / 3);
}

void add_loads(const PlanProblem & problem, const Layout & layout, Score & score)
{
  const double even = even_share(problem, layout);
  for (Index core = 0; core < layout.cores(); ++core) {
    score.crowded += layout.crowded(core) ? 1 : 0;
    score.tight = std::max(score.tight, layout.load(core) - calm_load(problem.room[core], even));
  }
}

}  // namespace

double calm_load(const PlanProblem & problem, const Layout & layout, Index core)
{
  return calm_load(problem.room[core], even_share(problem, layout));
}

Score score(const PlanProblem & problem, const Layout & layout, const std::vector<Index> & touched)
{
  Score result = Part(problem, layout, touched).judge();
  add_loads(problem, layout, result);
  return result;
}

Score score_without_phases(
  const PlanProblem & problem, const Layout & layout, const std::vector<Index> & touched)
{
  Score result = Part(problem, layout, touched).judge_without_phases();
  add_loads(problem, layout, result);
  return result;
}

Score score_by_phases(
  const PlanProblem & problem, const Layout & layout, const std::vector<Ns> & most)
{
  Score result = Part(problem, layout, {}).judge(&most);
  add_loads(problem, layout, result);
  return result;
}

std::vector<std::pair<Index, double>> most_important(
  const PlanProblem & problem, const Score & score)
{
  if (!problem.keeps_short) {
    return {};
  }
  const auto & chains = problem.model.chains;
  const auto less = std::find_if(score.slacks.begin(), score.slacks.end(), [&](const auto & one) {
    return chains[one.first].priority < chains[score.slacks.front().first].priority;
  });
  return less == score.slacks.end() ? std::vector<std::pair<Index, double>>{}
                                    : std::vector(score.slacks.begin(), less);
}

Ns least_response(const PlanProblem & problem, Index chain)
{
  const std::vector<Index> & path = problem.model.chains[chain].path;
  const auto & release = problem.model.tasks[path.front()].release;
  Ns least = release ? add(release->jitter, 1) : 1;
  for (const Index task : path) {
    least = add(least, problem.model.tasks[task].cost());
  }
  return least;
}

double stretch(const PlanProblem & problem, const Score & score)
{
  double longest = 1;
  for (const auto & [index, slack] : most_important(problem, score)) {
    longest = std::max(
      longest, (1 - slack) * static_cast<double>(problem.model.chains[index].deadline) /
                 static_cast<double>(least_response(problem, index)));
  }
  return longest;
}

KnownPhases known_phases(const PlanProblem & problem, const Layout & layout)
{
  return Part(problem, layout, {}).known_phases();
}

UnknownPhases why_phases_are_unknown(const PlanProblem & problem, const Layout & layout)
{
  return Part(problem, layout, {}).why_unknown();
}

}  // namespace takt_plan::detail
