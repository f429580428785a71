// Decides whether a callback's runs last longer than usual, including runs in progress.
#ifndef TAKT_WATCH__SRC__OWN_RUNS_HPP_
#define TAKT_WATCH__SRC__OWN_RUNS_HPP_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alarms/rates.hpp"
#include "sample.hpp"

namespace takt_watch
{

/// The times for which the runs in progress have lasted, without the time in which their threads
/// waited for a core.
class RunsUnderWay
{
public:
  /// Notes the runs in progress of an executor. Call it at each look, before `of`.
  void note(const ExecutorSample & before, const ExecutorSample & now, takt_rt::Time time);
  /// Forgets threads that `note` has not seen since the last call. Call it at the end of a look.
  void forget_others();
  /// The times of the runs in progress of one callback, the longest first.
  std::vector<takt_rt::Duration> of(const std::string & executor, const std::string & id) const;

private:
  struct Run
  {
    std::string id{};
    takt_rt::Time since{};
    takt_rt::Duration waited_before{};  // the thread's run-queue delay when the run began
    takt_rt::Duration lasted{};
    bool seen = true;
  };
  std::map<std::pair<std::string, std::uint32_t>, Run> runs_;  // by executor and thread
};

/// A callback that may cause an alarm.
struct Suspect
{
  const CallbackSample & callback;
  const Rates & rates;
  /// The times of the callback's runs in progress, the longest first.
  std::vector<takt_rt::Duration> under_way{};

  /// The number of the callback's runs that may be in progress at once.
  double at_once() const noexcept;
};

struct LongerRuns
{
  double factor = 1;                           ///< the time of the runs divided by the usual time
  std::optional<takt_rt::Duration> running{};  ///< the time of the run in progress, if it is long
};

/// The runs of the suspect, if they last longer than usual and explain the alarm; else absent. If
/// messages `pile_up`, longer runs explain the alarm only if they take all available time, or if
/// half of the waiting messages came during the run in progress.
std::optional<LongerRuns> longer_runs(const Suspect & suspect, bool pile_up);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__OWN_RUNS_HPP_
