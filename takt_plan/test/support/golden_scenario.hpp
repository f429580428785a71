// Reads the oracle's golden scenarios (oracles/takt_oracle/README.md, "Files") as simulations.
#ifndef TAKT_PLAN__TEST__SUPPORT__GOLDEN_SCENARIO_HPP_
#define TAKT_PLAN__TEST__SUPPORT__GOLDEN_SCENARIO_HPP_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "takt_plan/simulate.hpp"

namespace takt_plan::test
{

/// The sorted names, without .json, of a folder in the golden directory. Throws if it has none.
std::vector<std::string> golden_names(const std::string & folder);
nlohmann::json read_golden(const std::string & folder, const std::string & name);

/// All threads have equal fifo priorities. `cores` 0: each thread has its own core.
SimulationModel golden_model(const nlohmann::json & scenario, Index cores);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__GOLDEN_SCENARIO_HPP_
