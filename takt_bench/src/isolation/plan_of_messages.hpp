// The callbacks that start each other: the system model as positions in its list of callbacks.
// Set-up only.
#ifndef TAKT_BENCH__SRC__ISOLATION__PLAN_OF_MESSAGES_HPP_
#define TAKT_BENCH__SRC__ISOLATION__PLAN_OF_MESSAGES_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_schedule/system.hpp"

namespace takt_bench::isolation
{

/// A chain by the positions of its ends.
struct ChainEnds
{
  std::string name;
  std::uint32_t root = 0;
  std::uint32_t last = 0;
  takt_rt::Duration period{};
  takt_rt::Duration offset{};
};

struct PlanOfMessages
{
  std::vector<std::string> executors;  ///< one process for each, in the order of appearance
  std::vector<std::uint32_t> process;  ///< of each callback
  std::vector<std::vector<std::uint32_t>> subscribers;  ///< of each callback
  std::vector<ChainEnds> chains;
};

/// One fault for each part of the model that this program does not run: a callback that several
/// topics start together, a source outside of the model, a second host, a chain without a timer at
/// its root.
takt_rt::Faults unsupported(const takt_schedule::System & system);

/// For a model without unsupported parts.
PlanOfMessages plan_of_messages(const takt_schedule::System & system);

/// The number of releases of the chain's root in [`from`, `to`), both times since the epoch.
std::uint64_t releases_between(
  const ChainEnds & chain, takt_rt::Duration from, takt_rt::Duration to) noexcept;

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__PLAN_OF_MESSAGES_HPP_
