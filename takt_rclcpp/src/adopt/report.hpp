// The report of an adoption when it ends: a JSON file in a folder (TAKT_REPORT_DIR).
#ifndef ADOPT__REPORT_HPP_
#define ADOPT__REPORT_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "adopt/host_kind.hpp"
#include "adopt/recorder.hpp"
#include "takt_core/clock/phases.hpp"
#include "takt_rt/fault.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"
#include "takt_watch/watch.hpp"

namespace takt_rclcpp
{

/// A chain with the responses that the watch measured.
struct ChainRecord
{
  takt_watch::ChainResponses measured;
  /// True if this executor does not have the chain's first callback. Then takt cannot follow
  /// activations from their start, and has no response times of the chain.
  bool begins_elsewhere = false;
};

/// The chains that end in one of `callbacks`, in the order of the schedule. Omits a chain without
/// ended activations, unless it begins in another executor or process.
std::vector<ChainRecord> chain_records(
  std::vector<takt_watch::ChainResponses> chains, const std::vector<CallbackRecord> & callbacks);

struct AdoptionReport
{
  std::string executor;  ///< name of its first node
  HostKind kind = HostKind::single_threaded;
  std::string schedule_executor;  ///< empty: no schedule
  takt_core::Epoch epoch = takt_core::Epoch::start;
  std::optional<takt_core::PhaseState> phases;  ///< of the executor
  /// From the program's first call of spin to the start of the threads.
  takt_rt::Duration started_after{};
  takt_rt::Duration lasted{};  ///< the time of all spins together
  std::vector<CallbackRecord> callbacks;
  std::vector<ChainRecord> chains;
  std::vector<takt_rt::AttributeReport> threads;
  std::size_t own_threads = 1;  ///< that the program's executor has without takt
  takt_rt::Faults refusals;
  takt_rt::Faults warnings;
  std::vector<std::string> defaulted;  ///< ids that match no rule of the schedule
};

/// The version of this process's rclcpp according to its package; empty: the library has no package
/// beside it. Any thread; the first call reads a file.
const std::string & found_rclcpp();

/// A new number for a report of this process. Any thread.
unsigned next_report() noexcept;

/// Writes `report` into `folder`, if `folder` is not empty. Replaces an earlier report of the same
/// number. If it cannot write, it prints the reason in one line. May block.
void write_report(const AdoptionReport & report, const std::string & folder, unsigned number);

/// Writes a note that rclcpp's own loop runs `executor`, with the reason. Threads and `folder` as
/// for `write_report`.
void write_stock_note(
  const std::string & executor, const std::string & reason, const std::string & folder);

}  // namespace takt_rclcpp

#endif  // ADOPT__REPORT_HPP_
