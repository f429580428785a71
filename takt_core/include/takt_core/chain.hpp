// Chains: paths of callbacks with a priority and an end-to-end deadline.
#ifndef TAKT_CORE__CHAIN_HPP_
#define TAKT_CORE__CHAIN_HPP_

#include <string>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Duration;
using takt_rt::kForever;

/// A chain of the schedule. The path may hold callback ids of other executors or processes; only
/// callbacks of this executor inherit from the chain.
struct ChainOptions
{
  std::string name;
  std::vector<std::string> path;  ///< callback ids from the root to the last
  int priority = 0;               ///< 0 to 255, larger is more important
  Duration deadline = kForever;   ///< from the root's release to the last callback's end
  Duration period{};              ///< the root's period; 0: unknown
};

}  // namespace takt_core

#endif  // TAKT_CORE__CHAIN_HPP_
