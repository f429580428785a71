// Finds the chain ids that an executor must have but lacks.
#ifndef TAKT_SCHEDULE__SRC__CHAIN_IDS_HPP_
#define TAKT_SCHEDULE__SRC__CHAIN_IDS_HPP_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "takt_schedule/resolver.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// Shared by all executors of a schedule: a copy for each would cost the square of their number.
class ChainIds
{
public:
  /// Copies what it needs.
  explicit ChainIds(const Schedule & schedule);

  /// One sentence with position for each id that `executor` must have but that is not in `here`,
  /// its callbacks. It must have an id if the schedule has no other executor, callbacks of its node
  /// are here, or only this executor has a rule with its node's full name. `awaited`, `left_out`:
  /// as Resolver::report.
  takt_rt::Faults unmatched(
    const std::vector<std::string> & here, std::string_view executor, const Awaited & awaited,
    std::size_t * left_out) const;

private:
  std::string file_;
  std::vector<ChainSchedule> chains_;
  bool alone_;  ///< the schedule has one executor
  /// By node: the only executor with a rule for the node's full name; empty if there are several.
  std::map<std::string, std::string, std::less<>> owners_;
};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CHAIN_IDS_HPP_
