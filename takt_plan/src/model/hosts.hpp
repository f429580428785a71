// The hosts and cores of a system in its model, found by their names in the files.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__HOSTS_HPP_
#define TAKT_PLAN__SRC__HOSTS_HPP_

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "takt_plan/model.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

class Hosts
{
public:
  /// Adds the hosts, their cores and their other threads to `model`.
  Hosts(const takt_schedule::System & system, Model & model);

  /// The host's position in the system and the model; kNone: unknown name.
  Index find(const std::string & name) const;
  /// The model's cores for those `numbers` that the host has.
  std::vector<Index> cores(Index host, const std::vector<int> & numbers) const;

private:
  std::unordered_map<std::string, Index> hosts_;
  std::map<std::pair<Index, int>, Index> cores_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__HOSTS_HPP_
