// How each activation of a chain ended, including those that never completed.
//
// An activation begins with the release of the chain's root, and messages carry it from run to run
// (run_flow.hpp). It ends in exactly one of these ways. Completed. Replaced: newer data replaced it
// in a node that joins messages, or in the history before a run that only kept the newer data.
// Lost: the next callback took a later message of the publisher. Unfinished: it was in progress at
// the end. Never begun: the root's timer skipped the period.
//
// Plain values; no clock, no ROS. Times are nanoseconds of one clock. Set-up only: allocates; does
// not block.
#ifndef TAKT_TRACE__ACTIVATION_ACCOUNT_HPP_
#define TAKT_TRACE__ACTIVATION_ACCOUNT_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "takt_trace/run_flow.hpp"
#include "takt_trace/sorted_list.hpp"

namespace takt_trace
{

/// How an activation ended (see above); `superseded` means replaced, `skipped` means never begun.
enum class Fate : std::uint8_t
{
  completed,
  superseded,
  lost,
  unfinished,
  skipped,
};

/// One activation, and how far it came.
struct AccountedActivation
{
  Fate fate = Fate::completed;
  std::int64_t release = 0;
  RunNumber last = kNoRun;  ///< the last run that worked for it
  /// The place in the path where it stopped. If the message was lost, or no run has taken it yet:
  /// the callback that should have taken it. Otherwise: the callback of the last run.
  std::size_t stopped_at = 0;
  bool overdue = false;  ///< unfinished after the deadline
};

/// A chain for which an account is wanted.
struct AccountedChain
{
  std::vector<std::uint32_t> path{};  ///< callbacks of the flow; not empty
  std::int64_t deadline = kNotYet;    ///< from the release; kNotYet: none
  /// Releases of activations that have a chain_end record. The account omits these activations.
  SortedList<std::int64_t> told{};
};

/// Releases of a chain's root for which no run began.
struct UnstartedReleases
{
  std::vector<std::int64_t> skipped{};
  std::optional<std::int64_t> waiting{};  ///< the release that waited for a thread at the end
};

/// The time that an account covers. Records exist until `observed_to`.
struct AccountedTime
{
  std::int64_t from = 0;  ///< releases from here on count
  std::int64_t to = 0;    ///< and before this
  std::int64_t observed_to = 0;
};

/// The numbers of a chain's activations, and each activation.
struct ActivationAccount
{
  std::uint64_t released = 0;  ///< sum over all ways to end
  std::uint64_t completed = 0;
  std::uint64_t superseded = 0;
  std::uint64_t lost = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t skipped = 0;
  std::uint64_t late = 0;     ///< completed after the deadline
  std::uint64_t overdue = 0;  ///< unfinished after the deadline
  /// Late, lost, overdue or skipped; 0 without a deadline. An activation that newer data replaces
  /// is not missed, because the newer data does its work.
  std::uint64_t missed = 0;
  std::uint64_t processes = 0;                    ///< number of processes with its runs
  LongVector<AccountedActivation> activations{};  ///< in the order of the root's runs
};

/// `unstarted`: the root's, within the time that counts.
ActivationAccount account_activations(
  const RunFlow & flow, const AccountedChain & chain, const UnstartedReleases & unstarted,
  const AccountedTime & time);

}  // namespace takt_trace

#endif  // TAKT_TRACE__ACTIVATION_ACCOUNT_HPP_
