// Simulates the two files as text, and lists the events.
#ifndef TAKT_PLAN__TEST__SUPPORT__FROM_TEXT_HPP_
#define TAKT_PLAN__TEST__SUPPORT__FROM_TEXT_HPP_

#include <string>
#include <vector>

#include "takt_plan/simulate.hpp"

namespace takt_plan::test
{

/// Throws an exception with the first fault.
SimulationModel from_text(const std::string & system, const std::string & schedule);

/// Each job as "a 0-5": the name of its node without the slash, its start and its end in tenths of
/// a millisecond, in the order of starts. "a 0.005-5" would be half a microsecond late.
std::vector<std::string> jobs(
  const SimulationModel & model, const SimulationOptions & options, Ns unit = 100'000);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__FROM_TEXT_HPP_
