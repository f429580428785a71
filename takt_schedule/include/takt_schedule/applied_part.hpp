// What becomes of one part of a schedule where it is given to something that runs.
#ifndef TAKT_SCHEDULE__APPLIED_PART_HPP_
#define TAKT_SCHEDULE__APPLIED_PART_HPP_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"

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
  std::string
    why{};  ///< of failed, skipped and some unchanged ones; of a changed thread: from what to what
};

std::string_view to_string(AppliedPart::Outcome outcome) noexcept;

/// A thread as it is told of.
struct ToldThread
{
  const takt_rt::AttributeReport & report;
  pid_t tid = 0;         ///< 0: it does not run
  bool follows = false;  ///< its callbacks choose its priority, up to its own
  int ceiling =
    0;  ///< SCHED_FIFO priority to which the middleware ceiling raises it for a while; 0: none
};

/// The part of a thread that is to have `wanted`. It is unchanged if the thread was asked for the same before, was
/// granted all of it, and has the asked attributes still. What was not asked for before counts as nobody's: it is
/// unchanged where the thread has it as wanted, as under nice(1).
/// Any thread; some system calls; allocates.
AppliedPart thread_part(const ToldThread & thread, const takt_rt::ThreadAttributes & wanted);

/// The part has failed, if there are faults, and says why.
void add_refusals(AppliedPart & part, const takt_rt::Faults & faults);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__APPLIED_PART_HPP_
