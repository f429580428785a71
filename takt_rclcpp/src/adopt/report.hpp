// What an adoption tells when it ends: a file of JSON in a folder (TAKT_REPORT_DIR).
#ifndef ADOPT__REPORT_HPP_
#define ADOPT__REPORT_HPP_

#include <optional>
#include <string>
#include <vector>

#include "adopt/chain_recorder.hpp"
#include "adopt/host_kind.hpp"
#include "adopt/recorder.hpp"
#include "takt_core/clock/phases.hpp"
#include "takt_rt/fault.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp
{

struct AdoptionReport
{
  std::string executor;  ///< its first node
  HostKind kind = HostKind::single_threaded;
  std::string schedule_executor;  ///< empty: no schedule rules
  takt_core::Epoch epoch = takt_core::Epoch::start;
  std::optional<takt_core::PhaseState> phases;  ///< of the executor
  takt_rt::Duration
    started_after{};  ///< from the program's first call of spin to the start of the threads
  takt_rt::Duration lasted{};  ///< all spins together
  std::vector<CallbackRecord> callbacks;
  std::vector<ChainRecord> chains;
  std::vector<takt_rt::AttributeReport> threads;
  takt_rt::Faults refusals;
  takt_rt::Faults warnings;
  std::vector<std::string> defaulted;  ///< ids that no rule of the schedule names
};

/// The version of the rclcpp that this process uses, as its package says; empty: there is no package beside the library.
/// Any thread; the first call reads a file.
const std::string & found_rclcpp();

/// The number of a further report of this process. Any thread.
unsigned next_report() noexcept;

/// Writes `report` into `folder`, if one is named, in the place of an earlier one of the same number; says in one
/// line why it could not. May block.
void write_report(const AdoptionReport & report, const std::string & folder, unsigned number);

/// A note for the report that rclcpp's own loop runs `executor`, and why. As `write_report`.
void write_stock_note(
  const std::string & executor, const std::string & reason, const std::string & folder);

}  // namespace takt_rclcpp

#endif  // ADOPT__REPORT_HPP_
