// The busy window of one segment under fixed priorities, or the reason why it has none.
// priority_bounds.hpp has the equations.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PRIORITY_WINDOW_HPP_
#define TAKT_PLAN__SRC__PRIORITY_WINDOW_HPP_

#include <cstddef>
#include <vector>

#include "analysis/priority/busy_window.hpp"
#include "model/segment_ways.hpp"
#include "model/segments.hpp"
#include "model/streams.hpp"
#include "takt_plan/priority_bounds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::detail
{

struct PriorityWindow
{
  std::vector<Index> tasks;  ///< the segment
  Index head_stream = kNone;
  std::vector<Index> inputs;  ///< they complete the sets in the segment, the last set first
  BusyWindow window;  ///< without jitters: the caller sets them, because they depend on lateness
};

/// Tables by task. Windows use them one after another, and leave them clean, so that a window costs
/// no more than the tasks on its core.
struct WindowScratch
{
  explicit WindowScratch(std::size_t tasks)
  : work(tasks, false),
    value(tasks, 0),
    overhead(tasks, 0),
    late(tasks, 0),
    started(tasks, 0),
    set_of(tasks, kNone)
  {
  }

  std::vector<char> work;    // true: the task belongs to W or to the segment
  std::vector<Ns> value;     // the cost of a run with all work of W that it starts
  std::vector<Ns> overhead;  // of the value
  std::vector<Ns>
    late;  // The part of `value` that may delay the segment's last run after that run has begun.
  std::vector<Ns> started;    // the work of W that a run of a less urgent task of the core starts
  std::vector<Index> set_of;  // position among the window's sets
};

takt_rt::Result<PriorityWindow> priority_window(
  const Model & model, const Streams & streams, const Segments & segments, SegmentWay way,
  const PriorityTerms & terms, WindowScratch & scratch);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_WINDOW_HPP_
