// One run of the pipeline: its processes, their counters, and the latencies of all lanes.
#ifndef TAKT_BENCH__SRC__PIPELINE__RUN_HPP_
#define TAKT_BENCH__SRC__PIPELINE__RUN_HPP_

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::pipeline
{

/// How the pipeline runs.
enum class Kind
{
  processes,   ///< a process for each node
  pool,        ///< one process, four threads that run any callback
  one_thread,  ///< one process, one thread
  storing,     ///< as above; inputs that only store do not trigger
  sequences    ///< as above; each lane is a sequence, and messages go by pointer
};

constexpr std::array<std::pair<Kind, std::string_view>, 5> kKinds{
  {{Kind::processes, "processes"},
   {Kind::pool, "pool"},
   {Kind::one_thread, "one_thread"},
   {Kind::storing, "storing"},
   {Kind::sequences, "sequences"}}};

struct Setting
{
  Kind kind = Kind::sequences;
  /// Of the measurement; it lasts longer where a lane began no iteration in it.
  takt_rt::Duration duration = std::chrono::seconds(10);
  int core = -1;
  int priority = 50;
  std::string prefix{};  ///< of the topics; of no other run
  std::string
    trace{};  ///< file for takt's own record of the measured time; empty: none. One process only
};

/// The document `pipeline`. Forks, so the caller must have one thread only; all children end with
/// the call, or with the caller. A child whose executor has ended, but whose middleware does not
/// end, is killed after a minute and told on standard error. If nodes do not find each other or a
/// child dies before the measurement, all start again, up to three times, and standard error says
/// so. Faults: this happened in each attempt, a child died later, a lane's timer did not run in
/// three minutes, an executor did not end. May block.
takt_rt::Result<nlohmann::ordered_json> run(const Setting & setting);

}  // namespace takt_bench::pipeline

#endif  // TAKT_BENCH__SRC__PIPELINE__RUN_HPP_
