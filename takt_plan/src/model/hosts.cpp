#include "model/hosts.hpp"

#include <utility>

namespace takt_plan::detail
{

Hosts::Hosts(const takt_schedule::System & system, Model & model)
{
  for (const takt_schedule::HostModel & host : system.hosts) {
    const Index index = model.hosts.size();
    hosts_.emplace(host.name, index);
    model.hosts.push_back(host.name);
    for (const int number : host.cores) {
      cores_[{index, number}] = model.cores.size();
      model.cores.push_back({index, number});
    }
    for (const takt_schedule::OtherThread & other : host.other_threads) {
      OtherLoad load;
      load.name = other.name;
      load.priority = other.priority;
      load.time = add(other.time.count(), multiply(2, host.overheads.context_switch.count()));
      load.period = other.period.count();
      load.cores = cores(index, other.cores.empty() ? host.cores : other.cores);
      model.others.push_back(std::move(load));
    }
  }
}

Index Hosts::find(const std::string & name) const
{
  const auto found = hosts_.find(name);
  return found == hosts_.end() ? kNone : found->second;
}

std::vector<Index> Hosts::cores(Index host, const std::vector<int> & numbers) const
{
  std::vector<Index> result;
  for (const int number : numbers) {
    if (const auto found = cores_.find({host, number}); found != cores_.end()) {
      result.push_back(found->second);
    }
  }
  return result;
}

}  // namespace takt_plan::detail
