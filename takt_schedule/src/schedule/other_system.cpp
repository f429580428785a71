#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "takt_schedule/check.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{
namespace
{

constexpr std::size_t kFewest = 5;  ///< below it the findings themselves fit on a screen

std::set<std::string_view> named_in_full(const Schedule & schedule)
{
  std::set<std::string_view> ids;
  for (const ExecutorSchedule & executor : schedule.executors) {
    for (const CallbackRule & rule : executor.callbacks) {
      for (const std::string & text : rule.match) {
        if (text.find('*') == std::string::npos) {
          ids.insert(text);
        }
      }
    }
  }
  for (const ChainSchedule & chain : schedule.chains) {
    ids.insert(chain.options.path.begin(), chain.options.path.end());
  }
  return ids;
}

}  // namespace

std::optional<takt_rt::Fault> other_system(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks)
{
  std::unordered_set<std::string_view> known;
  for (const ListedCallback & callback : callbacks) {
    known.insert(callback.id);
  }
  const std::set<std::string_view> ids = named_in_full(schedule);
  std::string_view first;
  std::size_t missing = 0;
  for (const std::string_view id : ids) {
    if (!known.contains(id)) {
      first = missing == 0 ? id : first;
      ++missing;
    }
  }
  if (known.empty() || missing < kFewest || 2 * missing <= ids.size()) {
    return std::nullopt;
  }
  takt_rt::Fault fault(
    takt_rt::FaultKind::unmatched,
    "the schedule names " + std::to_string(ids.size()) + " callbacks, and the system lacks " +
      (missing == ids.size() ? "all" : std::to_string(missing)) + " of them, such as " +
      quoted(first) + ": was the schedule made for another system?");
  fault.file = schedule.file;
  return fault;
}

}  // namespace takt_schedule
