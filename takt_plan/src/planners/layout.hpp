// Tasks on cores in order of urgency, before they have threads and OS priorities; and offsets of timers.
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

/// What becomes one thread.
struct Block
{
  Index executor = kNone;
  std::vector<Index> tasks;  ///< most urgent first
  Ns deadline = kUnbounded;  ///< what it is sorted by
  Index cluster = kNone;     ///< of whatever the planner thinks of together
};

/// Loads that differ by less are the same.
inline constexpr double kLoadNoise = 1e-9;

class Layout
{
public:
  explicit Layout(const PlanProblem & problem);

  /// Most urgent first.
  const std::vector<Block> & on(Index core) const noexcept { return cores_[core]; }
  Index cores() const noexcept { return cores_.size(); }
  /// kNone: it is not placed.
  Index core_of(Index task) const noexcept { return core_of_[task]; }

  /// Replaces what is on a core. The way to try something: set, judge, set what was there before.
  void set(Index core, std::vector<Block> blocks);
  void insert(Index core, Index place, const std::vector<Block> & blocks);

  /// Gives a timer an offset in place of the model's.
  void set_offset(Index task, Ns offset);
  /// What the layout gives the timer; none: the model's.
  const std::optional<Ns> & offset(Index task) const noexcept { return offsets_[task]; }

  /// From the top of the host's band down; those that find no room share its lowest.
  int priority(Index core, Index place) const;
  Assignment assignment() const;
  Index threads() const;
  double load(Index core) const noexcept { return load_[core]; }
  /// Whether it is loaded above its room, which is what others leave of the cap.
  bool crowded(Index core) const;

private:
  const PlanProblem * problem_;
  std::vector<std::vector<Block>> cores_;
  std::vector<Index> core_of_;              // per task
  std::vector<double> load_;                // per core
  std::vector<std::optional<Ns>> offsets_;  // per task
};

/// Which of several tasks is more urgent.
enum class Urgency
{
  /// As in PiCAS (rules R1, R2, R6): the later in the chain, so that no instance waits for a later one.
  later_first,
  /// That of the shorter deadline, by the chains through each; of equals the later.
  deadline
};

/// The tasks of some units. One block for each executor.
std::vector<Block> blocks_of(
  const PlanProblem & problem, const std::vector<Index> & units, Urgency urgency);

/// Sorts tasks, the most urgent first.
void sort_by(const PlanProblem & problem, Urgency urgency, std::vector<Index> & tasks);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LAYOUT_HPP_
