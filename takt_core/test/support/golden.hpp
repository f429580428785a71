// Reads the oracle's golden scenarios (oracles/takt_oracle/README.md, "Files") and builds them
// from the product's parts.
#ifndef SUPPORT__GOLDEN_HPP_
#define SUPPORT__GOLDEN_HPP_

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "virtual_executor.hpp"

namespace takt_core::test
{

/// The directory that CMake named; throws if it is not there.
std::string golden_directory();

/// Sorted names (without .json) of the files in a folder of the golden directory. Throws if none.
std::vector<std::string> golden_names(const std::string & folder);

nlohmann::json read_golden(const std::string & folder, const std::string & name);

/// A scenario as running executors. `tick`: the number of virtual units in a nanosecond.
class GoldenScenario
{
public:
  GoldenScenario(
    const nlohmann::json & scenario, Kernel kernel, std::uint32_t cores, Looks looks,
    const SeamMaker & maker = plain_seam, std::int64_t tick = 1);

  VirtualExecutors world;
  std::map<std::string, std::shared_ptr<VirtualCallback>> callbacks;
  Time horizon{};

private:
  void add_callback(const nlohmann::json & entry, std::int64_t tick);
  std::map<std::string, std::shared_ptr<Group>> groups_;
  std::map<std::string, std::vector<VirtualCallback *>> topics_;
};

/// The expected starts of a replay file.
std::vector<Start> expected_starts(const nlohmann::json & file);

}  // namespace takt_core::test

#endif  // SUPPORT__GOLDEN_HPP_
