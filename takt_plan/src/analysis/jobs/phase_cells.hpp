// Bounds for timers whose phases are not known, but do not change: the largest over all phases.
//
// Timers of one host keep their phases to each other, whatever these are. Let the first timer of a
// part have the offset 0. Only the offsets of the others to it matter, and of these only the rest
// by g: the greatest common divisor of the timer's period and the hyperperiod of the timers before
// it. So the phases are a box with the sides g. A *cell* is a part of this box. Its bounds are
// those of all courses (job_courses.hpp) if each timer has the least offset of the cell, and is
// late by the cell's width at most. The largest of all cells counts. The cell with the largest
// bound of some chain is divided, until this changes little or a limit is reached. A larger limit
// makes bounds smaller, never wrong.
//
// Covered: parts of job_courses.hpp whose sources are timers of one host without offsets that keep
// their grid, at most kMostFreeTimers of them. Phases change where the program moves or stops a
// timer (`offset: any`, Task::any_phase; not covered), and where one of several processes starts
// anew: then the bounds do not count for the jobs that were released before the new start, and for
// those that these may delay. With sets, the timers of the process must be there before it spins
// (job_courses.hpp, the states of a start).
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__PHASE_CELLS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__PHASE_CELLS_HPP_

#include <cstddef>
#include <optional>
#include <vector>

#include "takt_plan/bound_terms.hpp"
#include "takt_plan/course_terms.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// More timers have too many phases.
inline constexpr std::size_t kMostFreeTimers = 4;

struct BoundOfAnyPhases
{
  Ns bound = 0;      ///< from the root's nominal release to the end of the chain
  BoundTerms terms;  ///< if explained: their sum is the bound
};

/// Per task and chain. No value: it belongs to no part that the analysis covers, or it has no
/// bound.
struct BoundsOfAnyPhases
{
  std::vector<std::optional<Ns>> tasks;
  std::vector<std::optional<BoundOfAnyPhases>> chains;
};

/// `model` must pass `check`. `known`: bounds of its chains, kUnbounded for none; the search ends
/// early where it cannot find smaller ones. `most`: the largest bound of a task that counts. Adds
/// its effort to `looks`.
BoundsOfAnyPhases bounds_of_any_phases(
  const Model & model, const CourseTerms & terms, const std::vector<Ns> & known, Ns most,
  bool explain, double & looks);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__PHASE_CELLS_HPP_
