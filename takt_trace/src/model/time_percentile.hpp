// A percentile of a callback's CPU times as its worst time in the model, in place of the longest
// one.
#ifndef TAKT_TRACE__SRC__MODEL__TIME_PERCENTILE_HPP_
#define TAKT_TRACE__SRC__MODEL__TIME_PERCENTILE_HPP_

#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// `percentile`: above 0, below 100. The worst time of each callback becomes the upper edge of the
/// percentile's bucket; the callback's caveats then have the longest time. A callback keeps its
/// longest time where fewer than ten of its runs lie beyond the percentile (percentile.hpp). Adds
/// one note about all. Call it before `describe`. Allocates.
void use_percentile(
  std::vector<ObservedCallback> & callbacks, double percentile, std::vector<std::string> & notes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__TIME_PERCENTILE_HPP_
