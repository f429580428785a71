#include "planners/takt/fewer_switches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "planners/context_switches.hpp"
#include "planners/waits.hpp"

namespace takt_plan::detail
{
namespace
{

// Limit of the cost of judging, in the unit of Score::cost: about a second.
constexpr double kMostForMoves = 1e7;
// `may_stay` refuses at most so many moves: it may take a simulation each time.
constexpr Index kMostRefusedByCaller = 40;
// A move must save more switches per second than this.
constexpr double kLeastSaved = 1e-6;
// Slacks whose difference is smaller count as equal.
constexpr double kFloorNoise = 1e-9;
// All moves together may load a core above its calm load by so much of the core. The saved switches
// take CPU time, too, and no load counts it.
constexpr double kMoreThanCalm = kCalm / 10;
// So many exchanges are looked at for one move: milliseconds.
constexpr Index kMostExchanges = 2'000;

bool contains(const std::vector<Index> & tasks, Index task)
{
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

/// The block of the task, in the same vector as `blocks`.
template <class Blocks>
auto block_of(Index task, Blocks & blocks)
{
  return std::find_if(
    blocks.begin(), blocks.end(), [&](const Block & block) { return contains(block.tasks, task); });
}

/// A unit moves into the block of another task.
struct Step
{
  Index unit = kNone;
  Index beside = kNone;  // a task of the block
  Index from = kNone;    // cores
  Index to = kNone;
};

/// One step, or an exchange: two steps that keep the load of two cores even.
struct Move
{
  std::vector<Step> steps;
  double saved = 0;  // switches per second

  /// The same for a move that is tried again after others.
  std::vector<Index> key(const Layout & layout) const
  {
    std::vector<Index> key;
    for (const Step & step : steps) {
      const Block & block = *block_of(step.beside, layout.on(step.to));
      key.insert(key.end(), {step.unit, block.tasks.front()});
    }
    return key;
  }
};

class Moves
{
public:
  Moves(
    const PlanProblem & problem, double keep_slack,
    const std::function<bool(const Layout &, const Score &)> & may_stay, Layout & layout,
    Score & score)
  : problem_(problem),
    may_stay_(may_stay),
    layout_(layout),
    score_(score),
    most_tight_(std::max(score.tight, 0.0) + kMoreThanCalm)
  {
    for (const auto & [chain, slack] : score.slacks) {
      floors_[chain] = std::min(keep_slack, slack) - kFloorNoise;
    }
    for (const auto & [chain, slack] : most_important(problem, score)) {
      floors_[chain] = slack - kFloorNoise;
    }
  }

  bool run()
  {
    bool moved = false;
    while (take_best()) {
      moved = true;
    }
    return moved;
  }

  double spent() const noexcept { return spent_; }

private:
  // Takes the first acceptable move, of those that save most; false if there is none. Exchanges are
  // tried after single steps, because there are many more of them.
  bool take_best()
  {
    const std::vector<Step> steps = all_steps();
    std::vector<Move> moves;
    for (const Step & step : steps) {
      add_move({step}, moves);
    }
    return take_first(std::move(moves)) || take_first(exchanges(steps));
  }

  bool take_first(std::vector<Move> moves)
  {
    std::stable_sort(
      moves.begin(), moves.end(), [](const Move & a, const Move & b) { return a.saved > b.saved; });
    for (const Move & move : moves) {
      if (
        spent_ > kMostForMoves || refused_by_caller_ >= kMostRefusedByCaller ||
        problem_.time_is_up()) {
        return false;
      }
      if (refused_.insert(move.key(layout_)).second && taken(move)) {
        return true;
      }
    }
    return false;
  }

  // The steps of all units to the blocks of tasks that they start, or that start them.
  std::vector<Step> all_steps() const
  {
    std::vector<Step> steps;
    for (Index unit = 0; unit < problem_.units.size(); ++unit) {
      std::vector<Index> beside;
      for (const Index task : problem_.units[unit].tasks) {
        const std::vector<Index> & next = problem_.next[task];
        beside.insert(beside.end(), next.begin(), next.end());
        for (const Link & link : problem_.model.tasks[task].triggers) {
          beside.push_back(link.from);
        }
      }
      std::set<Index> blocks;  // by their first tasks: one step to each
      for (const Index task : beside) {
        const Step step{
          unit, task, layout_.core_of(problem_.units[unit].tasks.front()), layout_.core_of(task)};
        if (
          possible(step) &&
          blocks.insert(block_of(task, layout_.on(step.to))->tasks.front()).second) {
          steps.push_back(step);
        }
      }
    }
    return steps;
  }

  bool possible(const Step & step) const
  {
    const Unit & unit = problem_.units[step.unit];
    if (
      step.from == kNone || step.to == kNone ||
      !std::binary_search(unit.cores.begin(), unit.cores.end(), step.to)) {
      return false;
    }
    const std::vector<Block> & there = layout_.on(step.to);
    const Block & block = *block_of(step.beside, there);
    return !contains(block.tasks, unit.tasks.front()) && block.executor == unit.executor &&
           may_share(problem_, unit.tasks, block.tasks);
  }

  // Pairs of steps in opposite directions, where the first one saves switches and loads its core
  // too much.
  std::vector<Move> exchanges(const std::vector<Step> & steps) const
  {
    std::vector<Move> moves;
    Index looked_at = 0;
    for (const Step & there : steps) {
      if (there.from == there.to || saved({there}) <= kLeastSaved || fits({there})) {
        continue;
      }
      for (const Step & back : steps) {
        const bool opposite = back.from == there.to && back.to == there.from;
        if (!opposite || back.unit == there.unit || !fits({there, back})) {
          continue;
        }
        if (++looked_at > kMostExchanges) {
          return moves;
        }
        add_move({there, back}, moves);
      }
    }
    return moves;
  }

  // True if no core is loaded more than the score allows.
  bool fits(const std::vector<Step> & steps) const
  {
    std::map<Index, double> more;
    for (const Step & step : steps) {
      for (const Index task : problem_.units[step.unit].tasks) {
        more[step.from] -= problem_.loads[task];
        more[step.to] += problem_.loads[task];
      }
    }
    return std::all_of(more.begin(), more.end(), [&](const auto & one) {
      return layout_.load(one.first) + one.second <=
             calm_load(problem_, layout_, one.first) + most_tight_;
    });
  }

  void add_move(std::vector<Step> steps, std::vector<Move> & moves) const
  {
    const double switches = saved(steps);
    if (switches > kLeastSaved) {
      moves.push_back({std::move(steps), switches});
    }
  }

  // Switches per second, rounded: rounding errors must not decide between equal moves. 0 if the
  // second step is not possible after the first one.
  double saved(const std::vector<Step> & steps) const
  {
    const auto after = blocks_after(steps);
    double switches = 0;
    for (const auto & [core, blocks] : after) {
      switches += context_switches(problem_, layout_.on(core)) - context_switches(problem_, blocks);
    }
    return std::round(switches / kLeastSaved) * kLeastSaved;
  }

  // The blocks of the touched cores after the steps; empty if a later step is not possible.
  std::map<Index, std::vector<Block>> blocks_after(const std::vector<Step> & steps) const
  {
    std::map<Index, std::vector<Block>> cores;
    for (const Step & step : steps) {
      cores[step.from] = layout_.on(step.from);
      cores[step.to] = layout_.on(step.to);
    }
    for (const Step & step : steps) {
      const std::vector<Index> & unit = problem_.units[step.unit].tasks;
      const auto joined = block_of(step.beside, cores[step.to]);
      if (joined == cores[step.to].end() || !may_share(problem_, unit, joined->tasks)) {
        return {};
      }
      std::vector<Block> & left = cores[step.from];
      const auto source = block_of(unit.front(), left);
      std::vector<Index> moving;  // in their order
      const auto moves = [&](Index task) { return contains(unit, task); };
      std::copy_if(source->tasks.begin(), source->tasks.end(), std::back_inserter(moving), moves);
      joined->tasks.insert(place_among(unit, joined->tasks), moving.begin(), moving.end());
      source->tasks.erase(
        std::remove_if(source->tasks.begin(), source->tasks.end(), moves), source->tasks.end());
      if (source->tasks.empty()) {
        left.erase(source);
      }
    }
    return cores;
  }

  // The place of a unit among tasks in falling order of priority: before all tasks that start it,
  // else behind all tasks that it starts. So an activation that is late by something that no model
  // knows ends before the next activation begins: in the other order, the next one would overtake
  // it.
  std::vector<Index>::const_iterator place_among(
    const std::vector<Index> & unit, const std::vector<Index> & tasks) const
  {
    const auto starts = [&](Index from, Index to) {
      const auto & next = problem_.next[from];
      return std::find(next.begin(), next.end(), to) != next.end();
    };
    const auto starter = std::find_if(tasks.begin(), tasks.end(), [&](Index task) {
      return std::any_of(unit.begin(), unit.end(), [&](Index one) { return starts(task, one); });
    });
    if (starter != tasks.end()) {
      return starter;
    }
    return std::find_if(
             tasks.rbegin(), tasks.rend(),
             [&](Index task) {
               return std::any_of(
                 unit.begin(), unit.end(), [&](Index one) { return starts(one, task); });
             })
      .base();
  }

  bool taken(const Move & move)
  {
    std::map<Index, std::vector<Block>> before;
    for (auto & [core, blocks] : blocks_after(move.steps)) {
      before[core] = layout_.on(core);
      layout_.set(core, std::move(blocks));
    }
    Score found = score(problem_, layout_);
    spent_ += found.cost;
    if (acceptable(found)) {
      if (may_stay_(layout_, found)) {
        score_ = std::move(found);
        return true;
      }
      ++refused_by_caller_;
    }
    for (auto & [core, blocks] : before) {
      layout_.set(core, std::move(blocks));
    }
    return false;
  }

  bool acceptable(const Score & found) const
  {
    return found.no_worse_than(score_) && found.crowded <= score_.crowded &&
           found.late_timers <= score_.late_timers && found.tight <= most_tight_ &&
           found.short_histories <= score_.short_histories &&
           std::all_of(found.slacks.begin(), found.slacks.end(), [&](const auto & one) {
             return one.second >= floors_.at(one.first);
           });
  }

  const PlanProblem & problem_;
  const std::function<bool(const Layout &, const Score &)> & may_stay_;
  Layout & layout_;
  Score & score_;
  const double most_tight_;  // Score::tight
  double spent_ = 0;
  Index refused_by_caller_ = 0;
  std::map<Index, double> floors_;        // per chain with a deadline: the slack that must remain
  std::set<std::vector<Index>> refused_;  // and taken: not tried again
};

}  // namespace

bool make_fewer_switches(
  const PlanProblem & problem, double keep_slack,
  const std::function<bool(const Layout &, const Score &)> & may_stay, Layout & layout,
  Score & score, double & cost)
{
  Moves moves(problem, keep_slack, may_stay, layout, score);
  const bool moved = moves.run();
  cost += moves.spent();
  return moved;
}

}  // namespace takt_plan::detail
