#include "planners/takt/fewer_switches.hpp"

#include <algorithm>
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

/// A place in a layout.
struct Place
{
  Index core = kNone;
  Index block = kNone;
};

/// A unit moves into the block at `to`.
struct Move
{
  Index unit = kNone;
  Place from, to;
  double saved = 0;  // switches per second

  /// The same for a move that is tried again after others.
  std::pair<Index, Index> key(const Layout & layout) const
  {
    return {unit, layout.on(to.core)[to.block].tasks.front()};
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
    score_(score)
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
  // Takes the first acceptable move, of those that save most; false if there is none.
  bool take_best()
  {
    find_places();
    std::vector<Move> moves;
    for (Index unit = 0; unit < problem_.units.size(); ++unit) {
      add_moves(unit, moves);
    }
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

  void find_places()
  {
    place_of_.assign(problem_.model.tasks.size(), {});
    for (Index core = 0; core < layout_.cores(); ++core) {
      const std::vector<Block> & blocks = layout_.on(core);
      for (Index block = 0; block < blocks.size(); ++block) {
        for (const Index task : blocks[block].tasks) {
          place_of_[task] = {core, block};
        }
      }
    }
  }

  void add_moves(Index index, std::vector<Move> & moves) const
  {
    const Unit & unit = problem_.units[index];
    Move move;
    move.unit = index;
    move.from = place_of_[unit.tasks.front()];
    if (move.from.core == kNone) {
      return;
    }
    for (const Index task : unit.tasks) {
      for (const Index follower : problem_.next[task]) {
        add_move(move, place_of_[follower], moves);
      }
      for (const Link & link : problem_.model.tasks[task].triggers) {
        add_move(move, place_of_[link.from], moves);
      }
    }
  }

  void add_move(Move move, const Place & to, std::vector<Move> & moves) const
  {
    const Unit & unit = problem_.units[move.unit];
    const bool stays = to.core == move.from.core && to.block == move.from.block;
    if (
      to.core == kNone || stays ||
      !std::binary_search(unit.cores.begin(), unit.cores.end(), to.core)) {
      return;
    }
    const Block & block = layout_.on(to.core)[to.block];
    if (block.executor != unit.executor || !may_share(problem_, unit.tasks, block.tasks)) {
      return;
    }
    move.to = to;
    const auto after = layout_after(move);
    double switches = 0;
    for (const Index core : std::set<Index>{move.from.core, to.core}) {
      switches += context_switches(problem_, layout_.on(core));
    }
    for (const auto & [core, blocks] : after) {
      switches -= context_switches(problem_, blocks);
    }
    move.saved = switches;
    if (switches > kLeastSaved) {
      moves.push_back(move);
    }
  }

  // The blocks of the touched cores after the move.
  std::map<Index, std::vector<Block>> layout_after(const Move & move) const
  {
    const std::vector<Index> & unit = problem_.units[move.unit].tasks;
    std::map<Index, std::vector<Block>> cores;
    cores[move.from.core] = layout_.on(move.from.core);
    cores[move.to.core] = layout_.on(move.to.core);
    std::vector<Index> moving;  // in their order
    std::vector<Block> & left = cores[move.from.core];
    std::vector<Index> & tasks = left[move.from.block].tasks;
    const auto moves = [&](Index task) {
      return std::find(unit.begin(), unit.end(), task) != unit.end();
    };
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(moving), moves);
    std::vector<Index> & joined = cores[move.to.core][move.to.block].tasks;
    joined.insert(place_among(unit, joined), moving.begin(), moving.end());
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(), moves), tasks.end());
    if (tasks.empty()) {
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(move.from.block));
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
    for (auto & [core, blocks] : layout_after(move)) {
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
           found.late_timers <= score_.late_timers && found.tight <= std::max(score_.tight, 0.0) &&
           found.short_histories <= score_.short_histories &&
           std::all_of(found.slacks.begin(), found.slacks.end(), [&](const auto & one) {
             return one.second >= floors_.at(one.first);
           });
  }

  const PlanProblem & problem_;
  const std::function<bool(const Layout &, const Score &)> & may_stay_;
  Layout & layout_;
  Score & score_;
  double spent_ = 0;
  Index refused_by_caller_ = 0;
  std::map<Index, double> floors_;  // per chain with a deadline: the slack that must remain
  std::vector<Place> place_of_;     // per task
  std::set<std::pair<Index, Index>> refused_;  // and taken: not tried again
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
