// Merges threads: judges the cost of each merger, and decides when to stop.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "planners/context_switches.hpp"
#include "planners/judging.hpp"
#include "planners/planners.hpp"
#include "planners/score.hpp"
#include "planners/waits.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

// If a core has more threads, `Merging` takes the first acceptable merger instead of the best one.
constexpr Index kMany = 24;
// Limit of the cost of judging, in the unit of Score::cost: some seconds.
constexpr double kMostCost = 2e8;
// If a chain has less slack than mergers should keep, all mergers together may still take this
// share of its deadline: so little slack does not justify more threads.
constexpr double kNegligible = 1e-3;
// The most important chains may become longer by this factor. They may become longer still if they
// stay short (kShort).
constexpr double kLongest = 1.02;
// Slacks whose difference is smaller count as equal.
constexpr double kMergeNoise = 1e-9;
constexpr Index kMostThreads = takt_core::Scheduler::kMaxThreads;

/// Moves the tasks of the block at `lower` into the block at `upper`, below the tasks there.
std::vector<Block> merged(std::vector<Block> blocks, Index upper, Index lower)
{
  std::vector<Index> & tasks = blocks[upper].tasks;
  tasks.insert(tasks.end(), blocks[lower].tasks.begin(), blocks[lower].tasks.end());
  blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(lower));
  return blocks;
}

/// The slack that a chain with slack `slack` must keep.
double floor_of(double keep, double slack)
{
  return (slack > keep ? keep : slack - kNegligible) - kMergeNoise;
}

struct Step
{
  Merger merger;
  std::vector<Block> blocks;  ///< the core's blocks after the merger
  Index rescued = 0;          ///< late chains that meet their deadlines after the merger
  /// The smallest slack on the core, and on cores that share messages with it.
  double slack = 0;
  double saved = 0;  ///< context switches per second

  /// Compares by the rescued chains; if equal, by the slack; if equal, by the saved switches.
  bool better_than(const Step & other) const
  {
    return std::tie(rescued, slack, saved) > std::tie(other.rescued, other.slack, other.saved);
  }
};

class Merging
{
public:
  Merging(
    const PlanProblem & problem, double keep_slack, Layout layout, const std::set<Merger> & refused)
  : problem_(problem),
    keep_slack_(keep_slack),
    never_(refused),
    layout_(std::move(layout)),
    judging_(problem),
    start_(judging_.judged(layout_, {})),
    start_cost_(judging_.spent()),
    floors_(problem.model.chains.size(), -std::numeric_limits<double>::infinity()),
    slacks_(problem.model.chains.size())
  {
    for (const auto & [chain, slack] : start_.slacks) {
      floors_[chain] = floor_of(keep_slack, slack);
    }
    keep_short();
    note(start_);
  }

  double spent() const noexcept { return judging_.spent() - start_cost_; }

  /// `steps`, if not null, gets the mergers up to the chosen layout.
  std::vector<TradePoint> run(Layout & chosen, std::vector<MergerStep> * steps)
  {
    double switches = 0;
    for (Index core = 0; core < layout_.cores(); ++core) {
      switches += context_switches(problem_, layout_.on(core));
    }
    std::vector<TradePoint> trade{{layout_.threads(), least_met(), switches}};
    go_on(trade, steps);
    chosen = layout_;
    // Continue until each further merger would miss a deadline, to show the whole trade.
    keep_slack_ = -std::numeric_limits<double>::infinity();
    std::fill(floors_.begin(), floors_.end(), keep_slack_);
    refused_.clear();
    go_on(trade, nullptr);
    return trade;
  }

private:
  void go_on(std::vector<TradePoint> & trade, std::vector<MergerStep> * steps)
  {
    std::vector<std::optional<Step>> next(layout_.cores());
    for (Index core = 0; core < next.size(); ++core) {
      next[core] = best_on(core);
    }
    while (true) {
      const auto best = std::max_element(
        next.begin(), next.end(),
        [](const auto & a, const auto & b) { return b && (!a || b->better_than(*a)); });
      if (best == next.end() || !*best || tired()) {
        return;
      }
      const auto core = static_cast<Index>(best - next.begin());
      const double saved = (*best)->saved;
      const Merger merger = (*best)->merger;
      const std::vector<Block> before = layout_.on(core);
      layout_.set(core, std::move((*best)->blocks));
      const Score found = judged(core);
      // Check again: a merger on another core may have changed the bounds here.
      if (acceptable(found)) {
        note(found);
        keep_rescued(found);
        trade.push_back({layout_.threads(), least_met(), trade.back().switches - saved});
        if (steps != nullptr) {
          steps->push_back({merger, layout_});
        }
      } else {
        layout_.set(core, before);
      }
      next[core] = best_on(core);
    }
  }

  bool tired() const { return spent() > kMostCost || problem_.time_is_up(); }

  // Limits how much longer the most important chains may become. Has no effect if all chains are
  // equally important.
  void keep_short()
  {
    for (const auto & [chain, slack] : most_important(problem_, start_)) {
      const double enough = kShort * static_cast<double>(least_response(problem_, chain)) /
                            static_cast<double>(problem_.model.chains[chain].deadline);
      floors_[chain] =
        std::max(floors_[chain], 1 - std::max((1 - slack) * kLongest, enough) - kMergeNoise);
    }
  }

  Score judged(Index core)
  {
    return judging_.judged(layout_, {core}, [&](const Score & found) { return acceptable(found); });
  }

  void note(const Score & found)
  {
    for (const auto & [chain, slack] : found.slacks) {
      slacks_[chain] = slack;
    }
  }

  // The smallest slack of the chains that meet their deadlines.
  std::optional<double> least_met() const
  {
    std::optional<double> least;
    for (Index chain = 0; chain < slacks_.size(); ++chain) {
      const bool met =
        slacks_[chain] && !std::binary_search(start_.missed.begin(), start_.missed.end(), chain);
      if (met) {
        least = std::min(least.value_or(*slacks_[chain]), *slacks_[chain]);
      }
    }
    return least;
  }

  bool acceptable(const Score & found) const
  {
    return found.no_worse_than(start_) &&
           (rescued(found) > 0 ||
            std::all_of(found.slacks.begin(), found.slacks.end(), [&](const auto & one) {
              return one.second >= floors_[one.first];
            }));
  }

  bool rescued(const Score & found, Index chain) const
  {
    return std::binary_search(start_.missed.begin(), start_.missed.end(), chain) &&
           !std::binary_search(found.missed.begin(), found.missed.end(), chain);
  }

  Index rescued(const Score & found) const
  {
    return static_cast<Index>(std::count_if(
      found.slacks.begin(), found.slacks.end(),
      [&](const auto & one) { return rescued(found, one.first); }));
  }

  // A met deadline is worth more than slack that other chains should keep. From now on the rescued
  // chains must keep slack, too.
  void keep_rescued(const Score & found)
  {
    if (rescued(found) == 0) {
      return;
    }
    for (const auto & [chain, slack] : found.slacks) {
      floors_[chain] = rescued(found, chain) ? floor_of(keep_slack_, slack)
                                             : std::min(floors_[chain], slack - kMergeNoise);
    }
    const std::vector<Index> before = std::exchange(start_.missed, {});
    for (const Index chain : before) {
      const bool judged = std::any_of(
        found.slacks.begin(), found.slacks.end(),
        [&](const auto & one) { return one.first == chain; });
      if (!judged || std::binary_search(found.missed.begin(), found.missed.end(), chain)) {
        start_.missed.push_back(chain);
      }
    }
    refused_.clear();
  }

  // The best merger on a core. Nothing if each merger would take slack that a chain must keep.
  std::optional<Step> best_on(Index core)
  {
    const std::vector<Block> blocks = layout_.on(core);
    std::optional<Step> best =
      blocks.size() > kMany ? first_of(blocks, core) : best_of(mergers(blocks), core);
    layout_.set(core, blocks);
    return best;
  }

  /// A merger of two blocks. Until it is judged, `step` holds the best values that it may have.
  struct Possible
  {
    Step step;
    bool judged = false;
  };

  // The block that may merge with the block at `upper`; kNone: no such merger is worth trying.
  Index partner(const std::vector<Block> & blocks, Index upper) const
  {
    const Index lower = next_of_executor(blocks, upper);
    return lower == kNone || !worth_trying(blocks, upper, lower) ||
               !may_share(problem_, blocks[upper].tasks, blocks[lower].tasks)
             ? kNone
             : lower;
  }

  Possible merger_of(
    const std::vector<Block> & blocks, Index upper, Index lower, double switches) const
  {
    Possible merger;
    merger.step.merger = {blocks[upper].tasks.front(), blocks[lower].tasks.front()};
    merger.step.blocks = merged(blocks, upper, lower);
    merger.step.rescued = start_.missed.size();
    merger.step.slack = std::numeric_limits<double>::infinity();
    merger.step.saved = switches - context_switches(problem_, merger.step.blocks);
    // A slack that was found earlier can only have become smaller since, as in `take`. If chains
    // are late, this does not hold: another merger may rescue a chain, and so raise the smallest
    // slack.
    if (const auto known = slack_of_.find(merger.step.merger);
        known != slack_of_.end() && start_.missed.empty()) {
      merger.step.slack = known->second;
    }
    return merger;
  }

  // The mergers that are worth trying, the least urgent first.
  std::vector<Possible> mergers(const std::vector<Block> & blocks) const
  {
    std::vector<Possible> found;
    const double switches = context_switches(problem_, blocks);
    for (Index upper = blocks.size(); upper-- > 0;) {
      if (const Index lower = partner(blocks, upper); lower != kNone) {
        found.push_back(merger_of(blocks, upper, lower, switches));
      }
    }
    return found;
  }

  // Judges the merger; false if it is not acceptable.
  bool take(Possible & merger, Index core)
  {
    layout_.set(core, merger.step.blocks);
    const Score found = judged(core);
    if (!acceptable(found)) {
      // Do not try this merger again: later it could only be worse, because tasks only move down or
      // wait for more.
      refused_.insert(merger.step.merger);
      return false;
    }
    merger.step.rescued = rescued(found);
    merger.step.slack = slack_of_[merger.step.merger] = found.slack;
    merger.judged = true;
    return true;
  }

  // The first acceptable merger, from the least urgent one on.
  std::optional<Step> first_of(const std::vector<Block> & blocks, Index core)
  {
    const double switches = context_switches(problem_, blocks);
    for (Index upper = blocks.size(); upper-- > 0 && !tired();) {
      if (const Index lower = partner(blocks, upper); lower != kNone) {
        Possible merger = merger_of(blocks, upper, lower, switches);
        if (take(merger, core)) {
          return std::move(merger.step);
        }
      }
    }
    return std::nullopt;
  }

  // The best acceptable merger. Does not judge a merger that cannot be better than a judged one.
  std::optional<Step> best_of(std::vector<Possible> open, Index core)
  {
    while (!open.empty() && !tired()) {
      const auto best = std::max_element(
        open.begin(), open.end(),
        [](const Possible & a, const Possible & b) { return b.step.better_than(a.step); });
      if (best->judged) {
        return std::move(best->step);
      }
      if (!take(*best, core)) {
        open.erase(best);
      }
    }
    return std::nullopt;
  }

  static Index next_of_executor(const std::vector<Block> & blocks, Index upper)
  {
    for (Index lower = upper + 1; lower < blocks.size(); ++lower) {
      if (blocks[lower].executor == blocks[upper].executor) {
        return lower;
      }
    }
    return kNone;
  }

  bool worth_trying(const std::vector<Block> & blocks, Index upper, Index lower) const
  {
    const Merger merger{blocks[upper].tasks.front(), blocks[lower].tasks.front()};
    return refused_.count(merger) == 0 && never_.count(merger) == 0;
  }

  const PlanProblem & problem_;
  double keep_slack_;
  const std::set<Merger> & never_;
  Layout layout_;
  Judging judging_;
  Score start_;  // the score at the start, with the chains that mergers rescued
  const double start_cost_;
  std::vector<double> floors_;                 // per chain: the slack that must remain
  std::vector<std::optional<double>> slacks_;  // current, per chain with a deadline
  // The slack after a judged merger, by the first tasks of its two blocks.
  std::map<Merger, double> slack_of_;
  std::set<Merger> refused_;  // must not be tried again
};

/// The number of threads of each executor.
std::vector<Index> counts(const PlanProblem & problem, const Layout & layout)
{
  std::vector<Index> result(problem.model.executors.size(), 0);
  for (Index core = 0; core < layout.cores(); ++core) {
    for (const Block & block : layout.on(core)) {
      ++result[block.executor];
    }
  }
  return result;
}

/// The place of an executor's block.
struct Standing
{
  Index core = kNone;
  Index place = 0;
  double load = 0;
};

/// First: the block of the executor with the least load, among those that may move to another core
/// with a block of this executor. Second: that other block; if there are several, the one on the
/// core with most room. Nothing if no block may move.
std::optional<std::pair<Standing, Standing>> movable(
  const PlanProblem & problem, const Layout & layout, Index executor)
{
  std::vector<Standing> blocks;
  for (Index core = 0; core < layout.cores(); ++core) {
    for (Index place = 0; place < layout.on(core).size(); ++place) {
      const Block & block = layout.on(core)[place];
      if (block.executor == executor) {
        blocks.push_back({core, place, 0});
        for (const Index task : block.tasks) {
          blocks.back().load += problem.utilization(task);
        }
      }
    }
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const Standing & a, const Standing & b) {
    return a.load < b.load;
  });
  for (const Standing & from : blocks) {
    std::optional<Standing> best;
    for (const Standing & to : blocks) {
      const auto & tasks = layout.on(from.core)[from.place].tasks;
      const bool allowed = to.core != from.core &&
                           may_share(problem, tasks, layout.on(to.core)[to.place].tasks) &&
                           std::all_of(tasks.begin(), tasks.end(), [&](Index task) {
                             const auto & cores = problem.units[problem.unit_of[task]].cores;
                             return std::binary_search(cores.begin(), cores.end(), to.core);
                           });
      const auto room = [&](Index core) { return problem.room[core] - layout.load(core); };
      if (allowed && (!best || room(to.core) > room(best->core))) {
        best = to;
      }
    }
    if (best) {
      return std::pair(from, *best);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<TradePoint> merge_threads(
  const PlanProblem & problem, double keep_slack, Layout & layout, double & cost,
  const std::set<Merger> & refused, std::vector<MergerStep> * steps)
{
  Merging merging(problem, keep_slack, layout, refused);
  std::vector<TradePoint> trade = merging.run(layout, steps);
  cost += merging.spent();
  return trade;
}

takt_rt::Faults too_many_threads(const PlanProblem & problem, const Assignment & assignment)
{
  takt_rt::Faults faults;
  std::vector<Index> count(problem.model.executors.size(), 0);
  for (const AssignedThread & thread : assignment.threads) {
    ++count[thread.executor];
  }
  for (Index executor = 0; executor < count.size(); ++executor) {
    if (count[executor] > kMostThreads) {
      faults.push_back(
        "executor " + takt_schedule::quoted(problem.model.executors[executor]) + " would need " +
        std::to_string(count[executor]) + " threads, but may have at most " +
        std::to_string(kMostThreads) + "; spread its callbacks over several executors");
    }
  }
  return faults;
}

void merge_beyond_limit(const PlanProblem & problem, Layout & layout)
{
  std::vector<Index> count = counts(problem, layout);
  for (Index core = 0; core < layout.cores(); ++core) {
    std::vector<Block> blocks = layout.on(core);
    // Begin with the least urgent block.
    for (Index lower = blocks.size(); lower-- > 1;) {
      const Index executor = blocks[lower].executor;
      for (Index upper = lower; upper-- > 0 && count[executor] > kMostThreads;) {
        if (
          blocks[upper].executor == executor &&
          may_share(problem, blocks[upper].tasks, blocks[lower].tasks)) {
          blocks = merged(std::move(blocks), upper, lower);
          --count[executor];
          break;
        }
      }
    }
    layout.set(core, std::move(blocks));
  }
  for (Index executor = 0; executor < count.size(); ++executor) {
    for (; count[executor] > kMostThreads; --count[executor]) {
      const auto move = movable(problem, layout, executor);
      if (!move) {
        break;
      }
      const auto & [from, to] = *move;
      std::vector<Block> left = layout.on(from.core);
      std::vector<Block> joined = layout.on(to.core);
      const std::vector<Index> & tasks = left[from.place].tasks;
      joined[to.place].tasks.insert(joined[to.place].tasks.end(), tasks.begin(), tasks.end());
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(from.place));
      layout.set(from.core, std::move(left));
      layout.set(to.core, std::move(joined));
    }
  }
}

}  // namespace takt_plan::detail
