// An entry of the model from what was seen of a callback: its releases, its times, its history, and where each
// number comes from.
#ifndef TAKT_TRACE__SRC__MODEL__DESCRIBED_CALLBACK_HPP_
#define TAKT_TRACE__SRC__MODEL__DESCRIBED_CALLBACK_HPP_

#include <set>
#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// What one callback's entry needs to know of all others.
struct Whole
{
  const std::set<std::string> & inside;  ///< topics that observed callbacks publish
  const std::set<std::string> & taken;   ///< topics that observed callbacks take
  double seconds = 0;                    ///< of the observation
};

/// Sets all of `one.model` but host, executor and group; its comment ends with `one.caveats`. Adds notes where
/// the program does not fit a model. Of callbacks that ran.
void describe(ObservedCallback & one, const Whole & whole, std::vector<std::string> & notes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__DESCRIBED_CALLBACK_HPP_
