// The jobs of one hyperperiod with their windows: when each is released, and by when it has ended.
//
// Where sources of a part of a model have known offsets from one instant, every job that they start has windows (the
// analysis `jobs` of bounds.hpp). They hold one hyperperiod after the other, while no timer skips a period and no message
// is lost; sets of newest messages are in step some hyperperiods after the start.
//
// Times count from the instant that offsets count from. Set-up only: allocates, does not block, takes up to some seconds.
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

/// What a job does of a set of newest messages.
enum class SetPart
{
  none,   ///< its callback waits for no set
  keeps,  ///< it keeps a message
  works   ///< it works on a complete set, behind the job that kept the last message
};

/// One job in each hyperperiod.
struct PhasedJob
{
  Index task = kNone;
  SetPart set = SetPart::none;
  Ns earliest = 0;  ///< release; from zero to below the hyperperiod
  Ns latest = 0;    ///< release
  Ns end = 0;       ///< at the latest
  bool may_miss =
    false;  ///< it may not come in each hyperperiod: a set may drop the message before it
};

struct Hyperperiod
{
  Ns length = 0;
  std::vector<PhasedJob> jobs;  ///< by task, then by earliest release
  /// Of parts of the model and of callbacks that have no windows: a sentence each, why.
  std::vector<std::string> without;
};

/// A hyperperiod of more jobs than this is refused.
inline constexpr std::size_t kMostPhasedJobs = 20'000;

/// `options`: of these, those of job windows. Faults: those of `check` (model.hpp); no part of the model has windows;
/// the parts together have too many jobs in a hyperperiod.
takt_rt::Result<Hyperperiod> hyperperiod(const Model & model, const BoundsOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__HYPERPERIOD_HPP_
