// Which messages make a set, and which of them completes it: all orders of arrival that windows
// allow.
//
// Messages are kept in the order in which they arrive, because all topics of a set start runs of
// one callback. A state is the next message of each topic and which topics have one that is kept.
// From the start of the system, with no message kept and the first of each topic to come, each
// message that may be the next one leads to another state. A message that may not come at all leads
// to one more, without it.
// States one hyperperiod apart are the same, so that there are few.
//
// Where processes start at any moment of a clock, and again, the first messages may be any: of two
// timers of one period, 10 ms and 50 ms after the full period, each second message completes a set,
// but which are the second ones is decided by the moment at which the last process started, for as
// long as no message is lost. All states in which a start may leave the set are looked at, and
// those count that are still possible after any time. Where offsets count from the start of one
// process, and the set is in another, the first messages of all topics count besides: from the
// first release of a timer on, if both processes have started by then. Where a source's phase is
// not known, all states count that one or the other start leads to.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_SETS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_SETS_HPP_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/jobs/job_times.hpp"
#include "model/message_set.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The knowledge about one job of the work on a set, if the message of a certain topic completes
/// the set.
struct Completion
{
  bool possible = false;
  Ns earliest = 0;  ///< arrival of the message
  Ns latest = 0;
  std::optional<std::int64_t> message;  ///< the job of the message; empty: one of several
  bool several = false;
  friend bool operator==(const Completion &, const Completion &) = default;
};

struct JobSet
{
  /// By job of the work, then by the topic that completes the set.
  std::vector<std::vector<Completion>> by;
  /// Per job of the work: its message may not come, or may be replaced before a set is complete.
  std::vector<char> may_miss;
  /// By topic and by its job: the jobs of the work that may have its message, from the first
  /// hyperperiod on.
  std::vector<std::vector<std::vector<std::int64_t>>> works;
  friend bool operator==(const JobSet &, const JobSet &) = default;
};

/// `topics`: windows of the runs that keep a message, with `from` and `to`. `slowest`: the topic
/// whose messages number the work. `any_start`: the set may also begin with any messages, and not
/// only until it has settled. `from_first`: for SetStart::any, also counts all states from the
/// first message of each topic on. Empty: too many states. Adds the number of visited states to
/// `states`, if not null.
std::optional<JobSet> job_set(
  const std::vector<const JobWindow *> & topics, Index slowest, SetStart start,
  bool any_start = false, bool from_first = false, std::int64_t * states = nullptr);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_SETS_HPP_
