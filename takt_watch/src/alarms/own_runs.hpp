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

/// How long each run in progress has lasted, without the time in which its thread waited for a core.
class RunsUnderWay
{
public:
  /// Call it at each look, before `of`.
  void note(const ExecutorSample & before, const ExecutorSample & now, takt_rt::Time time);
  /// Call it at the end of a look: forgets threads that were not noted since the last call.
  void forget_others();
  /// The runs of one callback, longest first.
  std::vector<takt_rt::Duration> of(const std::string & executor, const std::string & id) const;

private:
  struct Run
  {
    std::string id{};
    takt_rt::Time since{};
    takt_rt::Duration waited_before{};  // of the run's thread when the run began
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
  std::vector<takt_rt::Duration> under_way{};  ///< longest first

  /// The number of its runs that may be in progress at once.
  double at_once() const noexcept;
};

struct LongerRuns
{
  double factor = 1;                           ///< how many times longer than usual
  std::optional<takt_rt::Duration> running{};  ///< time of the run in progress, if that is long
};

/// Absent: the runs last as long as usual, or do not explain the alarm. If messages `pile_up`, longer runs explain
/// the alarm only if they take all available time, or if half of the waiting messages came during the run in
/// progress.
std::optional<LongerRuns> longer_runs(const Suspect & suspect, bool pile_up);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__OWN_RUNS_HPP_
