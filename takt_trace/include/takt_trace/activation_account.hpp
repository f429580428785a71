// What became of each activation of a chain, also of those that never ended.
//
// An activation begins with the release of the chain's root, and goes on from run to run by the messages (run_flow.hpp).
// It ends in exactly one of these ways: it completed; newer data replaced it in a node that joins messages, or in the
// history before a run that only kept the newer data; it was lost, because the next callback took a later message of the
// publisher; it was still under way at the end; or no run ever began, because the root's timer skipped the period.
//
// Plain values; no clock, no ROS. Times are nanoseconds of one clock. Set-up only: allocates; does not block.
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

enum class Fate : std::uint8_t
{
  completed,
  superseded,
  lost,
  unfinished,
  skipped,
};

struct AccountedActivation
{
  Fate fate = Fate::completed;
  std::int64_t release = 0;
  RunNumber last = kNoRun;  ///< the last run that worked for it
  /// The place in the path at which it stopped: of a lost message, and of one that no run has taken yet, the callback that
  /// should have taken it; else the callback of the last run.
  std::size_t stopped_at = 0;
  bool overdue = false;  ///< unfinished, and the deadline had passed
};

struct AccountedChain
{
  std::vector<std::uint32_t> path{};  ///< callbacks of the flow; not empty
  std::int64_t deadline = kNotYet;    ///< from the release; kNotYet: none
  /// Releases of activations whose ends others tell: the account leaves them out.
  SortedList<std::int64_t> told{};
};

/// Releases of a chain's root that no run ever began.
struct UnstartedReleases
{
  std::vector<std::int64_t> skipped{};
  std::optional<std::int64_t> waiting{};  ///< the release that still waited for a thread at the end
};

struct AccountedTime
{
  std::int64_t from = 0;  ///< activations count that were released from here on
  std::int64_t to = 0;    ///< and before this
  std::int64_t observed_to = 0;
};

struct ActivationAccount
{
  std::uint64_t released = 0;  ///< the sum of the ways to end
  std::uint64_t completed = 0;
  std::uint64_t superseded = 0;
  std::uint64_t lost = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t skipped = 0;
  std::uint64_t late = 0;     ///< completed after the deadline
  std::uint64_t overdue = 0;  ///< unfinished, and the deadline had passed
  /// Late, lost, overdue or skipped; 0 without a deadline. Newer data that replaces older data does its work. Data that
  /// never arrives, or that a skipped period never made, is not in time.
  std::uint64_t missed = 0;
  std::uint64_t processes = 0;                    ///< in how many its runs were seen
  LongVector<AccountedActivation> activations{};  ///< in the order of the root's runs
};

/// `unstarted`: of the chain's root, within the time that counts.
ActivationAccount account_activations(
  const RunFlow & flow, const AccountedChain & chain, const UnstartedReleases & unstarted,
  const AccountedTime & time);

}  // namespace takt_trace

#endif  // TAKT_TRACE__ACTIVATION_ACCOUNT_HPP_
