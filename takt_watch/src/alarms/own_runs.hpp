// Whether a callback's own runs last longer than usual, those that are under way among them.
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

/// How long the runs under way have lasted, without the time in which their threads waited for a core.
class RunsUnderWay
{
public:
  /// At each look, before `of`.
  void note(const ExecutorSample & before, const ExecutorSample & now, takt_rt::Time time);
  /// Ends a look: forgets the threads that were not noted since the last call.
  void forget_others();
  /// Of one callback, longest first.
  std::vector<takt_rt::Duration> of(const std::string & executor, const std::string & id) const;

private:
  struct Run
  {
    std::string id{};
    takt_rt::Time since{};
    takt_rt::Duration waited_before{};  // of its thread
    takt_rt::Duration lasted{};
    bool seen = true;
  };
  std::map<std::pair<std::string, std::uint32_t>, Run> runs_;  // by executor and thread
};

/// A callback that may be the cause of an alarm.
struct Suspect
{
  const CallbackSample & callback;
  const Rates & rates;
  std::vector<takt_rt::Duration> under_way{};  ///< longest first

  /// As many of its runs as may go on at once.
  double at_once() const noexcept;
};

struct LongerRuns
{
  double factor = 1;                           ///< how much longer than usual
  std::optional<takt_rt::Duration> running{};  ///< present: it is the run under way
};

/// Absent: its runs take as long as usual, or that is no reason. If messages `pile_up`, the runs must take all the time
/// that there is, or the run under way must have lasted while half of the waiting messages came.
std::optional<LongerRuns> longer_runs(const Suspect & suspect, bool pile_up);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__OWN_RUNS_HPP_
