// Which ids of chains an executor must have, and which of these it has not.
#ifndef TAKT_SCHEDULE__SRC__CHAIN_IDS_HPP_
#define TAKT_SCHEDULE__SRC__CHAIN_IDS_HPP_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

class ChainIds
{
public:
  /// Copies what it needs.
  ChainIds(const Schedule & schedule, const ExecutorSchedule & executor);

  /// One sentence with position for each id that must be among `here` and is not. An id must be here
  /// if the schedule has no other executor, callbacks of its node are here, or only this executor has
  /// a rule that names its node in full.
  std::vector<std::string> unmatched(const std::vector<std::string> & here) const;

private:
  using Nodes = std::set<std::string, std::less<>>;
  std::string file_;
  std::vector<ChainSchedule> chains_;
  bool alone_ = true;  ///< the schedule has no other executor
  Nodes own_nodes_;    ///< named in full by rules
  Nodes other_nodes_;
};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CHAIN_IDS_HPP_
