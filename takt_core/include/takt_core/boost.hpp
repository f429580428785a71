// Raises a callback's priority with its backlog or the age of its oldest message.
#ifndef TAKT_CORE__BOOST_HPP_
#define TAKT_CORE__BOOST_HPP_

#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Duration;

/// Under order `priority` a waiting callback counts as `levels` more urgent for each step. A step
/// is a fraction of its full history, or a time for which its oldest message waits. The boost falls
/// one step later than it rises.
///
/// A boosted callback never counts as more urgent than `max`, so it does not delay callbacks above
/// `max`. Nor does it starve callbacks between its own priority and `max`: after as many boosted
/// starts as its history holds messages, the boost rests. The boost returns when the callback has
/// started once at its own priority, or when no callback of the set is ready. So a callback waits
/// for at most that many starts of each boosted callback with a lower own priority.
struct Boost
{
  double depth = 0;  ///< step as a fraction of the history, at most 1; 0: no boost by backlog
  Duration age{};    ///< step in age; 0: no boost by age
  int levels = 1;    ///< priority levels for each step, 1 to 255
  int max = 255;     ///< 1 to 255; callbacks with a higher priority are not boosted

  friend bool operator==(const Boost &, const Boost &) = default;
};

}  // namespace takt_core

#endif  // TAKT_CORE__BOOST_HPP_
