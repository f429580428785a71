// The records of a run of a graph: one for each run of a callback, and the kernel's counts.
//
// The recorder (recorder.hpp) writes them, record_io.hpp carries them between processes, and the
// analysis reads them. Callbacks and topics are numbers of the CallbackTable. Times are
// CLOCK_MONOTONIC.
#ifndef TAKT_WORKLOAD__SRC__RECORDS__RECORDS_HPP_
#define TAKT_WORKLOAD__SRC__RECORDS__RECORDS_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/callback_table.hpp"
#include "takt_core/clock/phases.hpp"
#include "takt_rt/attributes.hpp"
#include "takt_rt/fault.hpp"
#include "takt_rt/time.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/stall.hpp"

namespace takt_workload
{

/// One run of a callback. Sequence numbers are the middleware's publication sequence numbers; 0:
/// the run took or published no message.
struct RunRecord
{
  std::uint32_t callback = kNone;
  std::uint32_t thread = 0;  ///< executor thread
  std::uint32_t process = 0;
  std::uint32_t skipped = 0;  ///< timers: periods that this start dropped
  takt_rt::Time release{};    ///< nominal; for messages their arrival
  takt_rt::Time start{};      ///< of the user's function, after the take
  takt_rt::Time end{};
  takt_rt::Duration work_asked{};
  takt_rt::Duration work_cpu{};
  takt_rt::Duration slept{};  ///< after its work
  takt_rt::Time work_end{};   ///< end of work and sleep, before the publication; 0: the run did
                              ///< neither
  std::uint64_t taken = 0;
  std::uint64_t published = 0;
  std::uint64_t taken_from = 0;  ///< the publisher, as `fold` names it
  bool foreign = false;          ///< the publisher is outside of the graph; `analyse` sets it
};

/// The name of a publisher: 64 bits of its gid.
struct PublisherRecord
{
  std::uint32_t topic = kNone;
  std::uint64_t gid = 0;
};

/// A publisher's gid as the number that traces use for it. Real-time safe.
inline std::uint64_t fold(const std::array<std::uint8_t, 16> & gid) noexcept
{
  return static_cast<std::uint64_t>(takt_trace::fold(gid.data(), gid.size()));
}

using takt_trace::Stall;

/// One OS thread in the measured time.
struct ThreadRecord
{
  std::uint32_t process = 0;
  std::string name;
  std::int64_t tid = 0;
  bool executor = false;
  std::uint32_t number = kNone;                      ///< executor thread
  std::optional<takt_rt::ThreadAttributes> asked{};  ///< absent for threads outside of the executor
  takt_rt::ThreadAttributes granted{};
  takt_rt::Faults faults{};
  takt_rt::Duration cpu{};
  takt_rt::Duration queue_wait{};
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
};

/// The core's counts of a callback in the measured time.
struct CallbackCounters
{
  std::uint32_t callback = kNone;
  std::uint64_t overwritten = 0;
  std::uint64_t lost_messages = 0;
};

/// The state of a timer after its executor has ended.
struct TimerRecord
{
  std::uint32_t callback = kNone;
  takt_rt::Time next{};  ///< the earliest release without a run; a past one waited for a thread
};

/// The figures that a command node computed from the histories in messages, as the reference system
/// does.
struct OriginalSample
{
  std::uint32_t callback = kNone;  ///< the command's subscription
  takt_rt::Time at{};
  bool has_hot_path = false;  ///< the history has the sink and a root
  takt_rt::Duration hot_path{};
  std::uint64_t hot_path_drops = 0;
  takt_rt::Time planner_start{};  ///< 0: the history has no planner
  std::uint32_t planner_sequence = 0;
  takt_rt::Duration oldest{};  ///< now - the oldest entry
};

/// All records of one process in one run of its part of a graph.
struct ProcessRecord
{
  std::uint32_t process = 0;
  takt_rt::Time epoch{};
  takt_rt::Time measured_from{};  ///< end of the warm-up
  takt_rt::Time measured_to{};
  takt_rt::Time observed_to{};  ///< end of the executor; 0: the end of the measured time
  std::vector<RunRecord> runs;
  std::uint64_t unrecorded_runs = 0;  ///< runs without a free record
  std::vector<ThreadRecord> threads;
  std::vector<PublisherRecord> publishers;
  std::vector<CallbackCounters> counters;
  std::vector<TimerRecord> timers;
  std::vector<OriginalSample> originals;
  std::vector<Stall> stalls;
  std::vector<std::int64_t> reference_lateness_ns;
  std::string order;
  std::string executor_name;
  int middleware_ceiling = 0;
  /// At `measured_to`, with the disturbances of the measured time. Absent: the schedule gives no
  /// offsets.
  std::optional<takt_core::PhaseState> phases;
  std::optional<takt_core::PhaseState> phases_before;  ///< at `measured_from`, since the start
  takt_rt::Faults warnings;
  std::vector<std::string> defaulted_callbacks;  ///< callbacks without a rule in the schedule
  /// A rule of the schedule, or an id of its chains, names a callback of this process.
  bool schedule_fits = true;
  std::string error;       ///< not empty: the run failed
  bool bad_input = false;  ///< the run failed because of impossible input
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RECORDS__RECORDS_HPP_
