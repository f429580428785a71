// Reads the oracle's golden scenarios (oracles/takt_oracle/README.md, "Files") as simulations.
#ifndef TAKT_PLAN__TEST__SUPPORT__GOLDEN_SCENARIO_HPP_
#define TAKT_PLAN__TEST__SUPPORT__GOLDEN_SCENARIO_HPP_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "takt_plan/simulate.hpp"

namespace takt_plan::test
{

/// Sorted names, without .json, of a folder of the golden directory. Throws if there are none.
std::vector<std::string> golden_names(const std::string & folder);
nlohmann::json read_golden(const std::string & folder, const std::string & name);

/// All threads are alike, of fifo priority; `cores` 0: each has one of its own.
SimulationModel golden_model(const nlohmann::json & scenario, Index cores);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__GOLDEN_SCENARIO_HPP_
