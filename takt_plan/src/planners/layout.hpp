// A layout: the tasks of each core in order of urgency, before they get threads and OS priorities,
// and the offsets of timers.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__LAYOUT_HPP_
#define TAKT_PLAN__SRC__LAYOUT_HPP_

#include <optional>
#include <vector>

#include "planners/plan_problem.hpp"
#include "takt_plan/assignment.hpp"

namespace takt_plan::detail
{

/// Tasks that will share one thread.
struct Block
{
  Index executor = kNone;
  std::vector<Index> tasks;  ///< most urgent first
  Ns deadline = kUnbounded;  ///< blocks are sorted by it
  Index cluster = kNone;     ///< the planner's group that the block belongs to
};

/// Loads whose difference is smaller count as equal.
inline constexpr double kLoadNoise = 1e-9;

class Layout
{
public:
  explicit Layout(const PlanProblem & problem);

  /// The blocks of the core, the most urgent first.
  const std::vector<Block> & on(Index core) const noexcept { return cores_[core]; }
  Index cores() const noexcept { return cores_.size(); }
  /// The core of the task; kNone: the task is not placed.
  Index core_of(Index task) const noexcept { return core_of_[task]; }

  /// Replaces the blocks of a core. To try a change, set the new blocks, judge the layout, and set
  /// the old blocks again.
  void set(Index core, std::vector<Block> blocks);
  void insert(Index core, Index place, const std::vector<Block> & blocks);

  /// Gives a timer an offset that replaces the model's.
  void set_offset(Index task, Ns offset);
  /// The layout's offset of the timer; nothing: the model's offset holds.
  const std::optional<Ns> & offset(Index task) const noexcept { return offsets_[task]; }

  /// The OS priority of the block at `place`. The first block gets the highest priority of the
  /// host's band, and each further block gets one less. Blocks beyond the band share its lowest
  /// priority. Blocks of executors that do not talk, if they precede all other blocks of the core,
  /// get the priorities above the middleware's, as far as these suffice (talking.hpp). One core of
  /// each host has no such block.
  int priority(Index core, Index place) const;
  /// The number of the core's first blocks that are above the middleware's threads.
  Index lifted(Index core) const;
  Assignment assignment() const;
  Index threads() const;
  double load(Index core) const noexcept { return load_[core]; }
  /// True if the core's load exceeds its room, which is the part of the cap that other threads
  /// leave.
  bool crowded(Index core) const;

private:
  const PlanProblem * problem_;
  bool begins_quiet(Index core) const;
  bool lifts(Index core) const;

  std::vector<std::vector<Block>> cores_;
  std::vector<Index> core_of_;              // per task
  std::vector<double> load_;                // per core
  std::vector<std::optional<Ns>> offsets_;  // per task
};

/// Decides which of several tasks is more urgent.
enum class Urgency
{
  /// The task that is later in the chain, so that no instance of the chain waits for a later
  /// instance. As in PiCAS (rules R1, R2, R6).
  later_first,
  /// The task whose chains have the shorter deadline; if equal, the task that is later in the
  /// chain.
  deadline
};

/// The tasks of these units, in one block for each executor.
std::vector<Block> blocks_of(
  const PlanProblem & problem, const std::vector<Index> & units, Urgency urgency);

/// Sorts tasks, the most urgent first.
void sort_by(const PlanProblem & problem, Urgency urgency, std::vector<Index> & tasks);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LAYOUT_HPP_
