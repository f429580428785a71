#include "oracles/response_time_oracle.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace takt_plan::test
{
namespace
{

Ns bound(const nlohmann::json & answer)
{
  const Ns ticks = answer.get<Ns>();
  return ticks < 0 ? kUnbounded : ticks;
}

std::vector<Ns> bounds(const nlohmann::json & answers)
{
  std::vector<Ns> list;
  for (const auto & answer : answers) {
    list.push_back(bound(answer));
  }
  return list;
}

ExecutorTask task(const nlohmann::json & entry)
{
  ExecutorTask task;
  task.demand.cost = entry.at(0);
  task.polled = entry.at(1) == 1;
  for (std::size_t i = 2; i < entry.size(); i += 2) {
    task.demand.arrivals.push_back({entry.at(i), entry.at(i + 1)});
  }
  return task;
}

OracleSystem system(const nlohmann::json & entry)
{
  OracleSystem system;
  system.reserved = !entry.at(0).empty();
  if (system.reserved) {
    system.supply = Supply::periodic(entry.at(0).at(0), entry.at(0).at(1));
  }
  for (const auto & line : entry.at(1)) {
    system.tasks.push_back(task(line));
  }
  system.event_source = bounds(entry.at(2));
  system.timer = bounds(entry.at(3));
  system.blocked_timer = bounds(entry.at(4));
  system.polled = bounds(entry.at(5));
  system.chain = entry.at(6).get<std::vector<std::size_t>>();
  system.chain_bound = bound(entry.at(7));
  system.round_robin = bounds(entry.at(8));
  system.busy_window = bounds(entry.at(9));
  system.run = entry.at(10).get<std::vector<std::size_t>>();
  system.round_robin_run = bound(entry.at(11));
  system.busy_window_run = bound(entry.at(12));
  return system;
}

}  // namespace

Oracle read_oracle()
{
  std::ifstream file(TAKT_RESPONSE_TIME_GOLDEN);
  file.exceptions(std::ios::badbit | std::ios::failbit);
  const nlohmann::json golden = nlohmann::json::parse(file);
  Oracle oracle;
  oracle.limit = golden.at("limit");
  for (const auto & entry : golden.at("systems")) {
    oracle.systems.push_back(system(entry));
  }
  return oracle;
}

}  // namespace takt_plan::test
