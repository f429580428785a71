// The result of applying one part of a schedule to a running executor or watch.
#ifndef TAKT_SCHEDULE__APPLIED_PART_HPP_
#define TAKT_SCHEDULE__APPLIED_PART_HPP_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_schedule
{

/// One line of the answer to `takt apply`.
struct AppliedPart
{
  /// The result for this part.
  enum class Outcome
  {
    applied,
    unchanged,  ///< it has these values already
    failed,     ///< the kernel refused it under missing_rights: report
    skipped     ///< only a start can apply it, or the program has no part of this name
  };
  std::string what;  ///< "thread hot.0", "callback /a:timer(1s)", "chain hot_path", "match ..."
  Outcome outcome = Outcome::applied;
  std::string why{};  ///< why it failed, was skipped or stays; of a changed thread: old and new
};

/// The outcome's word, such as "unchanged". Real-time safe.
std::string_view to_string(AppliedPart::Outcome outcome) noexcept;

/// A thread, for reports.
struct ToldThread
{
  const takt_rt::AttributeReport & report;
  pid_t tid = 0;         ///< 0: not running
  bool follows = false;  ///< it takes its callbacks' priorities, up to its own
  int ceiling = 0;       ///< SCHED_FIFO priority of the middleware ceiling; 0: none
};

/// The part of a thread that shall have `wanted`. It is unchanged if the same attributes were
/// requested and granted before and are still in force. An attribute that was not requested before
/// is unchanged if the thread has it already, as under nice(1). Any thread; some system calls;
/// allocates.
AppliedPart thread_part(const ToldThread & thread, const takt_rt::ThreadAttributes & wanted);

/// If there are faults, marks the part as failed, with the faults as the reason.
void add_refusals(AppliedPart & part, const takt_rt::Faults & faults);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__APPLIED_PART_HPP_
