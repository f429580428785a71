// What the reports tell of each callback, before it becomes an entry of the model.
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

/// Others for whose runs it waited within a run of its own.
struct ObservedWait
{
  std::string service;  ///< id; empty: another process served
  std::string client;   ///< id
  std::uint64_t count = 0;
  std::uint64_t most = 0;    ///< of one run
  std::int64_t longest = 0;  ///< nanoseconds
};

/// A callback with the sums of all reports that have its id. A program that spins several times writes several.
struct ObservedCallback
{
  /// Id, group, times, declared period, published topics in the order of their first messages, depth.
  takt_schedule::CallbackModel model;
  std::set<std::size_t> executors;  ///< in which it ran: indices in `Observation::executors`
  std::string topic;                ///< of a subscription
  std::map<std::string, std::uint64_t> published;  ///< topics and messages
  std::uint64_t runs = 0;
  std::uint64_t skipped = 0;   ///< periods of a timer
  std::uint64_t missed = 0;    ///< messages that were lost before it took them
  std::uint64_t arrivals = 0;  ///< of messages, while `arrival_spans` were measured
  /// As `shortest_spans`, of all messages that came; empty: not measured.
  std::map<std::uint64_t, std::int64_t> arrival_spans;
  std::vector<ObservedWait> waits;
  /// `model.sleep` is what the kernel's figures give; else it is at most that: from the longest time of a run.
  bool sleep_measured = false;
  std::uint64_t awaited = 0;    ///< of its runs, as far as others waited for them
  double seconds = 0;           ///< that it was observed for
  double mean = 0;              ///< nanoseconds of CPU
  std::uint64_t distances = 0;  ///< from one release to the next
  double mean_distance = 0;     ///< nanoseconds
  /// The shortest nanoseconds from one release to the k-th after it, by k.
  std::map<std::uint64_t, std::int64_t> shortest_spans;
  ReleasePhase phase;       ///< of a timer on the monotonic clock
  ReleaseFit fit;           ///< of a subscription
  bool under_takt = false;  ///< under a schedule, or in a trace: takt may have decided its phase
  std::optional<bool> has_offset;  ///< of a timer, by a rule of the schedule; absent: unknown
  std::map<std::int64_t, std::uint64_t> histogram;  ///< upper edges of CPU times, and runs
  std::int64_t depth = 0;           ///< of its history; 0: unknown; -1: it keeps all
  std::uint64_t message_bytes = 0;  ///< of its largest message; 0: unknown
  std::set<int> processes;          ///< in which it ran
  bool exclusive = true;            ///< its group is
  bool within_process = false;      ///< its messages come without the middleware
  bool background = false;          ///< the program did not write it for itself
  /// What a reader of the model must know of it, as "; a; b".
  std::string caveats;
};

/// One executor of one process, however often it was spun.
struct ObservedExecutor
{
  int process = 0;
  std::string first_node;      ///< as its reports name it
  bool one_at_a_time = false;  ///< it runs one callback at a time, also of different groups
  std::set<std::string> ids;   ///< of its callbacks that ran
  double seconds = 0;
};

struct Observation
{
  std::vector<ObservedExecutor> executors;
  std::vector<ObservedCallback> callbacks;  ///< in the order of the reports, each id once
};

/// `report`: as `join_reports` gives. Ids are those of the model.
Observation observation(const nlohmann::ordered_json & report);

/// Names for the schedule, one for each, from their first nodes; equal ones get "_2", "_3", in an order that
/// does not depend on process ids as long as the executors have different callbacks.
std::vector<std::string> executor_names(const std::vector<ObservedExecutor> & executors);

/// The node of a callback's id.
std::string node_of(const std::string & id);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__OBSERVED_CALLBACK_HPP_
