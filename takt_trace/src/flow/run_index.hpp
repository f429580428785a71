// The complete runs of a trace: the messages that each took, published and ended, and the run that
// worked for it before.
//
// Accepts any records. Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__FLOW__RUN_INDEX_HPP_
#define TAKT_TRACE__SRC__FLOW__RUN_INDEX_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "flow/clocks.hpp"
#include "flow/message_flow.hpp"
#include "run_pairs.hpp"
#include "takt_trace/long_trace.hpp"
#include "takt_trace/sorted_list.hpp"

namespace takt_trace::detail
{

/// A run with start and end. Record numbers are indices in its thread.
struct TracedRun
{
  std::size_t process = 0;
  std::size_t thread = 0;
  std::size_t start = 0;
  std::size_t end = 0;
  std::size_t kernel_wait = kNoRecord;
  std::size_t first_take = 0;  ///< in the index's list of takes
  std::size_t takes = 0;       ///< how many it took
};

/// A chain_end and its run.
struct TracedEnd
{
  RecordPlace place;
  std::size_t run = kNoRecord;  ///< kNoRecord: its start or end is missing in the trace
};

/// A run and when it ended.
struct EndedRun
{
  std::int64_t end = 0;
  std::size_t run = 0;
};

/// The run whose message another run took.
struct RunBefore
{
  std::size_t run = 0;
  RecordPlace publish{};
  std::size_t publisher = 0;  ///< the run that published: `run`, or another callback's of its node
};

class RunIndex
{
public:
  /// The traces must outlive it, and must not change.
  explicit RunIndex(const std::vector<LongTrace> & processes);

  const std::vector<LongTrace> & processes() const { return processes_; }
  const SharedClock & clock() const { return clock_; }
  const LongVector<TracedRun> & runs() const { return runs_; }
  const LongVector<TracedEnd> & chain_ends() const { return chain_ends_; }

  Record start_of(const TracedRun & run) const { return record(run, run.start); }
  Record end_of(const TracedRun & run) const { return record(run, run.end); }
  /// Absent: unknown.
  std::optional<Record> kernel_wait_of(const TracedRun & run) const;
  Record at(const RecordPlace & place) const;
  /// Converts a time of the process into the shared clock.
  std::int64_t shared(std::size_t process, std::int64_t time) const
  {
    return clock_.from(process, time);
  }

  /// The publish of the message that a take took; absent: not in the traces.
  std::optional<RecordPlace> publish_of(const RecordPlace & take) const;

  /// The run's callback; null: the trace has no name for it.
  const TracedCallback * callback_of(const TracedRun & run) const;
  /// The callback's runs by their ends; null: none.
  const SortedList<EndedRun> * runs_of(std::size_t process, const std::string & id) const;
  /// The run of `callback` whose message the run took. If the node fuses messages, another callback
  /// of the node may have published; then the last run of `callback` before that.
  std::optional<RunBefore> before(const std::string & callback, std::size_t run) const;

private:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // process, thread, record
  using OfCallback = std::pair<std::size_t, std::string>;         // process, id

  /// A publish and the innermost run that contains it.
  struct Publisher
  {
    RecordPlace publish{};
    std::size_t run = 0;
  };

  static Key key_of(const RecordPlace & place)
  {
    return {place.process, place.thread, place.record};
  }
  Record record(const TracedRun & run, std::size_t index) const
  {
    return processes_[run.process].threads[run.thread].records[index];
  }
  std::size_t publisher_of(const RecordPlace & publish) const;
  void read(std::size_t process, std::size_t thread);
  std::optional<std::size_t> last_before(
    std::size_t process, const std::string & callback, std::int64_t time) const;

  const std::vector<LongTrace> & processes_;
  const SharedClock clock_;
  LongVector<TracedRun> runs_;
  LongVector<std::size_t> takes_;  // records of the threads of their runs
  LongVector<TracedEnd> chain_ends_;
  std::map<OfCallback, LongVector<EndedRun>> made_runs_of_;  // while the traces are read
  std::map<OfCallback, SortedList<EndedRun>> runs_of_;
  // In the order of places, because records are read and messages joined in this order.
  LongVector<Publisher> made_publishers_;  // while the traces are read
  SortedList<Publisher> publishers_;
  SortedList<MessageFlow> flows_;  // by take
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__FLOW__RUN_INDEX_HPP_
