// The busy window of one segment under fixed priorities, or why there is none.
//
// priority_bounds.hpp has the equations. Set-up only: allocates, does not block.
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
  std::vector<Index> inputs;  ///< that complete the sets in it, from the last one back
  BusyWindow window;          ///< jitters are left to whoever knows the streams' lateness
};

/// Tables by task that one window after the other uses: clean in between, so that none costs more than
/// what is on its core.
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

  std::vector<char> work;    // tasks of W and the segment
  std::vector<Ns> value;     // what a run costs with all that it starts in W
  std::vector<Ns> overhead;  // of the value
  std::vector<Ns>
    late;  // of the value, what goes before the segment's last run once that has begun
  std::vector<Ns> started;    // of W, by a run of a less urgent task of the core
  std::vector<Index> set_of;  // position among the window's sets
};

takt_rt::Result<PriorityWindow> priority_window(
  const Model & model, const Streams & streams, const Segments & segments, SegmentWay way,
  const PriorityTerms & terms, WindowScratch & scratch);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_WINDOW_HPP_
