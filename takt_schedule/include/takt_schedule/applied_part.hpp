// What becomes of one part of a schedule where it is given to something that runs.
#ifndef TAKT_SCHEDULE__APPLIED_PART_HPP_
#define TAKT_SCHEDULE__APPLIED_PART_HPP_

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "takt_core/result.hpp"
#include "takt_core/thread_attributes.hpp"

namespace takt_schedule
{

struct AppliedPart
{
  enum class Outcome
  {
    applied,
    unchanged,  ///< it is so already
    failed,     ///< the kernel refused it, and the schedule says missing_rights: report
    skipped     ///< it counts only at a start, or nothing here is named so
  };
  std::string what;  ///< "thread hot.0", "callback /a:timer(1s)", "chain hot_path", "match ..."
  Outcome outcome = Outcome::applied;
  std::string why{};  ///< of failed and skipped; of a changed thread: from what to what
};

std::string_view to_string(AppliedPart::Outcome outcome) noexcept;

/// What the thread has now, where somebody else has taken from it what it was granted; nothing of a thread that has
/// ended. More than that a thread may have for a while: a scope or a callback raised it. `follows`: its callbacks
/// choose its priority. Any thread; one system call or two; allocates.
std::optional<takt_core::ThreadAttributes> taken_from(
  const takt_core::AttributeReport & report, pid_t tid, bool follows);

/// The part of a thread that is to have `wanted`: unchanged if it was asked for it before and nobody took it.
AppliedPart thread_part(
  const takt_core::AttributeReport & report,
  const std::optional<takt_core::ThreadAttributes> & taken,
  const takt_core::ThreadAttributes & wanted);

/// The part has failed, if there are faults, and says why.
void add_refusals(AppliedPart & part, const takt_core::Faults & faults);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__APPLIED_PART_HPP_
