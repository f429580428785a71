// The jobs of one hyperperiod with their windows: the earliest and latest release of each job, and
// its latest end.
//
// If sources of a part of a model have known offsets from one instant, each job that they start has
// a window (the analysis `jobs` of bounds.hpp). The windows repeat in each hyperperiod, as long as
// no timer skips a period and no message is lost. Sets of newest messages are in step some
// hyperperiods after the start.
//
// Times count from the instant from which offsets count. Set-up only: allocates, does not block,
// takes up to some seconds.
#ifndef TAKT_PLAN__HYPERPERIOD_HPP_
#define TAKT_PLAN__HYPERPERIOD_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "takt_plan/bounds.hpp"
#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The part of a job in a set of newest messages.
enum class SetPart
{
  none,   ///< the callback does not wait for sets
  keeps,  ///< the job keeps a message for a set
  works   ///< the job works on a complete set, after the job that kept the set's last message
};

/// One job in each hyperperiod.
struct PhasedJob
{
  Index task = kNone;
  SetPart set = SetPart::none;
  Ns earliest = 0;  ///< earliest release; from zero to below the hyperperiod
  Ns latest = 0;    ///< latest release
  Ns end = 0;       ///< latest end
  /// It may not come in each hyperperiod: a set may drop the message before it.
  bool may_miss = false;
};

/// All jobs of one hyperperiod. Times are in ns.
struct Hyperperiod
{
  Ns length = 0;
  std::vector<PhasedJob> jobs;  ///< by task, then by earliest release
  /// A sentence with the reason for each part of the model, and for each callback, without windows.
  std::vector<std::string> without;
};

/// The limit of jobs in a hyperperiod.
inline constexpr std::size_t kMostPhasedJobs = 20'000;

/// Uses only those `options` that concern job windows. Faults: those of `check` (model.hpp); no
/// part of the model has windows; all parts together have too many jobs in a hyperperiod.
takt_rt::Result<Hyperperiod> hyperperiod(const Model & model, const BoundsOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__HYPERPERIOD_HPP_
