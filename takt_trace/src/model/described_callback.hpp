// Makes a callback's entry of the model from observations: its releases, times and history, and the
// origin of each number.
#ifndef TAKT_TRACE__SRC__MODEL__DESCRIBED_CALLBACK_HPP_
#define TAKT_TRACE__SRC__MODEL__DESCRIBED_CALLBACK_HPP_

#include <set>
#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// Facts about all callbacks that one callback's entry needs.
struct Whole
{
  const std::set<std::string> & inside;  ///< topics that observed callbacks publish
  const std::set<std::string> & taken;   ///< topics that observed callbacks take
  double seconds = 0;                    ///< length of the observation
};

/// Sets all of `one.model` but host, executor and group; its comment ends with `one.caveats`. Adds
/// a note if the program does not fit a model. Only for callbacks that ran.
void describe(ObservedCallback & one, const Whole & whole, std::vector<std::string> & notes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__DESCRIBED_CALLBACK_HPP_
