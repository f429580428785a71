// The reports' data of each callback, before it becomes an entry of the model.
#ifndef TAKT_TRACE__SRC__MODEL__OBSERVED_CALLBACK_HPP_
#define TAKT_TRACE__SRC__MODEL__OBSERVED_CALLBACK_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "takt_schedule/system.hpp"
#include "takt_trace/release_fit.hpp"
#include "takt_trace/release_phase.hpp"

namespace takt_trace
{

/// Other callbacks whose runs it waited for within its own run.
struct ObservedWait
{
  std::string service;  ///< id; empty: another process served
  std::string client;   ///< id
  std::uint64_t count = 0;
  std::uint64_t most = 0;    ///< in one run
  std::int64_t longest = 0;  ///< nanoseconds
};

/// A callback with the sums of all reports of its id. A program that spins several times writes
/// several reports.
struct ObservedCallback
{
  /// Has id, group, times, declared period, published topics in the order of their first messages,
  /// and depth.
  takt_schedule::CallbackModel model;
  std::set<std::size_t> executors;                 ///< the executors that ran it: indices in
                                                   ///< `Observation::executors`
  std::string topic;                               ///< of a subscription
  std::map<std::string, std::uint64_t> published;  ///< topics, and numbers of messages
  std::uint64_t runs = 0;
  std::uint64_t skipped = 0;   ///< periods of a timer
  std::uint64_t missed = 0;    ///< messages lost before it took them
  std::uint64_t arrivals = 0;  ///< of messages, while `arrival_spans` were measured
  /// As `shortest_spans`, for all messages that came; empty: not measured.
  std::map<std::uint64_t, std::int64_t> arrival_spans;
  /// Runs that published, and those of them after whose publishes no work followed, or little;
  /// 0: not measured.
  std::uint64_t publishing_runs = 0;
  std::uint64_t published_last = 0;
  std::vector<ObservedWait> waits;
  /// True: `model.sleep` comes from the kernel's figures. False: it is an upper limit from the
  /// longest run.
  bool sleep_measured = false;
  std::uint64_t awaited = 0;    ///< runs that others waited for
  double seconds = 0;           ///< length of its observation
  double mean = 0;              ///< of CPU time, ns
  std::uint64_t distances = 0;  ///< number of intervals between releases
  double mean_distance = 0;     ///< ns
  /// The shortest nanoseconds from one release to the k-th after it, by k.
  std::map<std::uint64_t, std::int64_t> shortest_spans;
  ReleasePhase phase;       ///< of a timer on the monotonic clock
  ReleaseFit fit;           ///< of a subscription
  bool under_takt = false;  ///< under a schedule, or in a trace: takt may have chosen its phase
  std::optional<bool> has_offset;  ///< of a timer, by the schedule; absent: unknown
  std::map<std::int64_t, std::uint64_t> histogram;  ///< upper edges of CPU times, and runs
  std::int64_t depth = 0;                           ///< of its history; 0: unknown; -1: unbounded
  std::uint64_t message_bytes = 0;                  ///< of its largest message; 0: unknown
  std::set<int> processes;                          ///< where it ran
  bool exclusive = true;                            ///< its group excludes
  bool within_process = false;                      ///< its messages come without the middleware
  bool background = false;                          ///< the program did not make it itself
  /// Warnings for a reader of the model, as "; a; b".
  std::string caveats;
};

/// One executor of one process, over all its spins.
struct ObservedExecutor
{
  int process = 0;
  std::string first_node;      ///< its name in reports
  bool one_at_a_time = false;  ///< one callback at a time, also across groups
  std::set<std::string> ids;   ///< of its callbacks that ran
  double seconds = 0;
};

struct Observation
{
  std::vector<ObservedExecutor> executors;
  std::vector<ObservedCallback> callbacks;  ///< in the order of the reports, each id once
};

/// `report`: from `join_reports`. The result has ids of the model.
Observation observation(const nlohmann::ordered_json & report);

/// Names for the schedule, one for each executor, from its first node; equal names get "_2", "_3".
/// Their order does not depend on process ids if the executors have different callbacks.
std::vector<std::string> executor_names(const std::vector<ObservedExecutor> & executors);

/// The node of a callback's id.
std::string node_of(const std::string & id);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__OBSERVED_CALLBACK_HPP_
