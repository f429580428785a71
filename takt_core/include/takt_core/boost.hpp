// How a callback's priority rises with what waits for it.
#ifndef TAKT_CORE__BOOST_HPP_
#define TAKT_CORE__BOOST_HPP_

#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Duration;

/// Under order `priority` a callback that waits counts as `levels` more urgent for each step: a step is a fraction of
/// its history that is full, or a time for which its oldest message waits. It falls back one step later than it rose.
///
/// It never counts as more urgent than `max`, so that callbacks above `max` do not notice it. Those between its own
/// priority and `max` are not starved: after as many boosted starts as its history holds messages the boost rests until
/// the callback has started once at its own priority, which happens when nothing more urgent is ready, or until nothing
/// is ready. So each of them waits for at most so many starts of each boosted callback that its own priority precedes.
struct Boost
{
  double depth = 0;  ///< step in fractions of the history, at most 1; 0: not by backlog
  Duration age{};    ///< step in age; 0: not by age
  int levels = 1;    ///< for each step, 1 to 255
  int max = 255;     ///< 1 to 255; a callback of a higher priority is not boosted

  friend bool operator==(const Boost &, const Boost &) = default;
};

}  // namespace takt_core

#endif  // TAKT_CORE__BOOST_HPP_
